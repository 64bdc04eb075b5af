import type { RowResult } from '../core/schemas/result.ts';
import type { RunSummary } from '../core/schemas/summary.ts';

/** A run as one JSON document: its summary (null while it has not finished) and its results, whole. */
export async function* exportJson(
  summary: RunSummary | null,
  results: AsyncIterable<RowResult>,
): AsyncGenerator<string> {
  yield `{"summary": ${JSON.stringify(summary)},\n"results": [`;
  let separator = '\n';
  for await (const result of results) {
    yield `${separator}${JSON.stringify(result)}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}
