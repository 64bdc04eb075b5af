import type { JsonObject, JsonValue } from '../core/json.ts';
import type { JudgePrompt } from '../core/judging/prompt.ts';
import type { JudgeQuestion } from '../core/judging/question.ts';
import type { Cost, Usage } from '../core/schemas/answer.ts';
import type { JudgeErrorCause } from '../core/schemas/result.ts';
import type { Row } from '../core/schemas/row.ts';

export interface JudgeRequest {
  /** What is asked, as data: all that a judge without a model needs. */
  readonly question: JudgeQuestion;
  /** The same as text for a model: system and user text, verdict schema, fences and nonce in place. */
  readonly prompt: JudgePrompt;
  /** The row under judgement (recorded judges keep their replies there). */
  readonly row: Row;
  readonly targetId: string;
  readonly trial: number;
  /** Number of this call among the row's calls, from 0; a repair is a call of its own. */
  readonly call: number;
  readonly signal: AbortSignal;
}

/** A block of a reply, as Converse gives it. */
export type JudgeContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool_use'; readonly name: string; readonly input: JsonValue }
  | { readonly kind: 'reasoning' };

interface Spent {
  readonly usage: Usage | null;
  readonly cost: Cost;
  readonly attempts: number;
  /** Of the attempts, how many were throttled. @default 0 */
  readonly throttled?: number;
}

export type JudgeReply =
  | (Spent & {
      readonly status: 'replied';
      /** Converse's words: end_turn, stop_sequence, tool_use, max_tokens, … */
      readonly stopReason: string;
      readonly content: readonly JudgeContent[];
      /** Text was produced under the verdict's schema, so it is the verdict and nothing else. */
      readonly schemaText: boolean;
    })
  /** A recorded judgement by metric, `{score | label, reason}` each: no reply was read. */
  | (Spent & { readonly status: 'recorded'; readonly verdicts: JsonObject })
  | (Spent & { readonly status: 'failed'; readonly cause: JudgeErrorCause; readonly message: string });

/** Grades answers. What a model cannot do is a reply; `fatal` configuration faults throw ConfigError. */
export interface Judge {
  /** Short name for reports: the model id, or `lexical`, `recorded`. */
  readonly id: string;
  readonly type: 'bedrock' | 'openai' | 'lexical' | 'recorded';
  readonly model: string | null;
  /** False: no language model; every output says so. */
  readonly isModel: boolean;
  /** How a verdict is got out of it: a forced tool call, text under a schema, or free text. */
  readonly channel: 'tool' | 'schema' | 'text';
  check(): Promise<void>;
  ask(request: JudgeRequest): Promise<JudgeReply>;
  close(): Promise<void>;
}
