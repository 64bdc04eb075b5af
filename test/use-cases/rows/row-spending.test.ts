import { describe, expect, it } from 'vitest';
import { MemorySpendLedger } from '../../../src/adapters/memory/memory-spend-ledger.ts';
import type { PriceTable } from '../../../src/core/cost/price-table.ts';
import { costBoundOfCanaries, costBounds } from '../../../src/core/plan/cost-bound.ts';
import type { CanaryReport } from '../../../src/core/schemas/canaries.ts';
import type { EvalConfig } from '../../../src/core/schemas/eval.ts';
import { scoringFor } from '../../../src/core/scoring/scoring-for.ts';
import type { SpendLedger } from '../../../src/ports/spend-ledger.ts';
import type { Target } from '../../../src/ports/target.ts';
import { type EarlierSpending, openSpending, SpendingSoFar } from '../../../src/use-cases/rows/row-spending.ts';
import { runConfig } from '../../core/aggregate/build.ts';
import { evalConfig, spec, target } from '../../core/scoring/build.ts';
import { makeResult } from '../../fixtures/results.ts';
import { makeRow } from '../../fixtures/rows.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const NANO = 1e9;
const PRICE = { input: 1, output: 10, cache_read: 0, cache_write: 0 };
const PRICES: PriceTable = { date: '2026-01-01', source: '', models: { 'judge-model': PRICE } };
const JUDGED = evalConfig({ type: 'qa', scorers: [spec('judge')] });
const TELLING = evalConfig({
  type: 'qa',
  scorers: [spec('contains')],
  judges: [],
  targets: [{ ...target('http'), cost_path: 'cost' } as EvalConfig['targets'][number]],
});
const always = () => true;

async function setUp(config: EvalConfig, cap: number, earlier?: EarlierSpending) {
  const ledger = new MemorySpendLedger();
  const run = { ...runConfig({ rows: 9 }), eval: { ...config, max_cost_usd_hard: cap } };
  const spending = await openSpending({
    run,
    ledger,
    part: 0,
    prices: PRICES,
    concurrency: 1,
    clock: new VirtualClock(),
    ...(earlier && { earlier }),
    random: () => 0.5,
  });
  if (spending === null) throw new Error('no cap');
  const view = async () => (await ledger.open({ runId: run.run_id, part: 99 }, 1)).view;
  const taskOf = (index: number) => ({ row: makeRow(index), target: { id: 'http' } as Target, trial: 0 });
  return { spending, view, taskOf };
}

const scoredAt = (usd: number) => makeResult({ status: 'scored', cost_target_usd: usd, cost_judge_usd: null });

