import * as z from 'zod';
import { isJsonObject, type JsonObject, type JsonValue, JsonValueSchema } from '../json.ts';
import { isSubsetOf } from './argument-subset.ts';

/** A tool as the model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments; always one of an object. */
  readonly parameters: JsonObject;
}

/** What a mock tool gave back: a result, or an error that the model is told of. */
export type ToolOutcome =
  | { readonly ok: true; readonly result: JsonValue; readonly latencyMs: number }
  | { readonly ok: false; readonly error: string; readonly latencyMs: number };

/** The mocks of one conversation; sequences begin anew in each. */
export interface ToolSession {
  call(name: string, args: JsonValue): ToolOutcome;
}

export interface MockTools {
  /** One a name, in the order of the row. */
  readonly specs: readonly ToolSpec[];
  open(): ToolSession;
}

/** Converse takes no other names. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** A mock that keeps the model waiting longer would only stop the run. */
const MAX_LATENCY_MS = 60_000;

const outcome = {
  /** Any JSON; absent or null: the tool gives null. */
  response: JsonValueSchema.optional(),
  /** Handed to the model as the tool's error. */
  error: z.string().nullish(),
  latency_ms: z.number().min(0).max(MAX_LATENCY_MS).nullish(),
};

const MockSchema = z.strictObject({
  name: z.string().regex(TOOL_NAME, 'a tool name has letters, digits, "_" and "-", at most 64'),
  description: z.string().nullish(),
  parameters: z.custom<JsonObject>(isJsonObject, 'expected a JSON Schema').nullish(),
  ...outcome,
  /** This mock answers calls whose arguments hold these. Absent: any call. */
  when: z.custom<JsonObject>(isJsonObject, 'expected an object of arguments').nullish(),
  /** The nth call that this mock answers gets the nth entry; the last one repeats. */
  sequence: z.array(z.strictObject(outcome)).min(1).nullish(),
});
type Mock = z.infer<typeof MockSchema>;

/**
 * The `tools` of a row: a list of mocks, or an object of them by name. A name may be listed several times with other `when`s:
 * the first mock whose `when` holds answers. The JSON Schema of the arguments may be called `parameters`, `input_schema` or
 * `inputSchema`, and OpenAI's `{type: function, function: {…}}` is read, too. Else what is wrong with them.
 */
export function parseMockTools(value: JsonValue): MockTools | { readonly fault: string } {
  const listed = listMocks(value);
  if ('fault' in listed) return listed;
  const mocks: Mock[] = [];
  for (const { where, raw } of listed.entries) {
    const parsed = MockSchema.safeParse(plain(raw));
    if (!parsed.success) return { fault: `${where}: ${firstIssue(parsed.error)}` };
    const { response, error, sequence } = parsed.data;
    if (sequence != null && (response !== undefined || error != null)) {
      return { fault: `${where}: "sequence" beside "response" or "error": keep one of them` };
    }
    mocks.push(parsed.data);
  }
  return { specs: specsOf(mocks), open: () => openSession(mocks) };
}

function listMocks(
  value: JsonValue,
): { readonly entries: { readonly where: string; readonly raw: JsonValue }[] } | { readonly fault: string } {
  if (Array.isArray(value)) return { entries: value.map((raw, index) => ({ where: `tools.${index}`, raw })) };
  if (!isJsonObject(value)) return { fault: 'tools: expected a list of tools, or an object of tools by name' };
  return {
    entries: Object.entries(value).flatMap(([name, mock]) =>
      (Array.isArray(mock) ? mock : [mock]).map((raw) => ({
        where: `tools.${name}`,
        raw: isJsonObject(raw) ? { name, ...raw } : raw,
      })),
    ),
  };
}

/** One form for the ways in which others write a tool down. */
function plain(raw: JsonValue): JsonValue {
  if (!isJsonObject(raw)) return raw;
  const { type, function: inner, input_schema, inputSchema, ...rest } = raw;
  if (type !== undefined && type !== 'function') rest.type = type;
  const mock = isJsonObject(inner) ? { ...inner, ...rest } : rest;
  const schema = input_schema ?? inputSchema;
  return schema === undefined ? mock : { ...mock, parameters: schema };
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  return `${path === '' ? '' : `${path}: `}${issue?.message ?? 'is no tool'}`;
}

/** Of several mocks of one tool the first that has a description or a schema gives it. */
function specsOf(mocks: readonly Mock[]): ToolSpec[] {
  const names = [...new Set(mocks.map(({ name }) => name))];
  return names.map((name) => {
    const named = mocks.filter((mock) => mock.name === name);
    const description = named.map((mock) => mock.description ?? '').find((text) => text.trim() !== '');
    const parameters = named.map((mock) => mock.parameters).find((schema) => schema != null);
    return { name, description: description ?? name, parameters: asObjectSchema(parameters ?? {}) };
  });
}

/** Models refuse a schema that is not one of an object; without one they may pass what they like. */
function asObjectSchema(schema: JsonObject): JsonObject {
  return schema.type === 'object' ? schema : { type: 'object', properties: {}, ...schema };
}

function openSession(mocks: readonly Mock[]): ToolSession {
  const calls = new Map<Mock, number>();
  return {
    call(name, args) {
      const named = mocks.filter((mock) => mock.name === name);
      if (named.length === 0) return { ok: false, error: unlisted(name, mocks), latencyMs: 0 };
      const mock = named.find(({ when }) => when == null || isSubsetOf(when, args));
      if (mock === undefined) return { ok: false, error: `no mock of "${name}" answers these arguments`, latencyMs: 0 };
      const call = calls.get(mock) ?? 0;
      calls.set(mock, call + 1);
      const { response, error, latency_ms } = mock.sequence?.[Math.min(call, mock.sequence.length - 1)] ?? mock;
      const latencyMs = latency_ms ?? mock.latency_ms ?? 0;
      return error == null ? { ok: true, result: response ?? null, latencyMs } : { ok: false, error, latencyMs };
    },
  };
}

function unlisted(name: string, mocks: readonly Mock[]): string {
  const available = [...new Set(mocks.map((mock) => mock.name))];
  const names = available.length === 0 ? 'there are none' : `available tools: ${available.join(', ')}`;
  return `there is no tool "${name}"; ${names}`;
}
