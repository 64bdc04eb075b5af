import type { RowResult } from '../core/schemas/result.ts';
import type { RunSummary } from '../core/schemas/summary.ts';
import {
  baselineGroups,
  cacheWords,
  canaryWords,
  confirmedWords,
  costWords,
  countsWords,
  durationMs,
  flakeWords,
  furtherWarnings,
  judgeNames,
  judgeNotice,
  latencyWords,
  shownTrials,
  targetCostWords,
} from './describe.ts';
import {
  countOf,
  formatCount,
  formatMs,
  formatPercent,
  formatPoints,
  formatScore,
  percentAgainst,
  scoreAgainst,
} from './format.ts';
import { isBelow, type MarkSources, metricMark } from './metric-mark.ts';
import { statisticLines } from './statistics-words.ts';
import { failedRowLines } from './terminal-rows.ts';
import {
  createPaint,
  fitLine,
  type Paint,
  padEnd,
  padStart,
  type Style,
  textWidth,
  wrapText,
} from './terminal-text.ts';

export interface TerminalSummaryInput {
  readonly summary: RunSummary;
  /** Failed and errored results, worst first; the first ten are shown. */
  readonly failedRows: readonly RowResult[];
  /** How many there are in all. @default as many as are given */
  readonly failedCount?: number;
  /** Files to point at, by what they are: `{ report: '.assay/runs/r-1/report.html' }`. */
  readonly paths: Readonly<Record<string, string>>;
  /** Where the bars' threshold marks come from; without it the bars have none. */
  readonly marks?: MarkSources;
}

export interface TerminalOptions {
  readonly color: boolean;
  /** Columns of the terminal. Below 40 counts as 40. */
  readonly width: number;
}

