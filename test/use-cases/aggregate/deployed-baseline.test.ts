import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryRegistry } from '../../../src/adapters/memory/memory-registry.ts';
import { MemoryRunStore } from '../../../src/adapters/memory/memory-run-store.ts';
import type { RunConfig } from '../../../src/core/schemas/run.ts';
import type { RunSummary } from '../../../src/core/schemas/summary.ts';
import { openDeployedBaseline } from '../../../src/use-cases/aggregate/deployed-baseline.ts';
import { runConfig } from '../../core/aggregate/build.ts';
import { finishedRun } from '../../report/finished-run.ts';

const id = (n: number) => `r-0000000000000000000000000${n}`;

let registry: MemoryRegistry;
let store: MemoryRunStore;
beforeEach(() => {
  registry = new MemoryRegistry({ now: () => 0 } as never);
  store = new MemoryRunStore();
});

interface Stored {
  /** Of ten in the dataset. */
  readonly rows?: number;
  readonly lines?: number;
  readonly without?: 'config.json' | 'summary.json' | 'outcomes.jsonl.gz';
  readonly summary?: Partial<RunSummary>;
}

const configOf = (n: number, rows: number, baseline = 'last-pass'): RunConfig => {
  const config = runConfig({
    rows,
    run: { run_id: id(n), dataset: { id: 'd', version: 'v', rows: 10, without_input: 0 } },
  });
  return { ...config, eval: { ...config.eval, baseline } };
};

/** A passing run of the registry, with its files. */
async function passed(n: number, { rows = 10, lines = rows, without, summary }: Stored = {}): Promise<void> {
  const config = configOf(n, rows);
  await registry.createRun({
    run_id: id(n),
    gate_run_id: 'g',
    project: config.project,
    eval: config.eval.name,
    eval_version: 1,
    status: 'passed',
    quarantined: false,
    started_at: `2025-01-01T00:00:0${n}.000Z`,
    finished_at: null,
    ref: null,
    sha: null,
    triggered_by: null,
    execution: null,
    attempt: 1,
    total: null,
    message: '',
    decision: null,
    score: null,
    pass_rate: null,
    cancel_requested: false,
    earlier: [],
  });
  const { counts } = finishedRun();
  const files = {
    'config.json': JSON.stringify(config),
    'summary.json': JSON.stringify(finishedRun({ run_id: id(n), counts: { ...counts, rows }, ...summary })),
    'outcomes.jsonl.gz': gzipSync('{}\n'.repeat(lines)),
  } as const;
  for (const file of ['config.json', 'summary.json', 'outcomes.jsonl.gz'] as const)
    if (file !== without) await store.write(id(n), file, files[file]);
}

const open = (rows = 10, baseline?: string) =>
  openDeployedBaseline(configOf(9, rows, baseline), { registry, runs: () => store });

describe('the last pass of a deployed eval', () => {
  it('is the newest', async () => {
    await passed(1);
    await passed(2);
    expect(await open()).toMatchObject({ run: { config: { run_id: id(2) } }, notes: [] });
  });

  it.each(['config.json', 'summary.json', 'outcomes.jsonl.gz'] as const)(
    'is the one before it when its %s is gone, and that is said',
    async (without) => {
      await passed(1);
      await passed(2, { without });
      const { run, notes } = await open();
      expect(run?.config.run_id).toBe(id(1));
      expect(notes.join()).toContain(id(2));
    },
  );

  it.each([
    { name: 'was a sample', stored: { rows: 2 } },
    { name: 'was stopped', stored: { summary: { stopped: { after: 5, of: 10, why: 'time budget' } } } },
    { name: 'judged half of its results', stored: { summary: { coverage: 0.5 } } },
  ])('is an older one when the newest $name', async ({ stored }) => {
    await passed(1);
    await passed(2, stored);
    expect((await open()).run?.config.run_id).toBe(id(1));
  });

  it('is a sample when nothing else is there, or when this run is as small', async () => {
    await passed(1, { rows: 2 });
    expect((await open()).run?.config.run_id).toBe(id(1));
    await passed(2);
    await passed(3, { rows: 2 });
    expect((await open(2)).run?.config.run_id).toBe(id(3));
  });

  it('is none when all are gone', async () => {
    await passed(1, { without: 'outcomes.jsonl.gz' });
    expect((await open()).run).toBeNull();
  });
});

it.each(['last-pass', id(1)])('outcomes of a baseline that are not all there are an error: %s', async (baseline) => {
  await passed(1, { lines: 2 });
  const { run } = await open(10, baseline);
  const read = async () => {
    for await (const _chunk of run?.outcomes ?? []);
  };
  await expect(read()).rejects.toThrow(/holds 2 of 10 outcomes/);
});

it('a run that somebody named and that is gone is an error', async () => {
  await passed(1, { without: 'summary.json' });
  await expect(open(10, id(1))).rejects.toThrow(/has no results in project/);
});
