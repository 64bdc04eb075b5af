import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { type AnswerPathsConfig, compileAnswerPaths, type PriceUsage } from '../template/read-answer.ts';
import { compilePath, type ResponsePath } from '../template/response-path.ts';

type Reading = ReturnType<ReturnType<typeof compileAnswerPaths>['read']>;

export interface EventPaths {
  /** Takes answer, passages, steps, tokens and cost out of the events of one stream, oldest first. */
  read(events: readonly JsonValue[]): Reading;
}

const PATHS = ['contexts_path', 'trajectory_path', 'usage_path', 'cost_path'] as const;

/**
 * Reads an answer that came as a stream of events. Texts at `response_path` are joined over all events that have one; something else
 * there, and whatever the other paths lead to, is taken from the last event that has it. With `$`, the events themselves are the
 * texts, or there is exactly one. Throws ConfigError for a path that is none.
 */
export function compileEventPaths(
  config: AnswerPathsConfig,
  options: { readonly where: string; readonly fallbackModel: string; readonly priceUsage?: PriceUsage | undefined },
): EventPaths {
  const response = compilePath(config.response_path, { where: `${options.where}.response_path` });
  const others = PATHS.flatMap((name) => {
    const path = config[name];
    return path === undefined ? [] : [{ name, path: compilePath(path, { where: `${options.where}.${name}` }) }];
  });
  // What was found is put under these names, and read from there as if it had come in one piece.
  const gathered = compileAnswerPaths(
    { response_path: 'response', ...Object.fromEntries(others.map(({ name }) => [name, name])) },
    options,
  );
  return {
    read: (events) => {
      const reply: JsonObject = {};
      const model = lastFound(MODEL, events);
      if (model !== undefined) reply.model = model;
      for (const { name, path } of others) {
        const value = lastFound(path, events);
        if (value !== undefined) reply[name] = value;
      }
      const text = answerOf(response, events);
      if ('value' in text) reply.response = text.value;
      const reading = gathered.read(reply);
      const crash = events.map(crashOf).find((message) => message !== undefined);
      const missing = others.find(({ name }) => REQUIRED.has(name) && !(name in reply))?.path;
      const fault = 'fault' in text ? text.fault : missing === undefined ? undefined : notFound(missing, events);
      if (crash === undefined && (fault === undefined || isCrash(reading))) return reading;
      const { answer } = reading.outcome;
      const cause = crash === undefined ? 'path-not-found' : 'crashed';
      return { ...reading, outcome: { ok: false, cause, message: crash ?? fault ?? '', answer } };
    },
  };
}

const MODEL = compilePath('model', { where: 'model' });
/** Without usage or cost an answer is still an answer. */
const REQUIRED: ReadonlySet<string> = new Set(['contexts_path', 'trajectory_path']);

function isCrash({ outcome }: Reading): boolean {
  return !outcome.ok && outcome.cause === 'crashed';
}

function answerOf(path: ResponsePath, events: readonly JsonValue[]): { value: JsonValue } | { fault: string } {
  const [only] = events;
  if (only === undefined) return { fault: 'the stream ended without an event' };
  const found = events.flatMap((event) => {
    const reading = path.read(event);
    return reading.status === 'found' ? [reading.value] : [];
  });
  const last = found.at(-1);
  if (last === undefined) return { fault: notFound(path, events) };
  if (found.every((value) => typeof value === 'string')) return { value: found.join('') };
  if (path.isRoot && found.length > 1) {
    return {
      fault: `the stream has ${events.length} events (${keysOf(events)}): set response_path to where the text is`,
    };
  }
  return { value: last };
}

function lastFound(path: ResponsePath, events: readonly JsonValue[]): JsonValue | undefined {
  for (let at = events.length - 1; at >= 0; at -= 1) {
    const reading = path.read(events[at] ?? null);
    if (reading.status === 'found') return reading.value;
  }
  return undefined;
}

function notFound(path: ResponsePath, events: readonly JsonValue[]): string {
  const shown = keysOf(events);
  return `path "${path.text}" not found in any of ${events.length} events${shown === '' ? '' : ` (${shown})`}`;
}

/** Keys of the first kinds of events, for messages. */
function keysOf(events: readonly JsonValue[]): string {
  const kinds = new Set<string>();
  for (const event of events) {
    if (isJsonObject(event)) kinds.add(`{${Object.keys(event).slice(0, 6).join(', ').slice(0, 80)}}`);
    else kinds.add(Array.isArray(event) ? 'a list' : typeof event === 'string' ? 'text' : `${typeof event}`);
    if (kinds.size === 5) break;
  }
  return [...kinds].join(', ');
}

/** The AgentCore SDK ends the stream of an agent that threw with `{error, error_type, …}`. */
function crashOf(event: JsonValue): string | undefined {
  if (!isJsonObject(event) || typeof event.error !== 'string' || typeof event.error_type !== 'string') return undefined;
  return `the agent crashed: ${event.error_type}: ${event.error}`;
}
