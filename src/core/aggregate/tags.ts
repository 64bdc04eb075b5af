import type { RunSummary } from '../schemas/summary.ts';
import type { ResultFold } from './fold.ts';
import type { ReducedColumn } from './reduced-column.ts';

interface TagTotals {
  rows: number;
  passed: number;
  counted: number;
  sum: number;
}

/** Rows by tag, tags in alphabetical order. A row with two tags counts under both. */
export function summarizeTags(fold: ResultFold, rows: ReducedColumn): RunSummary['tags'] {
  const totals = new Map<string, TagTotals>();
  for (let row = 0; row < rows.length; row += 1) {
    for (const tag of fold.tagLists[fold.tagsOf[row] ?? 0] ?? []) {
      const total = totals.get(tag) ?? { rows: 0, passed: 0, counted: 0, sum: 0 };
      totals.set(tag, total);
      total.rows += 1;
      if (!rows.counts(row)) continue;
      total.counted += 1;
      total.sum += rows.scoreAt(row);
      if (rows.passedAt(row)) total.passed += 1;
    }
  }
  const sorted = [...totals].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([tag, { rows: count, passed, counted, sum }]) => [
      tag,
      { rows: count, passed, counted, score: counted === 0 ? null : sum / counted },
    ]),
  );
}
