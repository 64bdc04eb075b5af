import type { JsonObject, JsonValue } from '../core/json.ts';
import { isJsonObject, jsonToText } from '../core/json.ts';
import type { Answer } from '../core/schemas/answer.ts';
import type { TargetErrorCause } from '../core/schemas/result.ts';
import type { Row } from '../core/schemas/row.ts';
import type { RecordedTargetConfig } from '../core/schemas/target-config.ts';
import { finalAnswerOf, passagesFrom, trajectoryFrom } from '../core/template/answer-parts.ts';
import { crashMessage } from '../core/template/read-answer.ts';
import type { ResponsePath } from '../core/template/response-path.ts';
import { compilePath } from '../core/template/response-path.ts';
import type { Target, TargetReply, TargetRequest } from '../ports/target.ts';

/** Nothing is asked and nothing is spent. */
const NOTHING_SPENT = { latencyMs: null, attempts: 0, usage: null, cost: { status: 'metered', usd: 0 } } as const;

/** Answers that the dataset already holds; a list is one entry a trial, anything else serves every trial. */
export class RecordedTarget implements Target {
  readonly id: string;
  readonly type = 'recorded';
  readonly model = null;
  readonly #output: ResponsePath;
  readonly #contexts: ResponsePath;
  readonly #trajectory: ResponsePath;

  /** Throws ConfigError for a path that is none. */
  constructor(config: RecordedTargetConfig & { id: string }, { where = `targets.${config.id}` } = {}) {
    this.id = config.id;
    this.#output = compilePath(config.output, { where: `${where}.output` });
    this.#contexts = compilePath(config.contexts, { where: `${where}.contexts` });
    this.#trajectory = compilePath(config.trajectory, { where: `${where}.trajectory` });
  }

  async check(): Promise<void> {}

  async ask({ row, trial }: TargetRequest): Promise<TargetReply> {
    const answer: Partial<Answer> = {};
    const steps = entryOf(read(this.#trajectory, row), trial, isListOfTrajectories);
    if (steps !== undefined) {
      const trajectory = trajectoryFrom(steps);
      if ('fault' in trajectory)
        return failed('path-not-found', `the recorded trajectory is none: ${trajectory.fault}`);
      answer.trajectory = trajectory;
      const crash = trajectory.error;
      if (crash !== undefined && crash !== null) return failed('crashed', crashMessage(crash), answer);
    } else if (this.#trajectory.text !== 'trajectory') {
      return failed('no-recorded-answer', missing(this.#trajectory, 'trajectory', trial));
    }

    const passages = entryOf(read(this.#contexts, row), trial, isListOfLists);
    const contexts = passages === undefined ? undefined : passagesFrom(passages);
    if (contexts !== undefined) answer.contexts = contexts;
    else if (this.#contexts.text !== 'contexts') {
      return failed('no-recorded-answer', missing(this.#contexts, 'list of passages', trial), answer);
    }

    const output = entryOf(read(this.#output, row), trial, Array.isArray);
    const final = answer.trajectory === undefined ? undefined : (finalAnswerOf(answer.trajectory) ?? '');
    const text = output === undefined ? final : jsonToText(output);
    if (text === undefined) return failed('no-recorded-answer', missing(this.#output, 'answer', trial), answer);
    return { status: 'answered', answer: { ...answer, text }, ...NOTHING_SPENT };
  }

  async close(): Promise<void> {}
}

/** Columns that are no field of a row lie in its metadata; people name them by column. Null is nothing. */
function read(path: ResponsePath, row: Row): JsonValue | undefined {
  for (const root of [row as unknown as JsonObject, row.metadata]) {
    const value = path.read(root);
    if (value.status === 'found') return value.value;
  }
  return undefined;
}

/** The entry of this trial when the value holds one a trial. */
function entryOf(
  value: JsonValue | undefined,
  trial: number,
  holdsOneATrial: (value: JsonValue[]) => boolean,
): JsonValue | undefined {
  if (!Array.isArray(value) || !holdsOneATrial(value)) return value;
  return value[trial] ?? undefined;
}

/** A list of steps is one trajectory: steps have a `type`. */
function isListOfTrajectories(list: readonly JsonValue[]): boolean {
  return list.some((entry) => Array.isArray(entry) || (isJsonObject(entry) && 'steps' in entry));
}

function isListOfLists(list: readonly JsonValue[]): boolean {
  return list.some(Array.isArray);
}

function missing(path: ResponsePath, what: string, trial: number): string {
  return `the row has no recorded ${what} at "${path.text}" for trial ${trial + 1}`;
}

function failed(cause: TargetErrorCause, message: string, answer?: Partial<Answer>): TargetReply {
  const base = { status: 'failed', cause, message, ...NOTHING_SPENT } as const;
  return answer === undefined ? base : { ...base, answer };
}
