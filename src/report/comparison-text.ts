import type { RunComparison } from '../use-cases/aggregate/compare-runs.ts';
import { countOf, formatDelta, formatPoints, formatScore, shownInterval } from './format.ts';
import { snippet, visibleLine } from './visible-text.ts';

const ROWS_SHOWN = 20;
const ID_WIDTH = 60;

/** Two runs for people: figures first, then the rows that flipped. */
export function describeComparison(comparison: RunComparison): string {
  const { first, second, differences, compared, regressed, fixed, pass_rate, score, p_value } = comparison;
  const lines = [
    headLine('first', first),
    headLine('second', second),
    ...differences.map((what) => `differs   ${what}`),
    `compared  ${countOf(compared, 'row')} that both judged`,
    ...(pass_rate === null
      ? []
      : [
          `passing   ${formatPoints(pass_rate.delta)}${range(pass_rate.ci95, formatPoints)}${p_value === null ? '' : `, p = ${round(p_value)}`}`,
        ]),
    ...(score === null ? [] : [`score     ${formatDelta(score.delta)}${range(score.ci95, formatDelta)}`]),
    ...rowLines('regressed', regressed),
    ...rowLines('fixed', fixed),
    ...idLines('judged in one run only', comparison.unknown),
    ...idLines('changed (other input or expected answer)', comparison.changed),
    ...idLines('only in the first', comparison.only_first),
    ...idLines('only in the second', comparison.only_second),
  ];
  return `${lines.join('\n')}\n`;
}

function headLine(what: string, run: RunComparison['first']): string {
  const score = run.score === null ? '' : `  score ${formatScore(run.score)}`;
  const from = [run.ref, run.sha?.slice(0, 8)].flatMap((part) => (part == null ? [] : [visibleLine(part)])).join(' ');
  return `${what.padEnd(8)}  ${run.run_id}  ${run.eval}  ${run.status}${score}${from === '' ? '' : `  ${from}`}`;
}

function rowLines(what: string, rows: RunComparison['regressed']): string[] {
  if (rows.length === 0) return [];
  const value = (score: number | null) => (score === null ? '–' : formatScore(score));
  return [
    `${what}: ${countOf(rows.length, 'row')}`,
    ...rows
      .slice(0, ROWS_SHOWN)
      .map((row) => `  ${snippet(row.row_id, ID_WIDTH)}  ${value(row.from)} → ${value(row.to)}`),
    ...(rows.length > ROWS_SHOWN ? [`  … ${rows.length - ROWS_SHOWN} more (--json has them)`] : []),
  ];
}

function idLines(what: string, ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const shown = ids.slice(0, 5).map((id) => snippet(id, 40));
  return [`${what}: ${countOf(ids.length, 'row')}: ${shown.join(', ')}${ids.length > 5 ? ', …' : ''}`];
}

const round = (value: number): string => String(Number(value.toPrecision(3)));
function range(ci95: readonly [number, number] | null, format: (delta: number) => string): string {
  const shown = shownInterval(ci95);
  return shown === null ? '' : ` (95 % interval ${format(shown[0])} to ${format(shown[1])})`;
}
