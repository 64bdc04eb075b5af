import type { RowResult } from '../schemas/result.ts';
import type { QuotaBound } from './quota-bound.ts';

/** Rows that were really asked, to measure instead of to guess. */
export interface MeasuredSample {
  readonly results: readonly RowResult[];
  readonly durationsMs: readonly number[];
}

/** The last finished run of an eval. */
export interface LastRun {
  readonly passRate: number | null;
  /** Rows that its pass rate rests on. */
  readonly counted: number;
  readonly secondsAnAnswer: number | null;
}

/** What is known of an eval beside its configuration. */
export interface PlanEvidence {
  readonly sample: MeasuredSample | null;
  /** Null: there is none. */
  readonly lastRun: LastRun | null;
}

export interface RunPlan {
  readonly eval: string;
  readonly dataset_rows: number;
  readonly rows: number;
  readonly targets: number;
  readonly trials: number;
  /** (row, target, trial): each is one answer. */
  readonly answers: number;
  readonly calls: {
    readonly target: number;
    /** For rows; planted answers come on top. */
    readonly judge: number;
    readonly judge_at_most: number;
    readonly canaries: number;
  };
  readonly tokens: {
    readonly basis: 'estimated' | 'measured';
    /** Null: the targets report none. */
    readonly target: { readonly input: number; readonly output: number } | null;
    /** With planted answers, which are always estimated. */
    readonly judge: { readonly input: number; readonly output: number };
  };
  /** Null where a model has no price. `high_usd` estimated: every reply as long as allowed, every verdict asked for twice. */
  readonly cost: {
    readonly low_usd: number | null;
    readonly high_usd: number | null;
    readonly not_metered: readonly string[];
    readonly unknown: readonly string[];
  };
  readonly time: {
    /** The larger of what the concurrency and the quota allow. */
    readonly seconds: number;
    readonly seconds_an_answer: number;
    readonly basis: 'sample' | 'last run' | 'assumed';
  };
  /** From estimated tokens. Null: no quota was given, or no model judges. */
  readonly quota: (QuotaBound & { readonly is_the_bound: boolean }) | null;
  readonly power: {
    /** Smallest drop of the pass rate against a baseline on the same rows that 8 of 10 runs would show. */
    readonly smallest_visible: number | null;
    readonly rows_for_3_points: number;
    readonly pass_rate: number;
    readonly basis: 'sample' | 'last run' | 'assumed';
  };
  readonly warnings: readonly string[];
}
