/** What decides how bad a result is; a row's embedded form has it too. */
export interface Rankable {
  readonly status: 'scored' | 'target_error' | 'judge_error' | 'skipped';
  readonly passed: boolean;
  readonly score: number | null;
  readonly index: number;
}

/**
 * Failed rows first (lowest score first), then target errors, judge errors, skipped, and last what passed.
 * Errors tend to be alike; failed rows are each worth reading, so they go before.
 */
export function compareWorst(a: Rankable, b: Rankable): number {
  return rank(a) - rank(b) || (a.score ?? 0) - (b.score ?? 0) || a.index - b.index;
}

/** Keeps the worst `limit` of what passes through; holds at most twice as many. */
export class WorstRows<T extends Rankable> {
  readonly #limit: number;
  #kept: T[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(row: T): void {
    this.#kept.push(row);
    if (this.#kept.length >= this.#limit * 2) this.#kept = this.worst();
  }

  /** Worst first. Rows that rank the same keep the order they came in. */
  worst(): T[] {
    return [...this.#kept].sort(compareWorst).slice(0, this.#limit);
  }
}

function rank(row: Rankable): number {
  if (row.status === 'scored') return row.passed ? 4 : 0;
  return { target_error: 1, judge_error: 2, skipped: 3 }[row.status];
}
