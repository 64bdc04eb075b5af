import { lineBatches } from '../../core/jsonl.ts';
import { unpackResult } from '../../core/packed-result.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { RunSummary } from '../../core/schemas/summary.ts';
import type { ByteChunks } from '../../ports/run-store.ts';
import { ChangedAnswers, MOST_ANSWERS_PER_ROW } from '../../report/collect/changed-answers.ts';

const ROW_ID = '"row_id":';

/**
 * The answers that a former run gave to the rows in question. Reads on only until it has `perRow` of each; most lines are
 * passed over unparsed. Throws StorageError where the medium fails, SyntaxError where a line it needs is none.
 */
export async function readFormerAnswers(
  results: AsyncIterable<ByteChunks> | Iterable<ByteChunks>,
  rowIds: readonly string[],
  perRow: number,
): Promise<ChangedAnswers> {
  const answers = new ChangedAnswers(rowIds);
  const wanted = new Set(rowIds);
  let missing = wanted.size * Math.min(perRow, MOST_ANSWERS_PER_ROW);
  if (missing === 0) return answers;
  for await (const chunks of results) {
    for await (const lines of lineBatches(chunks)) {
      for (const line of lines) {
        if (!mayBeOf(line, wanted)) continue;
        if (answers.add(unpackResult(JSON.parse(line) as RowResult))) missing -= 1;
        if (missing === 0) return answers;
      }
    }
  }
  return answers;
}

/** Results that a run has of each of its rows. */
export function answersPerRow({ targets, repeats }: Pick<RunSummary, 'targets' | 'repeats'>): number {
  return Math.max(1, targets.length) * (repeats?.[0]?.trials ?? 1);
}

/** Our own lines have the id among their first members; any other line is read whole. */
function mayBeOf(line: string, rowIds: ReadonlySet<string>): boolean {
  const from = line.indexOf(ROW_ID) + ROW_ID.length;
  if (from < ROW_ID.length || line[from] !== '"') return true;
  const to = closingQuote(line, from);
  if (to < 0) return true;
  const id = line.slice(from, to + 1);
  return rowIds.has(id.includes('\\') ? (JSON.parse(id) as string) : id.slice(1, -1));
}

function closingQuote(line: string, from: number): number {
  for (let at = line.indexOf('"', from + 1); at > 0; at = line.indexOf('"', at + 1)) {
    let slashes = 0;
    while (line[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}
