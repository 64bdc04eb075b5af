import type { EvalConfig } from '../core/schemas/eval.ts';
import type { ExpressionEvaluator } from './expressions.ts';
import type { Judge } from './judge.ts';
import type { Pacing } from './pacing.ts';
import type { Target } from './target.ts';

/** What an eval talks to. */
export interface RunEnvironment {
  readonly targets: readonly Target[];
  readonly judges: readonly Judge[];
  /** Present where the eval has `javascript` scorers. */
  readonly expressions?: ExpressionEvaluator | undefined;
  /** Absent: nothing that is asked can throttle. */
  readonly pacing?: Pacing;
  /** Takes the eval's secrets out of a text. */
  redact(text: string): string;
  /** Names the secret of the eval whose value stands in a text; null when none does. */
  findSecret?(text: string): string | null;
  /** What is odd about secrets and settings, as people read it. */
  readonly warnings?: readonly string[];
  close(): Promise<void>;
}

export interface EnvironmentUse {
  /** Rows in flight. */
  readonly concurrency: number;
  /** Somebody of this run was throttled before: the pace that all keep is asked for at once. @default false */
  readonly isThrottled?: boolean;
  /** Told once, when the first request made here is throttled. */
  onFirstThrottle?(): void;
}

/** Builds targets and judges of a project's eval, its secrets read first. Throws ConfigError before anything is sent. */
export type OpenEnvironment = (project: string, config: EvalConfig, options: EnvironmentUse) => Promise<RunEnvironment>;
