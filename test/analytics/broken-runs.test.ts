import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryResultParts } from '../../src/adapters/memory/memory-result-parts.ts';
import { brokenRunLine } from '../../src/analytics/table-lines.ts';
import { aRun } from '../contracts/samples.ts';
import { result, runConfig } from '../core/aggregate/build.ts';
import { ask, storeRun } from './stored-run.ts';

const ids = ['A', 'B', 'C', 'D'].map((letter) => `r-01M8Q00000000000000000000${letter}`);
const [FIRST = '', BROKEN = '', SECOND = '', CANCELLED = ''] = ids;
const startedAt = (runId: string) => `2026-11-30T11:0${ids.indexOf(runId)}:00.000Z`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-broken-'));
  await counted(FIRST, 8);
  await broken(BROKEN, 'error', 'the workflow failed: "disk"\n\u2028');
  await counted(SECOND, 6);
  await broken(CANCELLED, 'cancelled', 'cancelled before it began');
});
afterAll(() => rm(folder, { recursive: true }));

/** Ten rows of which so many pass. */
async function counted(run_id: string, passed: number): Promise<void> {
  const config = runConfig({ rows: 10, eval: { name: 'test' }, run: { run_id, started_at: startedAt(run_id) } });
  const of = { run_id, project: config.project, eval: 'test', started_at: startedAt(run_id) };
  await storeRun(folder, config, [Array.from({ length: 10 }, (_, index) => result(index, index < passed ? 1 : 0, of))]);
}

async function broken(run_id: string, status: 'error' | 'cancelled', message: string): Promise<void> {
  const { project } = runConfig({ rows: 1 });
  const run = aRun({ run_id, project, eval: 'test', status, message, started_at: startedAt(run_id) });
  const parts = new MemoryResultParts();
  const ref = { runId: run_id, project, startedAt: run.started_at };
  await parts.writeTable(ref, 'runs', [brokenRunLine(run, { type: 'qa', dataset: 'faq' })]);
  for (const [key, content] of parts.objects) {
    const path = join(folder, 'dev', 's3', 'buckets', 'assay', 'objects', `${key}.data`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

describe('runs that broke or were cancelled before they were counted', () => {
  it('are among the latest, as the errors they are', async () => {
    const rows = await ask(folder, 'latest_runs');
    expect(rows.map(({ run_id, row_count }) => [run_id, row_count])).toEqual([
      [CANCELLED, null],
      [SECOND, 10],
      [BROKEN, null],
      [FIRST, 10],
    ]);
    expect([rows[0]?.gate, rows[2]?.gate]).toEqual(['error', 'error']);
  });

  it('stand in the trend without figures, and do not hide the change from one counted run to the next', async () => {
    const rows = await ask(folder, 'trend_by_commit', { eval: 'test' });
    expect(rows.map(({ run_id }) => run_id)).toEqual(ids);
    expect(rows.map(({ pass_rate }) => pass_rate)).toEqual([0.8, null, 0.6, null]);
    expect(rows.map(({ pass_rate_change: change }) => (change === null ? null : Number(change).toFixed(12)))).toEqual([
      null,
      null,
      (-0.2).toFixed(12),
      null,
    ]);
  });

  it('are not the run that a question about one run is about, unless they are named', async () => {
    expect(await ask(folder, 'worst_rows')).not.toEqual([]);
    expect(await ask(folder, 'worst_rows', { run: BROKEN })).toEqual([]);
  });
});
