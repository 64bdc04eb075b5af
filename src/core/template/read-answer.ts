import type { JsonValue } from '../json.ts';
import { jsonToText } from '../json.ts';
import type { Answer, Cost, Usage } from '../schemas/answer.ts';
import type { TargetErrorCause } from '../schemas/result.ts';
import { dollarsFrom, finalAnswerOf, passagesFrom, trajectoryFrom, usageFrom } from './answer-parts.ts';
import type { ResponsePath } from './response-path.ts';
import { compilePath } from './response-path.ts';

/** Paths into a reply, as a target's configuration has them. */
export interface AnswerPathsConfig {
  readonly response_path: string;
  readonly contexts_path?: string | undefined;
  readonly trajectory_path?: string | undefined;
  readonly usage_path?: string | undefined;
  readonly cost_path?: string | undefined;
}

/** Dollars for the tokens of a model; `unknown` when it has no price. */
export type PriceUsage = (model: string, usage: Usage) => Cost;

interface AnswerReading {
  readonly outcome:
    | { readonly ok: true; readonly answer: Answer }
    | {
        readonly ok: false;
        readonly cause: TargetErrorCause;
        readonly message: string;
        readonly answer: Partial<Answer>;
      };
  readonly usage: Usage | null;
  readonly cost: Cost;
}

export interface AnswerPaths {
  /** Some path leads into the reply, so it must be JSON. */
  readonly needsJson: boolean;
  /** Takes the answer, its passages, steps, tokens and cost out of a reply. */
  read(reply: JsonValue): AnswerReading;
}

/** Reads all the paths once. Throws ConfigError for a path that is none. */
export function compileAnswerPaths(
  config: AnswerPathsConfig,
  options: { readonly where: string; readonly fallbackModel: string; readonly priceUsage?: PriceUsage | undefined },
): AnswerPaths {
  const compile = (name: Exclude<keyof AnswerPathsConfig, 'response_path'>) => {
    const path = config[name];
    return path === undefined ? undefined : compilePath(path, { where: `${options.where}.${name}` });
  };
  const response = compilePath(config.response_path, { where: `${options.where}.response_path` });
  const contexts = compile('contexts_path');
  const trajectory = compile('trajectory_path');
  const usage = compile('usage_path');
  const cost = compile('cost_path');
  return {
    needsJson: [response, contexts, trajectory].some((path) => path !== undefined && !path.isRoot),
    read: (reply) => {
      const tokens = usage === undefined ? null : usageAt(usage, reply);
      return {
        outcome: orBeyondJson(() => readOutcome(reply, response, contexts, trajectory)),
        usage: tokens,
        cost: costOf(reply, tokens, { usage, cost, ...options }),
      };
    },
  };
}

/** JSON can spell numbers that no double holds (1e999); they cannot be written down again as JSON. */
function orBeyondJson(read: () => AnswerReading['outcome']): AnswerReading['outcome'] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, cause: 'not-json', message: `the reply cannot be kept as JSON: ${error.message}`, answer: {} };
  }
}

function readOutcome(
  reply: JsonValue,
  response: ResponsePath,
  contextsPath: ResponsePath | undefined,
  trajectoryPath: ResponsePath | undefined,
): AnswerReading['outcome'] {
  const answer: Partial<Answer> = {};
  const faults: string[] = [];

  if (trajectoryPath !== undefined) {
    const steps = trajectoryPath.read(reply);
    const parsed = steps.status === 'found' ? trajectoryFrom(steps.value) : { fault: steps.message };
    if (!('fault' in parsed)) answer.trajectory = parsed;
    else faults.push(steps.status === 'found' ? notA('trajectory', trajectoryPath, parsed.fault) : parsed.fault);
  }
  if (contextsPath !== undefined) {
    const list = contextsPath.read(reply);
    const passages = list.status === 'found' ? passagesFrom(list.value) : undefined;
    if (passages !== undefined) answer.contexts = passages;
    else faults.push(list.status === 'found' ? notA('list of passages', contextsPath) : list.message);
  }
  const text = response.read(reply);
  // With steps of its own in it, the whole reply is no answer: it would contain whatever is looked for.
  const ownAnswer =
    response.isRoot && answer.trajectory !== undefined ? (finalAnswerOf(answer.trajectory) ?? '') : null;
  if (ownAnswer !== null) answer.text = ownAnswer;
  else if (text.status === 'found') answer.text = jsonToText(text.value);
  else faults.unshift(text.message);

  const crash = answer.trajectory?.error;
  if (crash !== undefined && crash !== null)
    return { ok: false, cause: 'crashed', message: crashMessage(crash), answer };
  const [fault] = faults;
  if (fault !== undefined || answer.text === undefined) {
    return { ok: false, cause: 'path-not-found', message: fault ?? 'no answer', answer };
  }
  return { ok: true, answer: { ...answer, text: answer.text } };
}

/** What a row whose agent crashed says. */
export function crashMessage(error: string): string {
  return error.trim() === '' ? 'the agent crashed (its error is empty)' : `the agent crashed: ${error}`;
}

function usageAt(path: ResponsePath, reply: JsonValue): Usage | null {
  const value = path.read(reply);
  return value.status === 'found' ? usageFrom(value.value) : null;
}

function costOf(
  reply: JsonValue,
  usage: Usage | null,
  from: {
    readonly usage: ResponsePath | undefined;
    readonly cost: ResponsePath | undefined;
    readonly fallbackModel: string;
    readonly priceUsage?: PriceUsage | undefined;
  },
): Cost {
  if (from.usage === undefined && from.cost === undefined) return { status: 'not_metered' };
  const reported = from.cost?.read(reply);
  const usd = reported?.status === 'found' ? dollarsFrom(reported.value) : null;
  if (usd !== null) return { status: 'metered', usd };
  const model = MODEL.read(reply);
  const name = model.status === 'found' && typeof model.value === 'string' ? model.value : from.fallbackModel;
  if (usage !== null && from.priceUsage !== undefined) return from.priceUsage(name, usage);
  return { status: 'unknown', model: name };
}

/** OpenAI and Anthropic name the model that answered beside the usage. */
const MODEL = compilePath('model', { where: 'model' });

function notA(what: string, path: ResponsePath, detail?: string): string {
  return `path "${path.text}" leads to something that is no ${what}${detail === undefined ? '' : `: ${detail}`}`;
}
