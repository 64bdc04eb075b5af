import type { Fault } from '../errors.ts';
import type { JudgeQuestion, Verdict } from '../judging/question.ts';
import type { Answer } from '../schemas/answer.ts';
import type { EvalConfig } from '../schemas/eval.ts';
import type { JudgeErrorCause } from '../schemas/result.ts';
import type { Row } from '../schemas/row.ts';
import type { Score, Vote } from '../schemas/score.ts';
import type { ExpressionResult } from './checks/text-check.ts';

/** What came of one judge call. */
export type Judgement =
  | {
      readonly status: 'judged';
      readonly verdicts: ReadonlyMap<string, Verdict>;
      readonly repaired: boolean;
      readonly cached: boolean;
      readonly votes: ReadonlyMap<string, readonly Vote[]>;
    }
  | { readonly status: 'judge_error'; readonly cause: JudgeErrorCause; readonly message: string };

export interface AnsweredRow {
  readonly row: Row;
  readonly answer: Answer;
  /** Null when the target does not measure time (recorded answers). */
  readonly latencyMs: number | null;
  /** What the answer cost in US dollars; null or absent when that is not known. */
  readonly costUsd?: number | null;
  /** What the `javascript` scorers came to, by scorer name. */
  readonly expressions?: ReadonlyMap<string, ExpressionResult>;
}

export interface RowScores {
  /** In the order the report shows them. A judge's failure is an `unscored` score with a judge-… cause. */
  readonly scores: Readonly<Record<string, Score>>;
  /** Names of the checks and gates that did not hold, for people. */
  readonly failedChecks: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * How one eval type scores. Pure: the judge has already ruled when `score` is called.
 * `questions` and `score` see the same row and answer; `judgements` answer the questions in order.
 */
export interface EvalScoring {
  /** What is wrong with the configuration for this type (no judge, unknown check, bad regex, …). */
  checkConfig(config: EvalConfig): readonly Fault[];
  /** What a row lacks for this type, found when the dataset loads. Fields only; the caller adds file and line. */
  checkRow(row: Row, config: EvalConfig): readonly Fault[];
  questions(answered: AnsweredRow, config: EvalConfig): readonly JudgeQuestion[];
  score(answered: AnsweredRow, judgements: readonly Judgement[], config: EvalConfig): RowScores;
}
