import type { RowResult } from '../../core/schemas/result.ts';
import { ownCut } from '../visible-text.ts';

const MOST_CHECKS = 200;

/** Which checks rows fail by, and how often. */
export class FailedChecks {
  readonly #counts = new Map<string, number>();

  add({ failed_checks: checks, phase, status }: RowResult): void {
    if (phase !== 'main' || status !== 'scored') return;
    for (const name of new Set(checks.map((check) => ownCut(check, 200)))) {
      if (this.#counts.has(name) || this.#counts.size < MOST_CHECKS)
        this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    }
  }

  /** The most frequent first. */
  list(): readonly (readonly [check: string, results: number])[] {
    return [...this.#counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  }
}
