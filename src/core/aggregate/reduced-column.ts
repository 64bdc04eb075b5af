import { RESULT_STATUSES, type ResultStatus } from '../schemas/result.ts';
import type { Reduced } from './reduce.ts';

/** One reduced result a row, in ten bytes: a million objects would take six times that. */
export class ReducedColumn {
  private readonly statuses: Uint8Array;
  private readonly passes: Uint8Array;
  private readonly scores: Float64Array;

  constructor(rows: number) {
    this.statuses = new Uint8Array(rows);
    this.passes = new Uint8Array(rows);
    this.scores = new Float64Array(rows);
  }

  get length(): number {
    return this.statuses.length;
  }

  set(row: number, { status, passed, score }: Reduced): void {
    this.statuses[row] = RESULT_STATUSES.indexOf(status);
    this.passes[row] = passed ? 1 : 0;
    this.scores[row] = score ?? Number.NaN;
  }

  at(row: number): Reduced {
    return {
      status: this.statusAt(row),
      passed: this.passedAt(row),
      score: this.counts(row) ? this.scoreAt(row) : null,
    };
  }

  statusAt(row: number): ResultStatus {
    return RESULT_STATUSES[this.statuses[row] ?? -1] ?? 'skipped';
  }

  passedAt(row: number): boolean {
    return this.passes[row] === 1;
  }

  /** Whether the row enters score and pass rate: it was scored, or got no answer. */
  counts(row: number): boolean {
    return !Number.isNaN(this.scores[row] ?? Number.NaN);
  }

  /** NaN where the row does not count. */
  scoreAt(row: number): number {
    return this.scores[row] ?? Number.NaN;
  }

  countStatus(status: ResultStatus): number {
    const code = RESULT_STATUSES.indexOf(status);
    return this.statuses.reduce((sum, given) => sum + (given === code ? 1 : 0), 0);
  }
}
