import type { RowResult } from '../../core/schemas/result.ts';

export interface GroupCount {
  readonly name: string;
  readonly results: number;
  readonly passed: number;
}

const MOST_GROUPS = 5_000;

/** Passed and failed results by a word that rows carry (cluster, difficulty). Results without a verdict count nowhere. */
export class GroupCounts {
  readonly #of: (result: RowResult) => string | null;
  readonly #groups = new Map<string, { results: number; passed: number }>();

  constructor(of: (result: RowResult) => string | null) {
    this.#of = of;
  }

  add(result: RowResult): void {
    if (result.phase !== 'main' || (result.status !== 'scored' && result.status !== 'target_error')) return;
    const name = this.#of(result);
    if (name === null) return;
    const known = this.#groups.get(name);
    if (known === undefined && this.#groups.size >= MOST_GROUPS) return;
    const group = known ?? { results: 0, passed: 0 };
    group.results += 1;
    if (result.passed) group.passed += 1;
    this.#groups.set(name, group);
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Worst first. */
  groups(): readonly GroupCount[] {
    const share = ({ passed, results }: GroupCount) => passed / results;
    return [...this.#groups]
      .map(([name, counts]) => ({ name, ...counts }))
      .sort((a, b) => share(a) - share(b) || b.results - a.results || (a.name < b.name ? -1 : 1));
  }
}
