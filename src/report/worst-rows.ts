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
export class WorstRows<T> {
  readonly #limit: number;
  #kept: { readonly rank: Rankable; readonly row: T }[] = [];
  /** The least bad of a full house: who is no worse has no chance. */
  #bound: Rankable | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** `make` is called only for a row that may be kept, so that the many others cost nothing. */
  offer({ status, passed, score, index }: Rankable, make: () => T): void {
    const rank = { status, passed, score, index };
    if (this.#bound !== undefined && compareWorst(rank, this.#bound) >= 0) return;
    this.#kept.push({ rank, row: make() });
    if (this.#kept.length >= this.#limit * 2) {
      this.#shrink();
      this.#bound = this.#kept.at(-1)?.rank;
    }
  }

  /** Worst first. Rows that rank the same keep the order they came in. */
  worst(): T[] {
    this.#shrink();
    return this.#kept.map(({ row }) => row);
  }

  #shrink(): void {
    this.#kept = this.#kept.sort((a, b) => compareWorst(a.rank, b.rank)).slice(0, this.#limit);
  }
}

function rank(row: Rankable): number {
  if (row.status === 'scored') return row.passed ? 4 : 0;
  return { target_error: 1, judge_error: 2, skipped: 3 }[row.status];
}
