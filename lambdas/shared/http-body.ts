import type * as z from 'zod';
import { schemaFaults } from '../../src/core/config/schema-faults.ts';
import { faultsProblem, HttpProblem } from './http-problem.ts';
import type { HttpRequest } from './http-request.ts';

/** Bodies of settings and evals; what is larger has no business in a stored item. */
const LARGEST_JSON_BYTES = 256 * 1024;

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
  if (HALF_CHARACTER.test(text) && holdsHalfCharacter(value)) {
    // No store takes it, no reader of the results could show it, and it has no hash.
    throw new HttpProblem(400, 'not-json', 'a text in the body holds half a character (a lone surrogate)');
  }
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

const HALF_CHARACTER = /\\u[dD][89a-fA-F]/;

/** Deep values too: a walk that calls itself would run out of stack. */
function holdsHalfCharacter(value: unknown): boolean {
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string' && !next.isWellFormed()) return true;
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, member] of Object.entries(next)) open.push(key, member);
  }
  return false;
}

/** The body as JSON of the schema's shape; an empty body is `{}`. Throws HttpProblem with every fault. */
export function parseJsonBody<S extends z.ZodObject>(request: HttpRequest, schema: S): z.output<S> {
  const parsed = schema.safeParse(readJson(request) ?? {});
  if (parsed.success) return parsed.data;
  const knownKeys = (path: readonly PropertyKey[]) => (path.length === 0 ? Object.keys(schema.shape) : []);
  throw faultsProblem(400, 'invalid-body', schemaFaults(parsed.error, { knownKeys }));
}
