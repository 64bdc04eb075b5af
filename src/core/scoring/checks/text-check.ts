import type * as z from 'zod';
import type { TextRules } from './fold.ts';

/** What a `javascript` expression came to, worked out before the row is scored. */
export type ExpressionResult =
  | { readonly status: 'ruled'; readonly passed: boolean; readonly reason: string; readonly rawScore?: number }
  | { readonly status: 'error'; readonly message: string };

/** What is known of an answer beside its text. Null: not known. */
export interface AnswerFacts {
  readonly latencyMs?: number | null;
  /** What the answer cost, in US dollars. */
  readonly costUsd?: number | null;
  /** Of this very scorer. */
  readonly expression?: ExpressionResult;
}

export interface CheckResult {
  readonly passed: boolean;
  /** One sentence for people. */
  readonly reason: string;
  /** Nothing could be compared: not passed, and the check's negation has not passed either. @default false */
  readonly isError?: boolean;
  /** Similarity 0..1, dollars or milliseconds, where the check measures one. */
  readonly rawScore?: number;
}

/** One way to compare an answer with what was expected. Pure, stateless between rows. */
export interface TextCheck<Options extends object = object> {
  readonly name: string;
  /** The check's own options, strict; `extract`, `value` and `from` belong to every check that compares text. */
  readonly options: z.ZodType<Options>;
  /** False: it looks at the answer alone, and takes none of `extract`, `value` and `from`. @default true */
  readonly needsExpected?: boolean;
  /** What makes this expected text unusable (a row fault), or null. @default anything goes */
  faultOfExpected?(expected: string, options: Options): { readonly message: string; readonly fix: string } | null;
  /** What makes these options unusable though their form is right, or null. @default nothing */
  faultOfOptions?(options: Options): { readonly message: string; readonly fix: string } | null;
  /** The expected text is a pattern or a list, so `extract` applies to the answer alone. @default false */
  readonly expectedAsWritten?: boolean;
  /** `expected` has passed `faultOfExpected` and is not blank; it is empty where the check needs none. */
  compare(answer: string, expected: string, options: Options, rules: TextRules, facts: AnswerFacts): CheckResult;
}
