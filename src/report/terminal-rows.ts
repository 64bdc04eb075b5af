import { jsonToText } from '../core/json.ts';
import type { RowResult } from '../core/schemas/result.ts';
import type { RunSummary } from '../core/schemas/summary.ts';
import { countOf, formatCount, formatMs, formatScore } from './format.ts';
import { fitLine, type Paint, textWidth, wrapText } from './terminal-text.ts';

const MOST_ROWS = 10;
const MOST_REASONS = 4;

/** The first ten of `count` failed rows, a few lines each: what was asked, what came back, what did not hold and why. */
export function failedRowLines(
  rows: readonly RowResult[],
  summary: RunSummary,
  { paint, width }: { paint: Paint; width: number },
  count = rows.length,
): string[] {
  if (rows.length === 0) return [];
  const severalTargets = summary.targets.length > 1;
  const lines = [paint('bold', `${countOf(count, 'result')} did not pass`)];
  for (const row of rows.slice(0, MOST_ROWS)) lines.push(...rowLines(row, severalTargets, paint, width));
  const left = count - Math.min(rows.length, MOST_ROWS);
  if (left > 0) lines.push(paint('dim', `  … and ${formatCount(left)} more in the report`));
  return lines;
}

function rowLines(row: RowResult, severalTargets: boolean, paint: Paint, width: number): string[] {
  const notes = [
    row.status === 'scored' ? undefined : row.status.replace('_', ' '),
    row.score === null || row.status !== 'scored' ? undefined : `score ${formatScore(row.score)}`,
    severalTargets ? row.target : undefined,
    row.trial > 0 ? `trial ${row.trial + 1}` : undefined,
    row.latency_ms === null ? undefined : formatMs(row.latency_ms),
  ].filter((note) => note !== undefined);
  const id = fitLine(row.row_id, Math.max(12, width - 42));
  const mark = row.status === 'scored' ? paint('red', '✗') : paint('yellow', '!');
  const inner = width - 13;
  const lines = [
    `  ${mark} ${paint('bold', id)}  ${paint('dim', fitLine(notes.join(' · '), width - textWidth(id) - 6))}`,
  ];
  const add = (label: string, text: string) =>
    lines.push(`    ${paint('dim', label.padEnd(9))}${fitLine(text, inner)}`);
  add('input', jsonToText(row.input));
  if (row.output !== null) add('answer', row.output === '' ? '(empty)' : row.output);
  if (row.error !== null) add('error', `${row.cause ?? 'unknown'}: ${row.error}`);
  else if (row.cause !== null) add('cause', row.cause);
  if (row.failed_checks.length > 0) add('failed', row.failed_checks.join(', '));
  for (const [name, reason] of weakestReasons(row)) {
    const [first = '', ...rest] = wrapText(`${name}: ${reason}`.slice(0, inner * 4), inner).slice(0, 2);
    lines.push(...[first, ...rest].map((line, at) => `    ${paint('dim', (at === 0 ? 'why' : '').padEnd(9))}${line}`));
  }
  return lines;
}

/** Reasons of what cost the row points, lowest value first. */
function weakestReasons(row: RowResult): [string, string][] {
  return Object.entries(row.scores)
    .filter(
      ([name, score]) =>
        name !== 'composite_score' && score.reason !== '' && (score.status === 'unscored' || score.value < 1),
    )
    .sort(([, a], [, b]) => (a.value ?? 0) - (b.value ?? 0))
    .slice(0, MOST_REASONS)
    .map(([name, score]) => {
      const value = score.status === 'scored' ? formatScore(score.value) : `unscored, ${score.cause}`;
      return [`${name} ${value}`, score.reason];
    });
}
