import { createHash } from 'node:crypto';
import type { RowResult } from '../core/schemas/result.ts';
import type { RunConfig } from '../core/schemas/run.ts';
import type { RunSummary } from '../core/schemas/summary.ts';
import { embedRow, scriptJson, type TextLimits } from './embed-row.ts';
import { countOf, formatCount, formatTime } from './format.ts';
import { baseline, metrics, repeats, tags, targets } from './page/breakdown.ts';
import { CauseCounts } from './page/causes.ts';
import { CLIENT_LIST } from './page/client-list.ts';
import { CLIENT_ROW } from './page/client-row.ts';
import { CLIENT_TEXT } from './page/client-text.ts';
import { decideAgain } from './page/decide-again.ts';
import { LatencyHistogram } from './page/latency.ts';
import { html, type Markup } from './page/markup.ts';
import { statistics } from './page/statistics.ts';
import { STYLE } from './page/style.ts';
import { facts, tiles, verdict } from './page/verdict.ts';
import type { ReportContext } from './report-context.ts';
import { snippet } from './visible-text.ts';
import { WorstRows } from './worst-rows.ts';

export interface HtmlReportInput extends ReportContext {
  readonly summary: RunSummary;
  readonly config: RunConfig;
  readonly results: AsyncIterable<RowResult>;
  /**
   * Up to this many results all are in the page; beyond it, the worst 2,000.
   * @default 10000
   */
  readonly maxRows?: number;
}

const MAX_ROWS = 10_000;
const WORST_ROWS = 2_000;
const NOSCRIPT_ROWS = 20;
const WHOLE_TEXTS: TextLimits = { perText: 20_000, perRow: 80_000 };
const SHORT_TEXTS: TextLimits = { perText: 4_000, perRow: 16_000 };
const BRIEF_TEXTS: TextLimits = { perText: 1_000, perRow: 4_000 };
/** From here on texts are cut short, so that a browser still opens the file. In UTF-16 units. */
const FULL_PAGE = 40_000_000;

const SCRIPT = `(function () {\n'use strict';\n${CLIENT_TEXT}${CLIENT_ROW}${CLIENT_LIST}})();\n`;
/** The page may run this script and this style and load nothing: text that slips through could still do nothing. */
const CONTENT_POLICY = [
  "default-src 'none'",
  `script-src '${hashSource(SCRIPT)}'`,
  `style-src '${hashSource(STYLE)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * A finished run as one HTML file that needs nothing else: it opens offline, from disk. Results pass through once and
 * memory does not grow with their number; what had to be left out is said on the page. The same input gives the same text.
 */
export async function* renderHtmlReport(input: HtmlReportInput): AsyncGenerator<string> {
  const { summary, config, results, maxRows = MAX_ROWS } = input;
  const histogram = new LatencyHistogram();
  const causes = new CauseCounts();
  const failed = new WorstRows<readonly string[]>(NOSCRIPT_ROWS);
  const seen = { count: 0 };

  async function* watched(): AsyncGenerator<RowResult> {
    for await (const result of results) {
      seen.count += 1;
      histogram.add(result);
      causes.add(result);
      if (!result.passed) failed.offer(result, () => failedLine(result));
      yield result;
    }
  }

  yield html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><meta name="generator" content="Assay">
<title>${title(summary)}</title>
`.text;
  yield `<style>${STYLE}</style></head><body><main>\n`;
  yield summaryMarkup(summary, config).text;
  yield ROWS_SHELL.text;
  yield '<script type="application/json" id="assay-rows">[';
  const everything = summary.counts.results <= maxRows;
  let embedded = 0;
  for await (const text of everything
    ? allRows(watched(), maxRows)
    : worstRows(watched(), Math.min(maxRows, WORST_ROWS))) {
    yield embedded === 0 ? `\n${text}` : `,\n${text}`;
    embedded += 1;
  }
  yield '\n]</script>\n';
  yield rowsNote(embedded, seen.count).text;
  yield noScript(failed.worst()).text;
  yield '</section>\n';
  yield lateMarkup(summary, config, histogram, causes).text;
  yield html`<div id="decide">${decideAgain(summary, config)}</div>\n`.text;
  yield footer(summary, config).text;
  yield `</main><script>${SCRIPT}</script></body></html>\n`;
}

async function* allRows(results: AsyncIterable<RowResult>, maxRows: number): AsyncGenerator<string> {
  let size = 0;
  let count = 0;
  for await (const result of results) {
    count += 1;
    // More lines than the summary knows of (confirmations, a foreign file): the page stays openable.
    if (count > maxRows * 2) continue;
    const text = scriptJson(embedRow(result, size < FULL_PAGE ? WHOLE_TEXTS : BRIEF_TEXTS));
    size += text.length;
    yield text;
  }
}

