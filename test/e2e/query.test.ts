import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NAMED_QUERIES } from '../../src/analytics/named-queries.ts';
import { compact } from '../../src/cli/commands/compact.ts';
import { query } from '../../src/cli/commands/query.ts';
import { PRICES } from '../../src/core/cost/price-table.ts';
import type { RunSummary } from '../../src/core/schemas/summary.ts';
import { loadEval } from '../../src/runner/load-eval.ts';
import { startLocalRun } from '../../src/runner/local-run.ts';
import { Workspace } from '../../src/runner/workspace.ts';
import { Cloud, qaEval } from './support/cloud.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

const TAGS = ['returns', 'shipping', 'billing'];
/** Every third answer is wrong, and in the second run one that was right: a regression. */
const rows = Array.from({ length: 30 }, (_, n) => ({
  id: `row-${n}`,
  input: `question ${n}`,
  expected: `answer ${n}`,
  tags: [TAGS[n % 3] ?? ''],
  difficulty: n % 2 === 0 ? 'easy' : 'hard',
  metadata: { Team: 'a', team: 'b' },
}));
const baselineConfig = { thresholds: { pass_rate: 0.5 } };

let folder: string;
let target: StubTarget;
let worse = false;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-query-e2e-'));
  target = await startStubTarget((question) => {
    const number = Number(question.replace('question ', ''));
    if (number === 4) return { status: 500 };
    const wrong = number % 3 === 0 || (worse && number === 7);
    return { answer: wrong ? 'no idea \u2028 "sorry"\n' : `It is answer ${number}.` };
  });
});
afterAll(async () => {
  await target.close();
  await rm(folder, { recursive: true, force: true });
});

describe('assay query over runs on this machine', () => {
  it('gives the numbers of their summaries', async () => {
    const dir = join(folder, 'local');
    worse = false;
    await locally(dir);
    worse = true;
    await checkAgainst(await locally(dir), dir);
  });
});

describe('assay query over what assay dev keeps', () => {
  it('gives the numbers of their summaries', async () => {
    const dir = join(folder, 'cloud');
    const cloud = await Cloud.start({ folder: join(dir, 'dev') });
    try {
      const project = await cloud.project();
      await cloud.putDataset(project, 'faq', rows);
      await cloud.putEval(project, qaEval(target.url, baselineConfig));
      worse = false;
      await cloud.run(project);
      worse = true;
      const { runId } = await cloud.run(project);
      const summary = await cloud.summary(project, runId);
      await checkAgainst(summary, dir);
      await checkCompacted(cloud, summary, dir);
    } finally {
      await cloud.stop();
    }
  });
});

/** The copy as Parquet says what the parts say. */
async function checkCompacted(cloud: Cloud, { run_id, started_at }: RunSummary, dir: string): Promise<void> {
  vi.stubEnv('ASSAY_TOKEN', cloud.stack.token);
  const told = await printed(() => compact([run_id, '--url', cloud.stack.url, '--json']));
  expect(JSON.parse(told)).toMatchObject({ attempt: 1, files: 1, rows: 30 });
  for (const { name, sql } of NAMED_QUERIES.filter(
    ({ parameters }) => parameters.map((each) => each.name).join() === 'dt,run',
  )) {
    const values = [started_at.slice(0, 10), run_id];
    const plain = sql.replaceAll('?', () => `'${values.shift()}'`);
    const copy = plain.replaceAll(/\bFROM row_results\b/g, 'FROM row_results_parquet');
    const ask = async (text: string) => JSON.parse(await output(text, '--json', '--dir', dir)) as unknown[];
    expect(await ask(copy), name).toEqual(await ask(plain));
    expect(copy === plain, name).toBe(!/row_results/.test(plain));
  }
  const [{ n } = { n: 0 }] = JSON.parse(
    await output('SELECT count(*) AS n FROM row_results_parquet', '--json', '--dir', dir),
  );
  expect(n).toBe(30);
}

async function checkAgainst(summary: RunSummary, dir: string): Promise<void> {
  const ask = async (...args: readonly string[]) => JSON.parse(await output(...args, '--json', '--dir', dir));
  expect(summary.baseline?.regressed).toEqual(['row-7']);
  expect(await ask('latest_runs')).toMatchObject([{ run_id: summary.run_id, pass_rate: summary.pass_rate }, {}]);
  expect(await ask('regressions')).toMatchObject([
    { change: 'regressed', row_id: 'row-7', output_then: 'It is answer 7.', output_now: 'no idea \u2028 "sorry"\n' },
  ]);
  const worst = await ask('worst_rows', '--run', summary.run_id);
  expect(worst).toHaveLength(summary.counts.failed);
  expect(worst[0]).toMatchObject({ row_id: 'row-4', status: 'target_error', cause: 'http-status' });
  const tags = await ask('pass_rate_by_tag');
  for (const { name, counted, passed } of tags.filter(({ kind }: { kind: string }) => kind === 'tag'))
    expect({ counted, passed }).toEqual({
      counted: summary.tags[name]?.counted,
      passed: summary.tags[name]?.passed,
    });
  expect(tags.filter(({ kind }: { kind: string }) => kind === 'difficulty')).toHaveLength(2);
  const { n, mean } = summary.metrics.contains ?? {};
  expect(await ask('metric_means')).toMatchObject([{ metric: 'contains', n, mean }]);
  expect(await ask('latency_by_target')).toMatchObject([{ p95_ms: summary.latency.p95_ms, n: summary.latency.n }]);
  expect(await ask(`SELECT metadata FROM row_results WHERE row_id = 'row-1' LIMIT 1`)).toEqual([
    { metadata: '{"Team":"a","team":"b"}' },
  ]);
}

async function locally(dir: string): Promise<RunSummary> {
  await writeFile(join(folder, 'faq.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
  await writeFile(
    join(folder, 'faq.yaml'),
    JSON.stringify(qaEval(target.url, { dataset: './faq.jsonl', ...baselineConfig })),
  );
  const { summary } = await startLocalRun(await loadEval(join(folder, 'faq.yaml')), {
    workspace: new Workspace(dir),
    prices: PRICES,
    ref: null,
    sha: null,
    cancel: new AbortController().signal,
  });
  return summary;
}

const output = (...args: readonly string[]): Promise<string> => printed(() => query(args));

async function printed(command: () => Promise<number>): Promise<string> {
  const written: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  try {
    expect(await command()).toBe(0);
  } finally {
    write.mockRestore();
  }
  return written.join('');
}
