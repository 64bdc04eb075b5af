import { jsonToText } from '../core/json.ts';
import type { RowResult } from '../core/schemas/result.ts';

const SCALARS = [
  'row_id',
  'index',
  'target',
  'target_model',
  'trial',
  'phase',
  'status',
  'cause',
  'passed',
  'score',
  'latency_ms',
  'attempts',
  'cost_target_usd',
  'cost_judge_usd',
  'tokens_in',
  'tokens_out',
  'cluster',
  'difficulty',
] as const;

type Cell = string | number | boolean | null;

/**
 * Results as CSV (RFC 4180: CRLF, quotes doubled), one line a result, one column a scalar and two a metric: its value
 * and the judge's reason. `metrics` names the metrics. Cells that a spreadsheet would run as a formula begin with an
 * apostrophe, since answers of a model are nobody's to trust; whoever needs the bytes as they were takes JSON.
 */
export async function* exportCsv(
  results: AsyncIterable<RowResult>,
  metrics: readonly string[],
): AsyncGenerator<string> {
  const header = [
    ...SCALARS,
    ...['tags', 'input', 'expected', 'output', 'contexts', 'failed_checks', 'error', 'metadata'],
    ...metrics.flatMap((metric) => [`score.${metric}`, `reason.${metric}`]),
  ];
  yield csvLine(header);
  for await (const result of results) yield csvLine(cellsOf(result, metrics));
}

function cellsOf(result: RowResult, metrics: readonly string[]): Cell[] {
  const { tags, input, expected, output, contexts, failed_checks, error, metadata, scores } = result;
  return [
    ...SCALARS.map((name) => result[name]),
    tags.join(', '),
    jsonToText(input),
    expected === null ? null : jsonToText(expected),
    output,
    contexts === null ? null : JSON.stringify(contexts),
    failed_checks.join(', '),
    error,
    Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata),
    ...metrics.flatMap((metric) => {
      const score = Object.hasOwn(scores, metric) ? scores[metric] : undefined;
      return [score?.value ?? null, score?.reason ?? null];
    }),
  ];
}

const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = startsFormula(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What Excel, LibreOffice and Google Sheets take for a formula, full-width signs too, and what they skip before one. */
function startsFormula(text: string): boolean {
  return /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) || /^\s+[=+\-@]/.test(text);
}