describe('what rows may spend', () => {
  it('is kept by nobody where the run has no cap', async () => {
    const broken: SpendLedger = { open: () => Promise.reject(new Error('asked for a ledger')) };
    const run = { ...runConfig({ rows: 9 }), eval: JUDGED };
    const options = { run, ledger: broken, part: 0, prices: PRICES, concurrency: 1, clock: new VirtualClock() };
    expect(await openSpending(options)).toBeNull();
  });

  it('is refused to a row that may cost more than the whole cap, and says what it may cost', async () => {
    const bound = costBounds(JUDGED, scoringFor('qa'), PRICES)(makeRow(0), 'http').usd;
    const { spending, taskOf } = await setUp(JUDGED, bound * 0.9);
    expect(await spending.admit(taskOf(0), always)).toBe('refused');
    expect(spending.why).toMatch(/^hard cost cap of \$[\d.]+ reached: \$0 spent, the next row may cost \$[\d.]+$/);
    const enough = await setUp(JUDGED, bound * 1.1);
    expect(await enough.spending.admit(enough.taskOf(0), always)).toBe('go');
  });

  it('goes on from what earlier attempts paid', async () => {
    const { spending, view, taskOf } = await setUp(TELLING, 1, { spentUsd: 1, dearestUsd: {} });
    expect(await spending.admit(taskOf(0), always)).toBe('refused');
    expect(await view()).toMatchObject({ spent: NANO });
  });

  it('knows the dearest answer of earlier attempts', async () => {
    const earlier = new SpendingSoFar();
    for (const usd of [0.1, 0.3, 0.2]) earlier.note({ ...scoredAt(usd), target: 'http' });
    earlier.note(makeResult({ target: 'http', status: 'target_error', cost_target_usd: 0.9, cost_judge_usd: null }));
    expect(earlier).toEqual({ spentUsd: 1.5, dearestUsd: { http: 0.3 } });
    const { spending, taskOf } = await setUp(TELLING, 2, earlier);
    expect(await spending.admit(taskOf(0), always)).toBe('refused');
  });

  it.each([
    { name: 'twice the dearest seen fits', cap: 0.4, admission: 'go' },
    { name: 'twice the dearest seen does not fit', cap: 0.399, admission: 'refused' },
  ])('of a target that tells its cost afterwards: $name', async ({ cap, admission }) => {
    const { spending, taskOf } = await setUp(TELLING, cap);
    for (const [index, usd] of [0.1, 0.05].entries()) {
      const task = taskOf(index);
      await spending.admit(task, always);
      spending.settle(task, scoredAt(usd));
    }
    // 0.15 is spent, and the next may cost 0.2: of 0.4, 0.05 stay. One that costs 0.05 leaves just enough.
    const task = taskOf(2);
    expect(await spending.admit(task, always)).toBe('go');
    spending.settle(task, scoredAt(0.05));
    expect(await spending.admit(taskOf(3), always)).toBe(admission);
  });

  it('one row at a time until the target has told what an answer costs', async () => {
    const { spending, view, taskOf } = await setUp(TELLING, 1);
    const [first, second] = [taskOf(0), taskOf(1)];
    await spending.admit(first, always);
    expect(await view()).toMatchObject({ committed: NANO / 4 });
    let isDecided = false;
    const waiting = spending.admit(second, always).finally(() => {
      isDecided = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDecided).toBe(false);
    spending.settle(first, scoredAt(0.1));
    expect(await waiting).toBe('go');
    // 0.1 spent, and 0.2 for the second.
    expect(await view()).toMatchObject({ spent: 0.1 * NANO, committed: 0.3 * NANO });
  });

  it('counts a row that was cut off as dear as it may have been', async () => {
    const { spending, view, taskOf } = await setUp(TELLING, 1);
    const [first, second] = [taskOf(0), taskOf(1)];
    await spending.admit(first, always);
    spending.settle(first, scoredAt(0.1));
    await spending.admit(second, always);
    spending.settle(second, makeResult({ status: 'skipped', cause: 'cancelled', error: 'cut off', attempts: 1 }));
    await spending.close();
    expect(await view()).toMatchObject({ spent: 0.3 * NANO, committed: 0.3 * NANO });
  });

  it('gives back what a row did not use', async () => {
    const { spending, view, taskOf } = await setUp(TELLING, 1);
    const task = taskOf(0);
    await spending.admit(task, always);
    spending.giveBack(task);
    await spending.close();
    expect(await view()).toMatchObject({ spent: 0, committed: 0 });
  });
});

describe('planted answers', () => {
  const report = { cost: { status: 'metered', usd: 0.001 } } as CanaryReport;
  const bound = costBoundOfCanaries(JUDGED, PRICES, () => true);

  it('are paid for like rows', async () => {
    const { spending, view } = await setUp(JUDGED, bound * 1.01);
    expect(await spending.forCanaries(async () => report)).toBe(report);
    await spending.close();
    expect(await view()).toMatchObject({ spent: 0.001 * NANO, committed: 0.001 * NANO });
  });

  it('are not asked where the cap has no room for them', async () => {
    const { spending } = await setUp(JUDGED, bound * 0.99);
    expect(await spending.forCanaries(() => Promise.reject(new Error('asked')))).toBe('refused');
  });

  it('that nobody asks cost nothing', async () => {
    const { spending, view } = await setUp({ ...JUDGED, canaries: false }, 0.000_000_001);
    expect(await spending.forCanaries(async () => null)).toBeNull();
    expect(await view()).toMatchObject({ spent: 0, committed: 0 });
  });
});
