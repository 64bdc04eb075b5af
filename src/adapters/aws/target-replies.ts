import type { JsonValue } from '../../core/json.ts';
import { createRedactor, type Redactor } from '../../core/redact.ts';
import type { Answer, Cost, Usage } from '../../core/schemas/answer.ts';
import type { TargetErrorCause } from '../../core/schemas/result.ts';
import type { PriceUsage } from '../../core/template/read-answer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TargetReply } from '../../ports/target.ts';
import type { Pacers } from '../pacing/pacers.ts';
import type { AwsClientOptions } from './service-client.ts';
import type { TargetCall } from './target-calls.ts';

/** What every target on AWS is built from. */
export interface AwsTargetDeps {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Values of all the secrets the configuration names; they never leave the target. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Prices reported tokens. Absent: their cost is unknown. */
  readonly priceUsage?: PriceUsage;
  /** Path of the target in the configuration, for faults. @default targets.<id> */
  readonly where?: string;
  /** AWS_REGION, AWS_DEFAULT_REGION and AWS_BEARER_TOKEN_BEDROCK are read. @default none */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Who else keeps the pace of a service that throttles. @default nobody */
  readonly pacers?: Pacers;
  /** For stand-ins, and the size of the connection pool. */
  readonly aws?: Omit<AwsClientOptions, 'region'>;
}

/** What is known about a reply beside its text. */
export interface ReplyFacts {
  readonly call: Pick<TargetCall<unknown>, 'latencyMs' | 'attempts' | 'throttled'>;
  /** @default null */
  readonly usage?: Usage | null;
  /** @default not metered */
  readonly cost?: Cost;
}

export const NOT_METERED: Cost = { status: 'not_metered' };
/** A row that could not be put into a request, or a run that stopped before. */
export const NOT_CALLED: ReplyFacts = { call: { latencyMs: null, attempts: 0, throttled: 0 } };

/** Makes replies in which no secret's value is left. */
export class TargetReplies {
  readonly redactor: Redactor;

  constructor(secrets: ReadonlyMap<string, string>) {
    this.redactor = createRedactor(secrets.values());
  }

  answered(answer: Answer, facts: ReplyFacts): TargetReply {
    return { status: 'answered', answer: this.redactor.json(answer as JsonValue) as Answer, ...base(facts) };
  }

  failed(cause: TargetErrorCause, message: string, facts: ReplyFacts, answer?: Partial<Answer>): TargetReply {
    const failed = { status: 'failed', cause, message: this.redactor.text(message), ...base(facts) } as const;
    if (answer === undefined || Object.keys(answer).length === 0) return failed;
    return { ...failed, answer: this.redactor.json(answer as JsonValue) as Partial<Answer> };
  }
}

function base({ call, usage = null, cost = NOT_METERED }: ReplyFacts) {
  const { latencyMs, attempts, throttled } = call;
  return { latencyMs, attempts, ...(throttled === 0 ? {} : { throttled }), usage, cost };
}

/** Region and sockets of a target's client; `own` is what its configuration says. */
export function clientOptionsOf({ env = {}, aws }: AwsTargetDeps, own: string | undefined): AwsClientOptions {
  const region = own ?? (env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined);
  return { ...aws, ...(region === undefined ? {} : { region }) };
}

export function hasBedrockApiKey({ env = {} }: AwsTargetDeps): boolean {
  return (env.AWS_BEARER_TOKEN_BEDROCK ?? '') !== '';
}
