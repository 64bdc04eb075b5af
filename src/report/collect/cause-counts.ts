import type { RowResult } from '../../core/schemas/result.ts';
import { ownCut, snippet } from '../visible-text.ts';

/** Results without a verdict that share a cause. */
export interface CauseCount {
  readonly status: Exclude<RowResult['status'], 'scored'>;
  readonly cause: string;
  readonly count: number;
  /** By target, for those that more than one target has. */
  readonly targets: ReadonlyMap<string, number>;
  /** What the first of them said, on one line. */
  readonly example: string | null;
}

const MOST_CAUSES = 30;
const MOST_TARGETS = 50;

/** Why results have no verdict, counted while they stream by. */
export class CauseCounts {
  readonly #counts = new Map<
    string,
    { -readonly [Key in keyof CauseCount]: CauseCount[Key] } & { targets: Map<string, number> }
  >();

  add(result: RowResult): void {
    if (result.status === 'scored' || result.phase !== 'main') return;
    const cause = result.cause ?? 'unknown cause';
    const key = `${result.status}\n${cause}`;
    let entry = this.#counts.get(key);
    if (entry === undefined) {
      // Causes are words from a short list; a strange file may hold anything.
      if (this.#counts.size >= MOST_CAUSES) return;
      entry = { status: result.status, cause, count: 0, targets: new Map(), example: null };
      this.#counts.set(key, entry);
    }
    entry.count += 1;
    entry.example ??= exampleOf(result);
    const { targets } = entry;
    if (targets.has(result.target) || targets.size < MOST_TARGETS)
      targets.set(result.target, (targets.get(result.target) ?? 0) + 1);
  }

  /** The most frequent first. */
  of(status: CauseCount['status']): readonly CauseCount[] {
    return [...this.#counts.values()]
      .filter((entry) => entry.status === status)
      .sort((a, b) => b.count - a.count || (a.cause < b.cause ? -1 : 1));
  }
}

function exampleOf({ error }: RowResult): string | null {
  if (error === null || error === '') return null;
  return snippet(ownCut(error, 1_000), 240);
}
