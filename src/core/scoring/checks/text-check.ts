import type * as z from 'zod';
import type { TextMatch } from './fold.ts';

/** How the eval compares text, for all its checks. */
export interface TextRules {
  readonly textMatch: TextMatch;
  readonly wordBoundary: boolean;
}

export interface CheckResult {
  readonly passed: boolean;
  /** One sentence for people. */
  readonly reason: string;
}

/** One way to compare an answer with what was expected. Pure, stateless between rows. */
export interface TextCheck<Options extends object = object> {
  readonly name: string;
  /** The check's own options, strict; `extract` belongs to every check and is not among them. */
  readonly options: z.ZodType<Options>;
  /** What makes this expected text unusable (a row fault), or null. @default anything goes */
  faultOfExpected?(expected: string, options: Options): { readonly message: string; readonly fix: string } | null;
  /** The expected text is a pattern, so `extract` applies to the answer alone. @default false */
  readonly expectedIsPattern?: boolean;
  /** `expected` has passed `faultOfExpected` and is not blank. */
  compare(answer: string, expected: string, options: Options, rules: TextRules): CheckResult;
}
