import { createHash } from 'node:crypto';
import type { RowResult } from '../core/schemas/result.ts';
import type { RunConfig } from '../core/schemas/run.ts';
import type { RunSummary } from '../core/schemas/summary.ts';
import { RunNotes } from './collect/run-notes.ts';
import { embedRow, scriptJson, type TextLimits } from './embed-row.ts';
import { findings } from './findings/findings.ts';
import { formatTime } from './format.ts';
import { CLIENT_SCRIPT } from './page/client/script.ts';
import { html, type Markup } from './page/markup.ts';
import type { Section } from './page/section.ts';
import { changes } from './page/sections/changes.ts';
import { cost } from './page/sections/cost.ts';
import { decideAgain } from './page/sections/decide-again.ts';
import { figures } from './page/sections/figures.ts';
import { findingList } from './page/sections/findings.ts';
import { flaky } from './page/sections/flaky.ts';
import { judges } from './page/sections/judges.ts';
import { latency } from './page/sections/latency.ts';
import { metrics } from './page/sections/metrics.ts';
import { outcomes } from './page/sections/outcomes.ts';
import { failedLine, rowsSection } from './page/sections/rows.ts';
import { setup } from './page/sections/setup.ts';
import { statistics } from './page/sections/statistics.ts';
import { tags } from './page/sections/tags.ts';
import { targets } from './page/sections/targets.ts';
import { verdict, warnings } from './page/sections/verdict.ts';
import { STYLE } from './page/style/style.ts';
import type { ReportContext } from './report-context.ts';
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

/** The page may run this script and this style and load nothing: text that slips through could still do nothing. */
const CONTENT_POLICY = [
  "default-src 'none'",
  `script-src '${hashSource(CLIENT_SCRIPT)}'`,
  `style-src '${hashSource(STYLE)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * A finished run as one HTML file that needs nothing else: it opens offline, from disk. Results pass through once and
 * memory does not grow with their number; what had to be left out is said on the page. The same input gives the same text.
 * The gate comes first in the file, then the rows as data, then what only the rows tell: the page is read in that order.
 */
export async function* renderHtmlReport(input: HtmlReportInput): AsyncGenerator<string> {
  const { summary, config, results, history = [], maxRows = MAX_ROWS } = input;
  const notes = new RunNotes(summary);
  const failed = new WorstRows<readonly string[]>(NOSCRIPT_ROWS);

  async function* watched(): AsyncGenerator<RowResult> {
    for await (const result of results) {
      notes.add(result);
      if (!result.passed) failed.offer(result, () => failedLine(result));
      yield result;
    }
  }

  yield html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><meta name="robots" content="noindex, nofollow"><meta name="generator" content="Assay">
<title>${title(summary)}</title>
`.text;
  yield `<style>${STYLE}</style></head><body>\n`;
  yield header(summary).text;
  yield '<main>\n';
  yield verdict(summary, history, figures(summary, config)).text;
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
  yield* parts(input, notes, rowsSection(embedded, notes.results, failed.worst()));
  yield html`${decideAgain(summary, config)}</main>${footer(summary, config)}`.text;
  yield `<script>${CLIENT_SCRIPT}</script></body></html>\n`;
}

/** Everything that results had to pass by for: what to look at, then each subject, then the rows. */
function* parts(input: HtmlReportInput, notes: RunNotes, rows: Markup): Generator<string> {
  const { summary, config, baselineSummary: baseline = null, baselineAnswers = null } = input;
  const about = [
    changes(summary, notes.changed, baselineAnswers),
    metrics(summary, config, notes.scores, baseline),
    targets(summary, config),
    latency(summary, config, notes),
    tags({ summary, baseline, clusters: notes.clusters, difficulties: notes.difficulties }),
    flaky(summary, notes.flaky),
    judges(notes.votes),
  ].filter((section) => section !== null);
  const further = [outcomes(summary.counts, notes.causes), cost(summary), statistics(summary), setup(summary)].filter(
    (section) => section !== null,
  );
  yield findingList(findings({ summary, config, notes, baseline }), summary.baseline !== null).text;
  yield warnings(summary).text;
  yield contents([...about, { id: 'rows', short: 'Rows' }, ...further]).text;
  for (const { markup } of about) yield markup.text;
  yield rows.text;
  yield html`<div class="pair">${further.slice(0, 2).map(({ markup }) => markup)}</div>\n`.text;
  for (const { markup } of further.slice(2)) yield markup.text;
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

function header({ eval: name, type, started_at: startedAt, description, ref, sha }: RunSummary): Markup {
  const commit = [ref?.replace(/^refs\/heads\//, '') ?? '', sha?.slice(0, 8) ?? ''].filter((part) => part !== '');
  const about = [`${type} eval`, formatTime(startedAt), ...commit].join(' · ');
  return html`<a class="skip" href="#look">Skip to where to look</a><header class="top"><span class="name" dir="auto">${name}</span><span class="brand" dir="auto">Assay · ${about}</span>${
    description === '' ? null : html`<p class="about" dir="auto">${description}</p>`
  }</header>
`;
}

/** Where to go on the page; stays in sight. */
function contents(sections: readonly Pick<Section, 'id' | 'short'>[]): Markup {
  return html`<nav class="contents" aria-label="Parts of this report"><a href="#gate">Gate</a>${sections.map(
    ({ id, short }) => html`<a href="#${id}">${short}</a>`,
  )}</nav>
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
