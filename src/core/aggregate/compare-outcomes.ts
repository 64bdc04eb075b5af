import { type Outcome, OutcomeSchema } from '../schemas/result.ts';
import { meanInterval } from '../statistics/mean-interval.ts';
import { mcnemar, newcombePaired } from '../statistics/paired.ts';

/** A row whose verdict or score is another one in the second run. */
export interface RowChange {
  readonly row_id: string;
  readonly from: number | null;
  readonly to: number | null;
}

/** Two runs row by row; changes are second − first. Lists are in the order of the second run. */
export interface OutcomeComparison {
  /** Rows that both have with the same input and expected answer. */
  readonly same: number;
  /** Of these, rows that both judged: all figures rest on them. */
  readonly compared: number;
  readonly both_pass: number;
  readonly both_fail: number;
  readonly regressed: readonly RowChange[];
  readonly fixed: readonly RowChange[];
  /** Judged in one run only. */
  readonly unknown: readonly string[];
  /** Other input or expected answer under the same id. */
  readonly changed: readonly string[];
  readonly only_first: readonly string[];
  readonly only_second: readonly string[];
  readonly pass_rate: { readonly delta: number; readonly ci95: readonly [number, number] } | null;
  readonly score: { readonly delta: number; readonly ci95: readonly [number, number] | null } | null;
  /** McNemar, mid-p, one-sided: how likely so many regressions were if the second run were no worse. */
  readonly p_value: number | null;
}

/** Collects the outcomes of the first run, then meets those of the second. */
export class OutcomeFold {
  private readonly first = new Map<string, Outcome>();
  private readonly met = new Set<string>();
  private readonly lists = {
    regressed: [] as RowChange[],
    fixed: [] as RowChange[],
    unknown: [] as string[],
    changed: [] as string[],
    only_second: [] as string[],
  };
  private readonly differences: number[] = [];
  private same = 0;
  private bothPass = 0;
  private bothFail = 0;

  /** A line of the first run's `outcomes.jsonl`. */
  addFirst(line: string): void {
    const outcome = OutcomeSchema.parse(JSON.parse(line));
    if (!this.first.has(outcome.row_id)) this.first.set(outcome.row_id, outcome);
  }

  /** A line of the second run's, once all of the first are in. */
  addSecond(line: string): void {
    const now = OutcomeSchema.parse(JSON.parse(line));
    const { row_id } = now;
    if (this.met.has(row_id)) return;
    this.met.add(row_id);
    const then = this.first.get(row_id);
    if (then === undefined) this.lists.only_second.push(row_id);
    else if (then.content !== now.content) this.lists.changed.push(row_id);
    else this.compare(then, now);
  }

  finish(): OutcomeComparison {
    const { regressed, fixed } = this.lists;
    const table = {
      bothPass: this.bothPass,
      onlyCurrent: fixed.length,
      onlyBaseline: regressed.length,
      neither: this.bothFail,
    };
    const rate = newcombePaired(table);
    const score = meanInterval(this.differences);
    return {
      same: this.same,
      compared: this.differences.length,
      both_pass: this.bothPass,
      both_fail: this.bothFail,
      ...this.lists,
      only_first: [...this.first.keys()].filter((rowId) => !this.met.has(rowId)),
      pass_rate: rate,
      score: score === null ? null : { delta: score.mean, ci95: score.ci95 },
      p_value: rate === null ? null : mcnemar(regressed.length, fixed.length).midP,
    };
  }

  private compare(then: Outcome, now: Outcome): void {
    this.same += 1;
    // What neither run could judge is as it was; what only one could is no evidence in either direction.
    if (then.score === null || now.score === null) {
      if (then.score !== now.score) this.lists.unknown.push(now.row_id);
      return;
    }
    this.differences.push(now.score - then.score);
    const change = { row_id: now.row_id, from: then.score, to: now.score };
    if (then.passed && now.passed) this.bothPass += 1;
    else if (then.passed) this.lists.regressed.push(change);
    else if (now.passed) this.lists.fixed.push(change);
    else this.bothFail += 1;
  }
}