/** A finished run for people at a terminal. Ends with the gate line. Nothing in the data can move the cursor or change colours. */
export function renderTerminalSummary(input: TerminalSummaryInput, options: TerminalOptions): string {
  const page: Page = { ...input, paint: createPaint(options.color), width: Math.min(Math.max(options.width, 40), 120) };
  const blocks = [
    header(page),
    metrics(page),
    targets(page),
    repeats(page),
    accounting(page),
    baseline(page),
    statistics(page),
    failedRowLines(page.failedRows, page.summary, page, page.failedCount),
    warnings(page),
    paths(page),
    gate(page),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

interface Page extends TerminalSummaryInput {
  readonly paint: Paint;
  readonly width: number;
}

function header({ summary, paint, width }: Page): string[] {
  const { dataset } = summary;
  const about = `${dataset.id}@${dataset.version.slice(0, 12)} · ${countOf(dataset.rows, 'row')} · judge ${judgeNames(summary)}`;
  const lines = [paint('bold', fitLine(summary.eval, width)), paint('dim', fitLine(about, width))];
  const notice = judgeNotice(summary);
  if (notice !== null) lines.push(...wrapText(notice, width).map((line) => paint('yellow', line)));
  return lines;
}

function metrics(page: Page): string[] {
  const { summary, marks } = page;
  const bars: Bar[] = Object.entries(summary.metrics).map(([name, metric]) => {
    const mark = marks === undefined ? null : metricMark(name, marks);
    const unscored = metric.unscored > 0 ? `, ${formatCount(metric.unscored)} unscored` : '';
    const note = `n ${formatCount(metric.n)}${unscored}`;
    const style: Style =
      metric.mean !== null && isBelow(metric.mean, mark) ? 'red' : mark?.kind === 'floor' ? 'green' : 'cyan';
    return { name, value: metric.mean, mark: mark?.value ?? null, held: mark?.kind ?? '', note, style };
  });
  const minimum = marks?.policy.min_score ?? limitOf(summary, 'min_score');
  const short = minimum !== null && summary.score !== null && summary.score < minimum - 1e-9;
  const style: Style = short ? 'red' : minimum === null ? 'cyan' : 'green';
  bars.push({ name: 'score', value: summary.score, mark: minimum, held: 'needs', note: 'mean over rows', style });
  const longest = Math.max(...bars.map((bar) => textWidth(fitLine(bar.name, 24))), 'pass rate'.length);
  const nameWidth = Math.min(longest, Math.floor(page.width / 3));
  const lines = bars.map((bar) => barLine(bar, nameWidth, page));
  lines.push(passRateLine(page, nameWidth));
  return lines;
}

interface Bar {
  readonly name: string;
  readonly value: number | null;
  readonly mark: number | null;
  /** What the mark is, in a word or two. */
  readonly held: string;
  readonly note: string;
  readonly style: Style;
}

function barLine({ name, value, mark, held, note, style }: Bar, nameWidth: number, { paint, width }: Page): string {
  const label = padEnd(fitLine(name, nameWidth), nameWidth);
  if (value === null) return `${label}  ${paint('dim', fitLine(`not scored (${note})`, width - nameWidth - 2))}`;
  const shown = mark === null ? { value: formatScore(value), limit: '' } : scoreAgainst(value, mark);
  const bar = paint(style, drawBar(value, mark, barWidth(nameWidth, width)));
  const tail = mark === null ? note : `${held} ${shown.limit} · ${note}`;
  const room = width - nameWidth - barWidth(nameWidth, width) - Math.max(6, shown.value.length) - 6;
  return `${label}  ${bar}  ${padStart(shown.value, 6)}  ${paint('dim', room >= 8 ? fitLine(tail, room) : '')}`.trimEnd();
}

function barWidth(nameWidth: number, width: number): number {
  return Math.max(8, Math.min(30, width - nameWidth - 34));
}

/** Filled up to the value, with a line where the mark is. A full bar is a full score, an empty one is none. */
function drawBar(value: number, mark: number | null, cells: number): string {
  const share = Math.min(1, Math.max(0, value)) * cells;
  const filled = value >= 1 ? cells : Math.min(cells - 1, value > 0 ? Math.max(1, Math.round(share)) : 0);
  const line = mark === null ? -1 : Math.min(cells - 1, Math.floor(mark * cells));
  return Array.from({ length: cells }, (_, cell) => (cell === line ? '┃' : cell < filled ? '█' : '░')).join('');
}

function passRateLine({ summary, marks, paint, width }: Page, nameWidth: number): string {
  const label = padEnd('pass rate', nameWidth);
  if (summary.pass_rate === null) return `${label}  ${paint('dim', 'no row counts')}`;
  const limit = marks?.policy.pass_rate ?? limitOf(summary, 'pass_rate');
  const value = limit === null ? formatPercent(summary.pass_rate) : percentAgainst(summary.pass_rate, limit).value;
  const interval = summary.pass_rate_ci95;
  const ci = interval === null ? '' : ` · 95% CI ${formatPercent(interval[0])} to ${formatPercent(interval[1])}`;
  return `${label}  ${fitLine(`${value}${ci}`, width - nameWidth - 2)}`;
}

function targets({ summary, paint, width }: Page): string[] {
  if (summary.targets.length < 2) return [];
  const lines = summary.targets.map((target) => {
    const score = target.score === null ? 'not scored' : `score ${formatScore(target.score)}`;
    const rate = target.pass_rate === null ? [] : [`${formatPercent(target.pass_rate)} passed`];
    const parts = [score, ...rate, latencyWords(target.latency) ?? 'not timed', `cost ${targetCostWords(target.cost)}`];
    return fitLine(`  ${target.id}  ${parts.join(' · ')}`, width - 2);
  });
  return [paint('bold', 'targets'), ...lines.map((line) => `  ${line}`)];
}

/** How far the trials of a row agree: any of k passing flatters, all of k passing is what users meet. */
function repeats({ summary, paint, width }: Page): string[] {
  const all = summary.repeats ?? [];
  if (all.length === 0) return [];
  const lines = all.flatMap((target) => {
    const name = all.length > 1 ? [fitLine(`${target.target}`, width - 2)] : [];
    const ks = shownTrials(target);
    const shares = (sign: string, values: readonly number[]) =>
      ks.map((k) => `pass${sign}${k} ${formatPercent(values[k - 1] ?? 0)}`).join(' · ');
    const rates = target.pass_hat.length === 0 ? [] : [shares('@', target.pass_at), shares('^', target.pass_hat)];
    return [...name, flakeWords(target), ...rates].map((line) => fitLine(line, width - 2));
  });
  return [paint('bold', `${formatCount(all[0]?.trials ?? 0)} trials a row`), ...lines.map((line) => `  ${line}`)];
}

function accounting({ summary, width }: Page): string[] {
  const took = durationMs(summary);
  const coverage = summary.coverage === null ? 'unknown' : formatPercent(summary.coverage);
  const lines = [
    `rows      ${countsWords(summary.counts)}`,
    `coverage  ${coverage} of ${countOf(summary.counts.results, 'result')}${took === null ? '' : ` · took ${formatMs(took)}`}`,
    `latency   ${latencyWords(summary.latency) ?? 'not timed'}`,
    `cost      ${costWords(summary.cost)}`,
  ];
  const planted = canaryWords(summary);
  if (planted !== null) lines.push(`canaries  ${planted}`);
  const kept = cacheWords(summary);
  if (kept !== null) lines.push(`cache     ${kept}`);
  const skipped = Object.entries(summary.skipped_by_cause).map(([cause, count]) => `${formatCount(count)} ${cause}`);
  if (skipped.length > 0) lines.push(`skipped   ${skipped.join(' · ')}`);
  return lines.flatMap((line) => {
    const [first = '', ...rest] = wrapText(line.slice(10), width - 10);
    return [`${line.slice(0, 10)}${first}`, ...rest.map((more) => `${' '.repeat(10)}${more}`)];
  });
}

function baseline({ summary, paint, width }: Page): string[] {
  const compared = summary.baseline;
  if (compared === null) return [];
  const delta = compared.delta === null ? '' : ` · pass rate ${formatPoints(compared.delta)}`;
  const lines = [
    fitLine(
      `baseline  ${compared.run_id}${delta} · ${countOf(compared.same, 'row')} the same · ${formatCount(compared.new)} new`,
      width,
    ),
  ];
  const { confirmation } = compared;
  if (confirmation !== undefined && confirmation.flipped > 0) {
    lines.push(`  ${fitLine(confirmedWords(confirmation), width - 2)}`);
  }
  for (const group of baselineGroups(compared)) {
    if (group.rowIds.length === 0) continue;
    const ids = group.rowIds.slice(0, 5).join(', ') + (group.rowIds.length > 5 ? ', …' : '');
    const line = fitLine(`${padEnd(`${formatCount(group.rowIds.length)} ${group.name}`, 18)} ${ids}`, width - 2);
    lines.push(`  ${group.name === 'regressed' ? paint('red', line) : line}`);
  }
  if (compared.differences.length > 0) {
    lines.push(`  ${paint('yellow', fitLine(`differs in ${compared.differences.join(', ')}`, width - 2))}`);
  }
  return lines;
}

/** How far the numbers reach, in words. */
function statistics({ summary, paint, width }: Page): string[] {
  const lines = statisticLines(summary);
  if (lines.length === 0) return [];
  const shown = lines.flatMap(({ name, figure, words }) =>
    wrapText(`${name} ${figure}: ${words}`, width - 4).map((line, at) => `${at === 0 ? '  ' : '    '}${line}`),
  );
  return [paint('bold', 'how sure'), ...shown];
}

function warnings({ summary, paint, width }: Page): string[] {
  const texts = furtherWarnings(summary);
  if (summary.quarantined) texts.push('this eval is quarantined: it is reported and never decides the gate');
  if (summary.stopped !== null) {
    const { after, of, why } = summary.stopped;
    texts.push(`stopped after ${formatCount(after)} of ${countOf(of, 'row')} (${why})`);
  }
  return texts.flatMap((text) =>
    wrapText(text, width - 9).map((line, at) => `${paint('yellow', at === 0 ? 'warning: ' : '         ')}${line}`),
  );
}

function paths({ paths, paint }: Page): string[] {
  const names = Object.keys(paths);
  const nameWidth = Math.max(0, ...names.map((name) => name.length));
  // Not cut to the width: a path is there to be copied.
  return names.map((name) => `${paint('dim', padEnd(name, nameWidth))}  ${wrapText(paths[name] ?? '', 4096).join('')}`);
}

function gate({ summary, paint, width }: Page): string[] {
  const word = { pass: 'PASS', fail: 'FAIL', error: 'ERROR' }[summary.gate];
  const style = ({ pass: 'green', fail: 'red', error: 'yellow' } as const)[summary.gate];
  const inconclusive = summary.decision.outcome === 'inconclusive' ? ' (inconclusive)' : '';
  const head = `gate: ${word}${inconclusive}  `;
  const reasons = summary.decision.reasons.map((reason) => reason.text);
  const texts = [...reasons, summary.message, 'no reason was recorded'].filter((text) => text.trim() !== '');
  const shown = texts.slice(0, Math.max(1, reasons.length));
  const lines = shown.flatMap((text) => wrapText(text, Math.max(20, width - head.length)));
  const told = lines.map((line, at) => (at === 0 ? paint(style, paint('bold', head)) : ' '.repeat(head.length)) + line);
  return summary.quarantined ? [...told, paint('yellow', 'quarantined: does not decide')] : told;
}

function limitOf(summary: RunSummary, rule: string): number | null {
  return summary.decision.reasons.find((reason) => reason.rule === rule)?.limit ?? null;
}
