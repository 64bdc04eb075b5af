import { jsonToText } from '../core/json.ts';
import type { RowResult } from '../core/schemas/result.ts';
import type { RunSummary } from '../core/schemas/summary.ts';
import {
  baselineGroups,
  cacheWords,
  canaryWords,
  confirmedWords,
  costWords,
  countsWords,
  flakeWords,
  furtherWarnings,
  judgeNames,
  judgeNotice,
  latencyWords,
  shownTrials,
  verdictWords,
} from './describe.ts';
import { countOf, formatCount, formatPercent, formatPoints, formatScore, shownInterval } from './format.ts';
import { statisticLines } from './statistics-words.ts';
import { snippet, visibleLine } from './visible-text.ts';

const MOST_ROWS = 10;

/**
 * A comment for a pull request: verdict, reasons, metrics, failed rows folded. Data stands in code spans, where nothing
 * is markup, link or mention. `failedCount`: how many did not pass, where `failedRows` are only the worst of them.
 */
export function renderMarkdownSummary(
  summary: RunSummary,
  failedRows: readonly RowResult[],
  failedCount = failedRows.length,
): string {
  const sign = { pass: '✅', fail: '❌', error: '⚠️' }[summary.gate];
  const blocks = [
    `## ${sign} ${prose(summary.eval)}: gate ${verdictWords(summary)}`,
    prose(summary.message),
    notices(summary),
    summary.decision.reasons.map((reason) => `- **${reason.outcome}** ${prose(reason.text)}`).join('\n'),
    metricTable(summary),
    repeats(summary),
    facts(summary),
    baseline(summary),
    statistics(summary),
    failed(failedRows, failedCount),
    `<sub>run ${codeSpan(summary.run_id)} · policy ${codeSpan(summary.decision.policy_hash.slice(0, 12))}</sub>`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function notices(summary: RunSummary): string {
  const texts = [judgeNotice(summary), ...furtherWarnings(summary)].filter((text) => text !== null);
  if (summary.quarantined) texts.push('This eval is quarantined: it is reported and never decides the gate.');
  return texts.map((text) => `> ${prose(text)}`).join('\n>\n');
}

function metricTable(summary: RunSummary): string {
  const rows = Object.entries(summary.metrics).map(([name, metric]) => {
    const interval = shownInterval(metric.ci95);
    const ci = interval === null ? '–' : `${formatScore(interval[0])} to ${formatScore(interval[1])}`;
    const mean = metric.mean === null ? 'not scored' : formatScore(metric.mean);
    const unscored = metric.unscored > 0 ? ` (${formatCount(metric.unscored)} unscored)` : '';
    return `| ${codeSpan(name)} | ${mean} | ${ci} | ${formatCount(metric.n)}${unscored} |`;
  });
  if (rows.length === 0) return '';
  return ['| metric | mean | 95% CI | n |', '| --- | ---: | ---: | ---: |', ...rows].join('\n');
}

function repeats(summary: RunSummary): string {
  const lines = (summary.repeats ?? []).map((target) => {
    const ks = shownTrials(target);
    const shares = (sign: string, values: readonly number[]) =>
      ks.map((k) => `pass${sign}${k} ${formatPercent(values[k - 1] ?? 0)}`).join(', ');
    const name = (summary.repeats?.length ?? 0) > 1 ? `${codeSpan(target.target)}: ` : '';
    const rates =
      target.pass_hat.length === 0 ? '' : ` · ${shares('@', target.pass_at)} · ${shares('^', target.pass_hat)}`;
    return `${name}${flakeWords(target)} over ${formatCount(target.trials)} trials${rates}`;
  });
  return lines.join('\\\n');
}

function facts(summary: RunSummary): string {
  const score = summary.score === null ? 'not scored' : `score **${formatScore(summary.score)}**`;
  const rate = summary.pass_rate === null ? [] : [`pass rate **${formatPercent(summary.pass_rate)}**`];
  const coverage = summary.coverage === null ? [] : [`coverage ${formatPercent(summary.coverage)}`];
  const first = [score, ...rate, ...coverage, countsWords(summary.counts)].join(' · ');
  const second = [
    latencyWords(summary.latency) ?? 'latency not timed',
    `cost ${prose(costWords(summary.cost))}`,
    `judge ${prose(judgeNames(summary))}`,
    `dataset ${codeSpan(`${summary.dataset.id}@${summary.dataset.version.slice(0, 12)}`)}`,
  ];
  const planted = canaryWords(summary);
  if (planted !== null) second.push(prose(planted));
  const kept = cacheWords(summary);
  if (kept !== null) second.push(prose(kept));
  return `${first}\\\n${second.join(' · ')}`;
}

function baseline(summary: RunSummary): string {
  const compared = summary.baseline;
  if (compared === null) return '';
  const delta = compared.delta === null ? '' : `, pass rate ${formatPoints(compared.delta)}`;
  const groups = baselineGroups(compared)
    .filter((group) => group.rowIds.length > 0)
    .map((group) => {
      const ids = group.rowIds.slice(0, 10).map((id) => codeSpan(snippet(id, 60)));
      const more = group.rowIds.length > 10 ? ', …' : '';
      return `- **${formatCount(group.rowIds.length)} ${group.name}**: ${ids.join(', ')}${more}`;
    });
  const { confirmation } = compared;
  const tried = confirmation === undefined || confirmation.flipped === 0 ? '' : ` (${confirmedWords(confirmation)})`;
  return [`Against ${codeSpan(compared.run_id)}${delta}${tried}:`, '', ...groups].join('\n').trimEnd();
}

function statistics(summary: RunSummary): string {
  const lines = statisticLines(summary);
  if (lines.length === 0) return '';
  const rows = lines.map(({ name, figure, words }) => `| ${prose(name)} | ${prose(figure)} | ${prose(words)} |`);
  const table = ['| figure | | what it means |', '| --- | --- | --- |', ...rows].join('\n');
  return `<details><summary>How sure these numbers are</summary>\n\n${table}\n\n</details>`;
}

function failed(rows: readonly RowResult[], count: number): string {
  if (rows.length === 0) return '';
  const shown = rows.slice(0, MOST_ROWS).map((row) => {
    const why =
      row.error ?? Object.values(row.scores).find((score) => score.value !== null && score.value < 1)?.reason ?? '';
    const checks =
      row.status === 'scored' ? row.failed_checks.join(', ') : `${row.status.replace('_', ' ')}: ${row.cause}`;
    const cells = [row.row_id, jsonToText(row.input), row.output ?? '–', checks, why];
    return `| ${cells.map((cell) => codeSpan(snippet(cell, 160))).join(' | ')} |`;
  });
  const more = count > shown.length ? `\n\n… and ${formatCount(count - shown.length)} more in the report.` : '';
  const table = ['| row | input | answer | failed | why |', '| --- | --- | --- | --- | --- |', ...shown].join('\n');
  return `<details><summary>${countOf(count, 'result')} did not pass</summary>\n\n${table}${more}\n\n</details>`;
}

/** Text in which nothing is markup: one line, entities and backslashes, no mention of anybody. */
function prose(text: string): string {
  return visibleLine(text)
    .replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '')
    .replace(/[\\`*_{}[\]()#+!|~-]/g, '\\$&')
    .replace(/@(?=\w)/g, '@\u2060');
}

/** A code span that holds in a table cell too. */
function codeSpan(text: string): string {
  const line = visibleLine(text) || '(empty)';
  const runs = line.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map((run) => run.length)));
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  // A pipe ends a table cell even inside code, and a backslash before it would undo the escape.
  return `${fence}${pad}${line.replace(/\\(?=\|)/g, '\\ ').replace(/\|/g, '\\|')}${pad}${fence}`;
}
