import { StorageError } from '../errors.ts';
import { canonicalJson } from '../json.ts';
import { type Outcome, OutcomeSchema } from '../schemas/result.ts';
import type { RunConfig } from '../schemas/run.ts';
import type { BaselineComparison } from '../schemas/summary.ts';
import type { Interval } from '../statistics/interval.ts';
import { clusteredInterval, type MeanEstimate, meanInterval } from '../statistics/mean-interval.ts';
import { mcnemar, newcombePaired } from '../statistics/paired.ts';
import type { Flips } from './confirm-flips.ts';
import type { ResultFold } from './fold.ts';
import { contentOf } from './outcomes.ts';
import type { ReducedColumn } from './reduced-column.ts';
import { clusterId } from './row-statistics.ts';
import type { ReducedRows } from './rows.ts';

/**
 * Takes the outcomes of an earlier run, one at a time, and compares this run's rows with them by id and content
 * (SCORING §7 Baseline).
 */
export class BaselineFold {
  private readonly fold: ResultFold;
  private readonly rows: ReducedColumn;
  private readonly failedFirst: Uint8Array;
  private readonly indexOf = new Map<string, number>();
  /** 1 where the baseline has the row. */
  private readonly met: Uint8Array;
  private readonly lists = {
    removed: [] as string[],
    removed_passed: [] as string[],
    changed: [] as string[],
    regressed: [] as string[],
    fixed: [] as string[],
    still_failing: [] as string[],
    unknown: [] as string[],
  };
  private readonly removedIds = new Set<string>();
  private same = 0;
  private bothPass = 0;
  /** Rows that both runs judged: their positions, and now − then. */
  private readonly pairs = { rows: [] as number[], score: [] as number[], passed: [] as number[] };
  private readonly former = { counted: 0, passed: 0, sum: 0 };
  private readonly flipped: number[] = [];
  private lines = 0;

  constructor(fold: ResultFold, { rows, failedFirst }: Pick<ReducedRows, 'rows' | 'failedFirst'>) {
    this.fold = fold;
    this.rows = rows;
    this.failedFirst = failedFirst;
    this.met = new Uint8Array(rows.length);
    for (const [index, rowId] of fold.rowIds.entries()) if (rowId !== undefined) this.indexOf.set(rowId, index);
  }

  /** A line of the baseline's `outcomes.jsonl`. Throws StorageError where it cannot be read. */
  add(line: string): void {
    this.lines += 1;
    const then = parseOutcome(line, this.lines);
    const index = this.indexOf.get(then.row_id);
    if (index === undefined ? this.removedIds.has(then.row_id) : this.met[index] === 1) return;
    if (then.score !== null) {
      this.former.counted += 1;
      this.former.sum += then.score;
      if (then.passed) this.former.passed += 1;
    }
    if (index === undefined) this.addRemoved(then);
    else this.addMet(then, index);
  }

  /** `now` is this run over all its rows. Null: the baseline has no row that counts, so there is nothing to compare with. */
  finish(
    runId: string,
    now: { readonly passRate: number | null; readonly score: number | null },
    differences: readonly string[],
  ): BaselineComparison | null {
    const { lists, former } = this;
    const { regressed, fixed, still_failing } = lists;
    const table = {
      bothPass: this.bothPass,
      onlyCurrent: fixed.length,
      onlyBaseline: regressed.length,
      neither: still_failing.length,
    };
    const paired = newcombePaired(table);
    if (former.counted === 0) return null;
    const scores = this.estimate(this.pairs.score);
    const passRate = former.passed / former.counted;
    const score = former.sum / former.counted;
    const minus = (a: number | null, b: number) => (a === null ? null : a - b);
    return {
      run_id: runId,
      same: this.same,
      new: this.met.reduce((count, met) => count + (met === 0 ? 1 : 0), 0),
      ...lists,
      pass_rate: passRate,
      score,
      delta: minus(now.passRate, passRate),
      delta_same: paired?.delta ?? null,
      mean_delta: minus(now.score, score),
      ci95: paired === null ? null : this.passRateInterval(paired.ci95),
      p_value: paired === null ? null : mcnemar(regressed.length, fixed.length).midP,
      compared: this.pairs.rows.length,
      mean_delta_same: scores?.mean ?? null,
      mean_standard_error: scores?.standardError ?? null,
      mean_ci95: scores === null ? null : withinDifference(scores.ci95),
      differences: [...differences],
    };
  }

