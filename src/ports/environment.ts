import type { EvalConfig } from '../core/schemas/eval.ts';
import type { ExpressionEvaluator } from './expressions.ts';
import type { Judge } from './judge.ts';
import type { Target } from './target.ts';

/** What an eval talks to. */
export interface RunEnvironment {
  readonly targets: readonly Target[];
  readonly judges: readonly Judge[];
  /** Present where the eval has `javascript` scorers. */
  readonly expressions?: ExpressionEvaluator | undefined;
  /** Takes the eval's secrets out of a text. */
  redact(text: string): string;
  /** Names the secret of the eval whose value stands in a text; null when none does. */
  findSecret?(text: string): string | null;
  /** What is odd about secrets and settings, as people read it. */
  readonly warnings?: readonly string[];
  close(): Promise<void>;
}

/** Builds targets and judges of a project's eval, its secrets read first. Throws ConfigError before anything is sent. */
export type OpenEnvironment = (
  project: string,
  config: EvalConfig,
  options: { readonly concurrency: number },
) => Promise<RunEnvironment>;
