import type { RowResult } from '../../core/schemas/result.ts';

/** Trials of one row at one target that disagree. */
export interface FlakyRow {
  readonly rowId: string;
  readonly target: string;
  readonly index: number;
  /** By trial; null where a trial has no verdict. */
  readonly trials: readonly (boolean | null)[];
  /** Of the rows that were tried again, the further trials. */
  readonly confirm: readonly (boolean | null)[];
}

/** Rows looked at; beyond it flaky rows are counted by the summary alone. */
const MOST_ROWS = 20_000;
const MOST_TRIALS = 100;

interface Tried {
  readonly index: number;
  readonly rowId: string;
  readonly target: string;
  readonly main: (boolean | null)[];
  readonly confirm: (boolean | null)[];
}

/** Which rows passed in some of their trials and failed in others. */
export class FlakyRows {
  readonly #rows = new Map<string, Tried>();

  add(result: RowResult): void {
    const key = `${result.target}\n${result.row_id}`;
    let row = this.#rows.get(key);
    if (row === undefined) {
      if (this.#rows.size >= MOST_ROWS) return;
      row = { index: result.index, rowId: result.row_id, target: result.target, main: [], confirm: [] };
      this.#rows.set(key, row);
    }
    if (result.trial >= MOST_TRIALS) return;
    const hasVerdict = result.status === 'scored' || result.status === 'target_error';
    row[result.phase === 'main' ? 'main' : 'confirm'][result.trial] = hasVerdict ? result.passed : null;
  }

  /** Those that are nearest to a coin first. */
  flaky(): readonly FlakyRow[] {
    return [...this.#rows.values()]
      .map(({ index, rowId, target, main, confirm }) => ({
        index,
        rowId,
        target,
        trials: Array.from(main, (passed) => passed ?? null),
        confirm: Array.from(confirm, (passed) => passed ?? null),
      }))
      .filter(({ trials, confirm }) => new Set([...trials, ...confirm].filter((passed) => passed !== null)).size > 1)
      .sort((a, b) => coin(a) - coin(b) || a.index - b.index || (a.target < b.target ? -1 : 1));
  }
}

/** 0 where as many trials pass as fail, 0.5 at most. */
function coin({ trials, confirm }: FlakyRow): number {
  const verdicts = [...trials, ...confirm].filter((passed) => passed !== null);
  return Math.abs(verdicts.filter(Boolean).length / verdicts.length - 0.5);
}
