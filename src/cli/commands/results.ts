import { ConfigError } from '../../core/errors.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { RunSummary } from '../../core/schemas/summary.ts';
import { exportCsv } from '../../report/export-csv.ts';
import { exportJson } from '../../report/export-json.ts';
import { foldedResult } from '../../report/folded-result.ts';
import { renderMarkdownSummary } from '../../report/markdown-summary.ts';
import { WorstRows } from '../../report/worst-rows.ts';
import { EXIT_PASSED } from '../exit.ts';
import { type ParsedOptions, parseOptions } from '../options.ts';
import { findRuns, RUN_SOURCE_HELP, RUN_SOURCE_OPTIONS } from '../run-source.ts';
import { storedRun } from '../stored-run.ts';

const HELP = `assay results <run> [--failed] [--limit n] [--full]     list the results of a run
assay results <run> --format csv|json|md               export them, into a file with > results.csv

  --failed   only what did not pass
  --full     long texts whole instead of their first lines
  --json     one result a line, whole
  --format   csv (cells that a spreadsheet would run as a formula begin with '), json (summary and results),
             md (what a pull request comment shows)
${RUN_SOURCE_HELP}`;

const DEFAULT_LIMIT = 50;
const MARKDOWN_ROWS = 10;
const MOST_COLUMNS = 140;
const FORMATS = ['csv', 'json', 'md'];

export async function results(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    failed: { type: 'boolean' },
    full: { type: 'boolean' },
    limit: { type: 'string' },
    json: { type: 'boolean' },
    format: { type: 'string' },
    ...RUN_SOURCE_OPTIONS,
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const format = formatOf(options);
  const runId = options.only('run', 'assay results <run>, with the name of a folder under .assay/runs');
  const source = await findRuns([runId], options);
  const run = storedRun(runId, source);
  const limit = options.count('limit') ?? (format === 'text' ? DEFAULT_LIMIT : Number.POSITIVE_INFINITY);
  const failed = options.flag('failed');
  const all = () => run.results({ failed: false, limit: Number.POSITIVE_INFINITY });
  // One beyond the limit tells that there are more.
  const wanted = new WantedResults(run.results({ failed, limit: limit + 1 }), failed, limit);
  if (format === 'csv') await write(exportCsv(wanted, await metricsOf(all())));
  else if (format === 'json') await write(exportJson(await run.summary(), wanted));
  else if (format === 'md') await write(markdown(await run.summary(), all()));
  else await write(lines(wanted, format === 'lines' ? null : options.flag('full')));
  const missing = await run.missing();
  if (missing !== null) process.stderr.write(`warning: ${missing}\n`);
  const more = source.kind === 'local' ? `${wanted.left} more` : 'there are more';
  if (wanted.left > 0) process.stderr.write(`${more}; --limit shows them\n`);
  return EXIT_PASSED;
}

function formatOf(options: ParsedOptions): string {
  const format = options.text('format');
  if (format === undefined) return options.flag('json') ? 'lines' : 'text';
  if (FORMATS.includes(format)) return format;
  throw new ConfigError([{ message: `--format takes ${FORMATS.join(', ')}, not "${format}"` }]);
}

/** The results that were asked for, and how many more there are than the limit. */
class WantedResults {
  left = 0;
  private readonly source: AsyncIterable<RowResult>;
  private readonly failedOnly: boolean;
  private readonly limit: number;

  constructor(source: AsyncIterable<RowResult>, failedOnly: boolean, limit: number) {
    this.source = source;
    this.failedOnly = failedOnly;
    this.limit = limit;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RowResult> {
    let shown = 0;
    for await (const result of this.source) {
      if (this.failedOnly && result.passed) continue;
      if (shown < this.limit) yield result;
      else this.left += 1;
      shown += 1;
    }
  }
}

async function* lines(wanted: AsyncIterable<RowResult>, full: boolean | null): AsyncGenerator<string> {
  const columns = Math.min(process.stdout.columns ?? MOST_COLUMNS, MOST_COLUMNS);
  for await (const result of wanted)
    yield full === null ? `${JSON.stringify(result)}\n` : foldedResult(result, { columns, full });
}

async function* markdown(summary: RunSummary | null, all: AsyncIterable<RowResult>): AsyncGenerator<string> {
  if (summary === null)
    throw new ConfigError([{ message: 'the run has no summary: it did not finish', fix: 'assay run --resume <run>' }]);
  const worst = new WorstRows<RowResult>(MARKDOWN_ROWS);
  let count = 0;
  for await (const result of all) {
    if (result.passed || result.status === 'skipped') continue;
    count += 1;
    worst.offer(result, () => result);
  }
  yield renderMarkdownSummary(summary, worst.worst(), count);
}

/** Names of every metric that some result has a score for. */
async function metricsOf(all: AsyncIterable<RowResult>): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const { scores } of all) for (const name of Object.keys(scores)) names.add(name);
  return [...names].sort();
}

/** Waits where the reader is slower; ends when nobody reads on. */
async function write(texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) {
    if (process.stdout.destroyed) return;
    if (!process.stdout.write(text)) await drained();
  }
}

function drained(): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      process.stdout.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    process.stdout.on('drain', done).on('close', done).on('error', done);
  });
}