  /** Mean of differences between the same rows; rows of one cluster together. */
  private estimate(differences: readonly number[]): MeanEstimate | null {
    const { fold } = this;
    if (!fold.isClustered) return meanInterval(differences);
    return clusteredInterval(
      differences,
      this.pairs.rows.map((row) => clusterId(fold.clusterOf, row)),
    );
  }

  /** Clusters can make it wider, never narrower: without a single flip they would claim certainty. */
  private passRateInterval([lower, upper]: Interval): [number, number] | null {
    if (!this.fold.isClustered) return [lower, upper];
    const clustered = withinDifference(this.estimate(this.pairs.passed)?.ci95 ?? null);
    return clustered === null ? null : [Math.min(lower, clustered[0]), Math.max(upper, clustered[1])];
  }

  /** Rows that passed then and failed now, as they were before anything was tried again. In file order. */
  get flips(): Flips {
    const indexes = [...this.flipped].sort((a, b) => a - b);
    return { indexes, passedBefore: this.bothPass + this.lists.regressed.length };
  }

  private addRemoved(then: Outcome): void {
    this.removedIds.add(then.row_id);
    this.lists.removed.push(then.row_id);
    if (then.passed) this.lists.removed_passed.push(then.row_id);
  }

  private addMet(then: Outcome, index: number): void {
    this.met[index] = 1;
    const now = this.rows.at(index);
    if (then.content !== contentOf(this.fold, index)) {
      this.lists.changed.push(then.row_id);
      return;
    }
    this.same += 1;
    if (now.score === null) {
      if (then.passed) this.lists.unknown.push(then.row_id);
      return;
    }
    // What the baseline could not judge is no evidence in either direction.
    if (then.score === null) return;
    this.pairs.rows.push(index);
    this.pairs.score.push(now.score - then.score);
    this.pairs.passed.push(Number(now.passed) - Number(then.passed));
    if (then.passed && this.failedFirst[index] === 1) this.flipped.push(index);
    if (then.passed && now.passed) this.bothPass += 1;
    else if (then.passed) this.lists.regressed.push(then.row_id);
    else if (now.passed) this.lists.fixed.push(then.row_id);
    else this.lists.still_failing.push(then.row_id);
  }
}

function withinDifference(interval: Interval | null): [number, number] | null {
  return interval === null ? null : [Math.max(-1, interval[0]), Math.min(1, interval[1])];
}

type ComparedConfig = Pick<RunConfig, 'dataset' | 'target_hash' | 'judge_hash' | 'eval'>;

/** What differs between the set-ups of two runs, so that their scores may differ for that reason alone. */
export function setupDifferences(now: ComparedConfig, then: ComparedConfig): readonly string[] {
  const differ = (pick: (config: ComparedConfig) => unknown) => canonicalJson(pick(now)) !== canonicalJson(pick(then));
  const judgeDiffers = differ((config) => [config.judge_hash, config.eval.judges]);
  const rubricDiffers = differ((config) => config.eval.rubric ?? null);
  const judgesDiffer = differ((config) => config.eval.judges);
  const parts: [string, boolean][] = [
    ['dataset version', differ((config) => [config.dataset.id, config.dataset.version])],
    ['target configuration', differ((config) => config.target_hash)],
    // The judge hash holds the rubric: only what the rubric does not explain is blamed on the judge.
    ['judge', judgesDiffer || (judgeDiffers && !rubricDiffers)],
    ['rubric', rubricDiffers],
    ['scorers', differ((config) => [config.eval.type, [...config.eval.metrics].sort(), config.eval.scorers])],
    ['trials', differ((config) => [config.eval.trials, config.eval.trial_policy])],
  ];
  return parts.filter(([, differs]) => differs).map(([name]) => name);
}

function parseOutcome(line: string, lineNumber: number): Outcome {
  try {
    return OutcomeSchema.parse(JSON.parse(line));
  } catch (error) {
    const place = `outcomes of the baseline, line ${lineNumber}`;
    throw new StorageError(`${place}: cannot be read; choose another baseline or run it again`, { cause: error });
  }
}
