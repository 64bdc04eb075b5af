import type { Answer, Cost, Usage } from '../core/schemas/answer.ts';
import type { TargetErrorCause } from '../core/schemas/result.ts';
import type { Row } from '../core/schemas/row.ts';

export interface TargetRequest {
  readonly row: Row;
  /** From 0. */
  readonly trial: number;
  /** Aborted when the run stops: the reply is then worth nothing. */
  readonly signal: AbortSignal;
}

interface TargetReplyBase {
  /** Last attempt, request sent to full answer; the limit for a timeout; null when no request was sent or none ended. */
  readonly latencyMs: number | null;
  /** Requests sent, at least 0 (a blocked address sends none). */
  readonly attempts: number;
  /** Of these, how many the other side throttled. @default 0 */
  readonly throttled?: number;
  readonly usage: Usage | null;
  readonly cost: Cost;
}

export type TargetReply =
  | (TargetReplyBase & { readonly status: 'answered'; readonly answer: Answer })
  | (TargetReplyBase & {
      readonly status: 'failed';
      readonly cause: TargetErrorCause;
      /** For people; secrets redacted. */
      readonly message: string;
      /** Passages or steps that came before the failure, if any. */
      readonly answer?: Partial<Answer>;
    });

/**
 * A system under test. Row failures are replies, never exceptions; what it throws is NoTurnError (the run ended while the
 * request waited for its turn), a bug or broken infrastructure.
 */
export interface Target {
  readonly id: string;
  readonly type: string;
  /** Model id where there is one. */
  readonly model: string | null;
  /** Checks what can be checked before the first row (URL against the outbound rules). Throws ConfigError. */
  check(): Promise<void>;
  ask(request: TargetRequest): Promise<TargetReply>;
  close(): Promise<void>;
}
