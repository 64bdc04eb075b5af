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

/** `toString(16)` of numbers beyond 30 bits is slow, and a million rows take it twice. */
const HEX_OF_BYTE = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function contentOf(fold: ResultFold, index: number): string {
  return hexOf(fold.hashes[index * 2] ?? 0) + hexOf(fold.hashes[index * 2 + 1] ?? 0);
}

function hexOf(word: number): string {
  const byte = (shift: number) => HEX_OF_BYTE[(word >>> shift) & 0xff] ?? '';
  return byte(24) + byte(16) + byte(8) + byte(0);
}
