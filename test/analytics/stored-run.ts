import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type QueryRow, runQuery } from '../../src/adapters/local/analytics/duckdb.ts';
import { findTables } from '../../src/adapters/local/analytics/table-files.ts';
import { MemoryResultParts } from '../../src/adapters/memory/memory-result-parts.ts';
import { NAMED_QUERIES } from '../../src/analytics/named-queries.ts';
import { rowOutcomeLine, runLine } from '../../src/analytics/table-lines.ts';
import { bindParameters, KNOWN_RUNS_SQL, type KnownRun, runsOf } from '../../src/cli/query/bind-parameters.ts';
import type { RowResult } from '../../src/core/schemas/result.ts';
import type { RunConfig } from '../../src/core/schemas/run.ts';
import type { RunSummary } from '../../src/core/schemas/summary.ts';
import { aggregateRun } from '../../src/use-cases/aggregate/aggregate-run.ts';

/** A run as the deployed app stores it, as files of the emulator under `<folder>/dev`. Parts are lists of results. */
export async function storeRun(
  folder: string,
  config: RunConfig,
  parts: readonly (readonly RowResult[])[],
  baseline: { config: RunConfig; outcomes: readonly string[] } | null = null,
): Promise<{ summary: RunSummary; outcomes: readonly string[]; config: RunConfig }> {
  const store = new MemoryResultParts();
  const run = { runId: config.run_id, project: config.project, startedAt: config.started_at };
  for (const [number, results] of parts.entries()) await store.write(run, number * 100, results);
  const aggregated = await aggregateRun({
    config,
    results: store.reader(run).read(config.run_id),
    baseline: baseline && { config: baseline.config, outcomes: bytes(baseline.outcomes.join('')) },
    finishedAt: '2026-11-30T12:00:00.000Z',
    stopped: null,
  });
  const { summary } = aggregated;
  const outcomes = [...aggregated.outcomes];
  await store.writeTable(
    run,
    'row_outcomes',
    outcomes.map((line) => rowOutcomeLine(summary, line)),
  );
  await store.writeTable(run, 'runs', [runLine(summary)]);
  for (const [key, content] of store.objects) {
    const path = join(folder, 'dev', 's3', 'buckets', 'assay', 'objects', `${key}.data`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  return { summary, outcomes, config };
}

/** Rows of a named query, its parameters found as the command line finds them. */
export async function ask(
  folder: string,
  name: string,
  given: Readonly<Record<string, string>> = {},
): Promise<readonly QueryRow[]> {
  const query = NAMED_QUERIES.find((candidate) => candidate.name === name);
  if (query === undefined) throw new Error(`no query ${name}`);
  const runs = (await select(folder, KNOWN_RUNS_SQL, [], [])) as unknown as KnownRun[];
  const values = bindParameters(query, new Map(Object.entries(given)), runs);
  return select(folder, query.sql, values, runsOf(query, values));
}

export async function select(
  folder: string,
  sql: string,
  values: readonly string[] = [],
  runIds: readonly string[] | null = null,
): Promise<readonly QueryRow[]> {
  const tables = await findTables(folder, sql, runIds);
  try {
    return (await runQuery(sql, values, tables)).rows;
  } finally {
    await tables.dispose();
  }
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
