import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { rowOutcomeLine, runLine } from '../../../analytics/table-lines.ts';
import { ROW_OUTCOMES, ROW_RESULTS_PARQUET } from '../../../analytics/tables.ts';
import { StorageError } from '../../../core/errors.ts';
import { gunzipped } from '../../../core/gzip-stream.ts';
import { lineBatches } from '../../../core/jsonl.ts';
import { RunSummarySchema } from '../../../core/schemas/summary.ts';

/** Files of one table: JSON lines, plain or gzip, or Parquet. */
export interface TableFiles {
  readonly plain: readonly string[];
  readonly gzip: readonly string[];
  readonly parquet?: readonly string[];
}

export interface LocalTables {
  readonly row_results: TableFiles;
  readonly row_outcomes: TableFiles;
  readonly runs: TableFiles;
  readonly row_results_parquet: TableFiles;
  /** Removes what was written for the query alone. */
  dispose(): Promise<void>;
}

/** Of the emulator of S3: an object lies in a file of its key and this ending. */
const OBJECT = '.data';

/**
 * The tables of Athena, from what runs on this machine left in `<folder>/runs` and `assay dev` in `<folder>/dev`.
 * `runIds`: rows of these runs alone, so that a query about one run does not read them all. Tables that `sql` does not
 * name may be left empty.
 */
export async function findTables(folder: string, sql: string, runIds: readonly string[] | null): Promise<LocalTables> {
  const wanted = (runId: string) => runIds === null || runIds.includes(runId);
  const temporary = await mkdtemp(join(tmpdir(), 'assay-query-'));
  const runs = join(folder, 'runs');
  const dev = join(folder, 'dev', 's3', 'buckets', 'assay', 'objects');
  const [results, summaries, parts, devOutcomes, devRuns, parquet] = await Promise.all([
    filesOf(runs, 'results.jsonl', wanted),
    filesOf(runs, 'summary.json'),
    filesOf(join(dev, 'results'), OBJECT, (name) => wanted(name.replace(/^run=/, ''))),
    filesOf(join(dev, 'tables', 'row_outcomes'), OBJECT),
    filesOf(join(dev, 'tables', 'runs'), OBJECT),
    filesOf(join(dev, ROW_RESULTS_PARQUET.prefix), OBJECT, (name) => wanted(name.replace(/^run=/, ''))),
  ]);
  const local = await writeLocalTables(summaries, temporary, sql.includes(ROW_OUTCOMES.name) ? wanted : () => false);
  return {
    row_results: { plain: results, gzip: parts },
    row_outcomes: { plain: [local.outcomes], gzip: devOutcomes },
    runs: { plain: [local.runs], gzip: devRuns },
    row_results_parquet: { plain: [], gzip: [], parquet },
    dispose: () => rm(temporary, { recursive: true, force: true }),
  };
}

/**
 * The same files as copies that DuckDB takes, which refuses a whole file for what results may well hold: half a
 * surrogate pair (targets do answer that) becomes U+FFFD, and the last line of a run that was killed while it was
 * written is left out. Other damage stays.
 */
export async function mendedCopies(files: TableFiles, folder: string): Promise<TableFiles> {
  const copies: string[] = [];
  for (const [number, path] of [...files.plain, ...files.gzip].entries()) {
    const copy = join(folder, `${number}-${basename(path)}.jsonl`);
    const bytes = createReadStream(path);
    const plain = files.gzip.includes(path) ? gunzipped(bytes) : bytes;
    await writeFile(copy, mendedLines(plain));
    copies.push(copy);
  }
  return { plain: copies, gzip: [] };
}

async function* mendedLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let last: string | null = null;
  for await (const lines of lineBatches(chunks)) {
    for (const line of lines) {
      if (last !== null) yield withoutLoneSurrogates(last);
      last = line;
    }
  }
  if (last?.endsWith('}')) yield withoutLoneSurrogates(last);
}

/** JSON writes a pair as it is and half of one as an escape. Escapes are taken one by one, since `\\ud800` is none. */
function withoutLoneSurrogates(line: string): string {
  return `${line.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/gi, (found, half) => (half ? '\\ufffd' : found))}\n`;
}

/** Files below a folder by the end of their name; none where there is no such folder. */
async function filesOf(
  folder: string,
  ending: string,
  keepFolder: (name: string) => boolean = () => true,
): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new StorageError(`cannot read ${folder}: ${error.message}`, { cause: error });
  });
  return entries
    .filter((path) => path.endsWith(ending) && keepFolder(basename(dirname(path))))
    .map((path) => resolve(folder, path))
    .sort();
}

/** Runs on this machine keep a summary and outcomes; the tables are made of them. */
async function writeLocalTables(
  summaries: readonly string[],
  temporary: string,
  wantsOutcomes: (runId: string) => boolean,
) {
  const runLines: string[] = [];
  const outcomeLines: string[] = [];
  for (const path of summaries) {
    const parsed = RunSummarySchema.safeParse(JSON.parse(await readFile(path, 'utf8')));
    if (!parsed.success) continue; // of another version of Assay
    runLines.push(runLine(parsed.data));
    if (!wantsOutcomes(parsed.data.run_id)) continue;
    const packed = await readFile(join(dirname(path), 'outcomes.jsonl.gz')).catch(() => null);
    if (packed === null) continue;
    const lines = gunzipSync(packed).toString('utf8').split('\n');
    for (const line of lines) if (line !== '') outcomeLines.push(rowOutcomeLine(parsed.data, line));
  }
  const files = { runs: join(temporary, 'runs.jsonl'), outcomes: join(temporary, 'row_outcomes.jsonl') };
  await writeFile(files.runs, runLines.join('\n'));
  await writeFile(files.outcomes, outcomeLines.join('\n'));
  return files;
}
