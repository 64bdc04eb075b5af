import type { Outcome } from '../schemas/result.ts';
import type { ResultFold } from './fold.ts';
import type { ReducedColumn } from './reduced-column.ts';

/** Rows as a later run compares with them, in file order. Rows that no result and no row file names are left out. */
export function* outcomesOf(fold: ResultFold, rows: ReducedColumn): Generator<Outcome> {
  for (let index = 0; index < rows.length; index += 1) {
    const rowId = fold.rowIds[index];
    if (rowId === undefined) continue;
    const { status, passed, score } = rows.at(index);
    yield { row_id: rowId, content: contentOf(fold, index), status, passed, score };
  }
}

/** Lines of `outcomes.jsonl`. */
export function* outcomeLines(fold: ResultFold, rows: ReducedColumn): Generator<string> {
  for (const outcome of outcomesOf(fold, rows)) yield `${JSON.stringify(outcome)}\n`;
}

export function contentOf(fold: ResultFold, index: number): string {
  const hex = (part: number) => (fold.hashes[index * 2 + part] ?? 0).toString(16).padStart(8, '0');
  return hex(0) + hex(1);
}
