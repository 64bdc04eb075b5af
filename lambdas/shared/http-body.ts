import type * as z from 'zod';
import { schemaFaults } from '../../src/core/config/schema-faults.ts';
import { faultsProblem, HttpProblem } from './http-problem.ts';
import type { HttpRequest } from './http-request.ts';

/** Bodies of settings and evals; what is larger has no business in a stored item. */
const LARGEST_JSON_BYTES = 256 * 1024;
/** As for values of a dataset's rows. */
const DEEPEST = 100;
const HALF_CHARACTER = 'a text in the body holds half a character (a lone surrogate)';

/** The body as JSON; `undefined` when it is empty. Throws HttpProblem 400, or 413 beyond 256 KB. */
export function readJson({ body }: HttpRequest): unknown {
  if (body.byteLength > LARGEST_JSON_BYTES) {
    throw new HttpProblem(
      413,
      'too-large',
      `a JSON body may have ${LARGEST_JSON_BYTES} bytes, this one has ${body.byteLength}`,
    );
  }
  const text = new TextDecoder('utf-8').decode(body);
  if (text.trim() === '') return undefined;
  const value = parse(text);
  const fault = findUnkeepable(value);
  if (fault !== null) throw new HttpProblem(400, 'not-json', fault);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the body, and a body may hold a secret.
    throw new HttpProblem(400, 'not-json', 'the body is not JSON');
  }
}

/**
 * What JavaScript reads and nobody could keep: nesting that takes the stack of whoever walks through it, half a
 * character, which no store takes, and a number beyond the range, which has no JSON. Walks without calling itself.
 */
function findUnkeepable(value: unknown): string | null {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return `the body is nested deeper than ${DEEPEST} levels`;
    const next: unknown[] = [];
    for (const member of level) {
      if (typeof member === 'number' && !Number.isFinite(member))
        return 'the body holds a number beyond the range of JSON';
      if (typeof member === 'string' && !member.isWellFormed()) return HALF_CHARACTER;
      if (typeof member !== 'object' || member === null) continue;
      for (const [key, inner] of Object.entries(member)) {
        if (!key.isWellFormed()) return HALF_CHARACTER;
        next.push(inner);
      }
    }
    level = next;
  }
  return null;
}

/** The body as JSON of the schema's shape; an empty body is `{}`. Throws HttpProblem with every fault. */
export function parseJsonBody<S extends z.ZodObject>(request: HttpRequest, schema: S): z.output<S> {
  const parsed = schema.safeParse(readJson(request) ?? {});
  if (parsed.success) return parsed.data;
  const knownKeys = (path: readonly PropertyKey[]) => (path.length === 0 ? Object.keys(schema.shape) : []);
  throw faultsProblem(400, 'invalid-body', schemaFaults(parsed.error, { knownKeys }));
}