async function* worstRows(results: AsyncIterable<RowResult>, limit: number): AsyncGenerator<string> {
  // Kept as text, not as objects: a cut text would hold on to the whole answer it was cut from.
  const worst = new WorstRows<string>(limit);
  for await (const result of results) worst.offer(result, () => scriptJson(embedRow(result, SHORT_TEXTS)));
  yield* worst.worst();
}

function summaryMarkup(summary: RunSummary, config: RunConfig): Markup {
  return html`<header class="top"><span class="name" dir="auto">${summary.eval}</span><span class="brand">Assay · ${summary.type} eval · ${formatTime(summary.started_at)}</span>${
    summary.description === '' ? null : html`<p class="about" dir="auto">${summary.description}</p>`
  }</header>
${verdict(summary)}
${tiles(summary, config)}
<section class="card">${facts(summary)}</section>
${metrics(summary, config)}
${targets(summary)}
${repeats(summary)}
${baseline(summary)}
${statistics(summary)}
${tags(summary)}
`;
}

const ROWS_SHELL = html`<section class="card rows" id="rows"><div class="controls" id="controls" hidden><h2>Rows</h2><div class="chips" id="chips" role="group" aria-label="Show"></div>
<select id="tag" aria-label="Tag"><option value="">Any tag</option></select><select id="sort" aria-label="Order"><option value="worst">Worst first</option><option value="file">File order</option><option value="slowest">Slowest first</option></select><input type="search" id="search" placeholder="Search rows" aria-label="Search rows" autocomplete="off"></div>
<div id="row-list"></div><div class="pager" id="pager" hidden><button type="button" id="previous">Previous</button><span id="row-status" role="status"></span><button type="button" id="next">Next</button></div>
`;

function rowsNote(embedded: number, seen: number): Markup {
  if (embedded >= seen) return html``;
  return html`<p class="note">This page holds the ${formatCount(embedded)} worst of ${countOf(seen, 'result')}. All of them are in <code>results.jsonl</code>, beside this file.</p>\n`;
}

/** A row in the table for browsers without JavaScript: id, input, answer, why. */
function failedLine(result: RowResult): string[] {
  const { status } = result;
  const what =
    status === 'scored' ? result.failed_checks.join(', ') || 'failed' : `${status}: ${result.cause ?? 'unknown'}`;
  return [result.row_id, snippet(inputText(result), 160), snippet(result.output ?? '–', 160), snippet(what, 160)];
}

function inputText({ input }: RowResult): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

function noScript(failed: readonly (readonly string[])[]): Markup {
  const table = html`<table><thead><tr><th>Row</th><th>Input</th><th>Answer</th><th>Why</th></tr></thead><tbody>${failed.map(
    (cells) => html`<tr>${cells.map((cell) => html`<td dir="auto">${cell}</td>`)}</tr>`,
  )}</tbody></table>`;
  return html`<noscript><h2>Rows</h2><p>The list of rows needs JavaScript; everything else on this page does not. All rows are in <code>results.jsonl</code>.${
    failed.length > 0 ? ' The worst of them:' : ''
  }</p>${failed.length > 0 ? table : null}</noscript>\n`;
}

/** What is known only when every result has passed by. Stands after the rows in the file and before them on the page. */
function lateMarkup(summary: RunSummary, config: RunConfig, histogram: LatencyHistogram, causes: CauseCounts): Markup {
  const budget = config.policy.max_p95_latency_ms ?? config.eval.latency_budget_ms ?? null;
  return html`<div class="pair" id="late"><section class="card"><h2>Latency</h2>${histogram.render(summary.latency, budget)}</section>
<section class="card"><h2>What became of ${countOf(summary.counts.results, 'result')}</h2>${causes.render(summary.counts)}</section></div>
`;
}

function footer(summary: RunSummary, config: RunConfig): Markup {
  return html`<footer><span>Run <code>${summary.run_id}</code></span><span>Policy <code>${summary.decision.policy_hash.slice(0, 12)}</code></span><span>Configuration <code>${config.config_hash.slice(0, 12)}</code></span>${
    summary.judge_hash === null ? null : html`<span>Judge <code>${summary.judge_hash.slice(0, 12)}</code></span>`
  }<span>Whole data: summary.json, config.json, results.jsonl</span></footer>`;
}

function title(summary: RunSummary): string {
  return `${{ pass: 'Passed', fail: 'Failed', error: 'Error' }[summary.gate]}: ${summary.eval} · Assay`;
}

function hashSource(text: string): string {
  return `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;
}
