import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemorySpendLedger } from '../../../src/adapters/memory/memory-spend-ledger.ts';
import type { SpendAccount } from '../../../src/ports/spend-ledger.ts';
import { type Claim, CostAllowance } from '../../../src/use-cases/rows/cost-allowance.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const WHOLE = { isSample: true, isAll: true };
const claimOf = (bound: number | null, target: string | null = 'http'): Claim => ({ target, bound: () => bound });
const always = () => true;

/** Counts how often the ledger is written to. */
class CountedAccount implements SpendAccount {
  steps = 0;
  private readonly account: SpendAccount;
  constructor(account: SpendAccount) {
    this.account = account;
  }
  get view() {
    return this.account.view;
  }
  get held() {
    return this.account.held;
  }
  step(step: Parameters<SpendAccount['step']>[0]) {
    this.steps += 1;
    return this.account.step(step);
  }
}

async function setUp({ cap = 100, chunk = 1, ledger = new MemorySpendLedger(), part = 0 } = {}) {
  const clock = new VirtualClock();
  const account = new CountedAccount(await ledger.open({ runId: 'r-1', part }, cap));
  const allowance = new CostAllowance({ account, cap, chunk, clock, random: () => 0.5 });
  const view = async () => (await ledger.open({ runId: 'r-1', part: 1_000 }, cap)).view;
  return { allowance, account, clock, ledger, view };
}

describe('what a batch may spend', () => {
  it('is put by before a claim starts, and settled at what it cost', async () => {
    const { allowance, view } = await setUp();
    const claim = claimOf(60);
    expect(await allowance.admit(claim, always)).toBe('go');
    expect(await view()).toMatchObject({ spent: 0, committed: 60 });
    allowance.settle(claim, 25, WHOLE);
    await allowance.close();
    expect(await view()).toEqual({ spent: 25, committed: 25, writtenOff: 0, dearest: { http: 25 }, reached: false });
  });

  it.each([
    { name: 'fits exactly', bound: 100, admission: 'go' },
    { name: 'is one too dear', bound: 101, admission: 'refused' },
    { name: 'costs nothing', bound: 0, admission: 'go' },
    { name: 'is infinitely dear', bound: Number.MAX_SAFE_INTEGER, admission: 'refused' },
  ])('a claim that $name is answered at once', async ({ bound, admission }) => {
    const { allowance } = await setUp();
    expect(await allowance.admit(claimOf(bound), always)).toBe(admission);
  });

  it('says in words why it refused', async () => {
    const { allowance } = await setUp({ cap: 1_000_000_000 });
    expect(allowance.why).toBeNull();
    const claim = claimOf(600_000_000);
    await allowance.admit(claim, always);
    allowance.settle(claim, 500_000_000, WHOLE);
    expect(await allowance.admit(claimOf(600_000_000), always)).toBe('refused');
    expect(allowance.why).toBe('hard cost cap of $1 reached: $0.5 spent, the next row may cost $0.6');
  });

  it('once reached, refuses everybody everything, however cheap', async () => {
    const { allowance, ledger } = await setUp();
    const other = await setUp({ ledger, part: 1 });
    expect(await allowance.admit(claimOf(101), always)).toBe('refused');
    expect(await allowance.admit(claimOf(1), always)).toBe('refused');
    expect(await other.allowance.admit(claimOf(1), always)).toBe('refused');
    const later = await setUp({ ledger, part: 2 });
    expect(await later.allowance.admit(claimOf(0), always)).toBe('refused');
  });

  it('a claim waits for those in flight, instead of ending the run', async () => {
    const { allowance } = await setUp();
    const [first, second] = [claimOf(60), claimOf(60)];
    await allowance.admit(first, always);
    const waiting = allowance.admit(second, always);
    allowance.settle(first, 40, WHOLE);
    expect(await waiting).toBe('go');
  });

  it('a claim that cannot fit even then is refused when it is sure', async () => {
    const { allowance } = await setUp();
    const [first, second] = [claimOf(60), claimOf(60)];
    await allowance.admit(first, always);
    const waiting = allowance.admit(second, always);
    allowance.settle(first, 41, WHOLE);
    expect(await waiting).toBe('refused');
  });

  it('waits for what other batches give back', async () => {
    const { allowance, ledger, clock } = await setUp();
    const other = await setUp({ ledger, part: 1 });
    const theirs = claimOf(70);
    await other.allowance.admit(theirs, always);
    const waiting = allowance.admit(claimOf(40), always);
    const released = clock.sleep(10_000).then(() => {
      other.allowance.settle(theirs, 60, WHOLE);
      return other.allowance.close();
    });
    expect(await clock.run(Promise.all([waiting, released]))).toEqual(['go', undefined]);
  });

  it('waits no longer than its caller goes on', async () => {
    const { allowance, ledger, clock } = await setUp();
    const other = await setUp({ ledger, part: 1 });
    await other.allowance.admit(claimOf(70), always);
    let looks = 0;
    const waiting = allowance.admit(claimOf(40), () => ++looks < 4);
    expect(await clock.run(waiting)).toBe('stopped');
    expect(clock.now()).toBeGreaterThan(1_000);
    // Nobody was refused for good.
    expect((await setUp({ ledger, part: 2 })).account.view.reached).toBe(false);
  });

  it('takes money in chunks while there is plenty, and singly when there is not', async () => {
    const { allowance, account, view } = await setUp({ cap: 1_000, chunk: 8 });
    const claims = Array.from({ length: 8 }, () => claimOf(10));
    for (const claim of claims) await allowance.admit(claim, always);
    expect(account.steps).toBe(1);
    for (const claim of claims) allowance.settle(claim, 10, WHOLE);
    const large = claimOf(400);
    await allowance.admit(large, always);
    expect(await view()).toMatchObject({ spent: 80, committed: 480 });
  });

  it('one claim of unknown cost at a time, which takes a quarter, until one like it is known', async () => {
    const { allowance, view } = await setUp({ chunk: 8 });
    const unknown = (): Claim => ({ target: 'http', bound: (dearest) => dearest.http ?? null });
    const [first, second, third] = [unknown(), unknown(), unknown()];
    await allowance.admit(first, always);
    expect(await view()).toMatchObject({ committed: 25 });
    const waiting = allowance.admit(second, always);
    // A failure tells nothing: the second one is as unknown.
    allowance.settle(first, 0, { isSample: false, isAll: true });
    expect(await waiting).toBe('go');
    allowance.settle(second, 7, WHOLE);
    expect(await allowance.admit(third, always)).toBe('go');
    await allowance.close();
    // The third has no end that anybody saw: what it may have cost counts.
    expect(await view()).toMatchObject({ spent: 14, committed: 14, dearest: { http: 7 } });
  });

  it('a claim dearer than its bound counts whole, though it passes the cap', async () => {
    const { allowance, view } = await setUp();
    const claim = claimOf(50);
    await allowance.admit(claim, always);
    allowance.settle(claim, 130, WHOLE);
    expect(await allowance.admit(claimOf(1), always)).toBe('refused');
    await allowance.close();
    expect(await view()).toMatchObject({ spent: 130, committed: 130 });
  });

  it('a claim that was cut off counts what it may have cost, one not used nothing', async () => {
    const { allowance, view } = await setUp();
    const [cut, unused] = [claimOf(50), claimOf(30)];
    await allowance.admit(cut, always);
    await allowance.admit(unused, always);
    allowance.settle(cut, 5, { isSample: false, isAll: false });
    allowance.giveBack(unused);
    await allowance.close();
    expect(await view()).toMatchObject({ spent: 50, committed: 50, dearest: {} });
  });

  it('goes on beside another delivery of its batch, both counted', async () => {
    const { allowance, ledger, view } = await setUp();
    const first = claimOf(30);
    await allowance.admit(first, always);
    const second = await setUp({ ledger });
    const theirs = claimOf(30);
    await second.allowance.admit(theirs, always);
    allowance.settle(first, 20, WHOLE);
    // Its 30 count as spent, so the 20 do not count again.
    const next = claimOf(40);
    expect(await allowance.admit(next, always)).toBe('go');
    expect(await view()).toMatchObject({ spent: 30, committed: 100, writtenOff: 30 });
    allowance.settle(next, 40, WHOLE);
    second.allowance.settle(theirs, 30, WHOLE);
    await allowance.close();
    await second.allowance.close();
    expect(await view()).toMatchObject({ spent: 100, committed: 100, writtenOff: 30 });
  });
});

interface PlannedRow {
  readonly bound: number;
  readonly cost: number;
}

/** Batches with their rows; `deaths`: after so many finished rows a delivery vanishes, and the batch comes again. */
interface Plan {
  readonly batches: readonly { readonly rows: readonly PlannedRow[]; readonly deaths: readonly number[] }[];
  readonly cap: number;
  readonly chunk: number;
  readonly concurrency: number;
}

const aRow = fc
  .tuple(
    fc.integer({ min: 0, max: 50 }),
    // Rows as dear as they can be are what tells whether the cap holds.
    fc.oneof({ weight: 2, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
  )
  .map(([bound, share]) => ({ bound, cost: Math.floor(bound * share) }));
const aPlan = (deaths: number): fc.Arbitrary<Plan> =>
  fc.record({
    batches: fc.array(
      fc.record({
        rows: fc.array(aRow, { minLength: 1, maxLength: 6 }),
        deaths: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: deaths }),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    cap: fc.integer({ min: 0, max: 600 }),
    chunk: fc.integer({ min: 1, max: 4 }),
    concurrency: fc.integer({ min: 1, max: 3 }),
  });

/** Plays a plan under a scheduler that decides who goes on. Gives what was truly paid, and what came of each row. */
async function play(plan: Plan, scheduler: fc.Scheduler) {
  const ledger = new MemorySpendLedger();
  const tick = () => scheduler.schedule(Promise.resolve());
  const clock = { sleep: tick };
  let paid = 0;
  let most = 0;
  let mostCommitted = 0;
  let refused = 0;
  let finished = 0;
  /** True: it died. */
  const deliver = async (part: number, todo: Set<PlannedRow>, deathAfter: number | undefined): Promise<boolean> => {
    await tick();
    const account = await ledger.open({ runId: 'r-1', part }, plan.cap);
    const slow: SpendAccount = {
      get view() {
        return account.view;
      },
      get held() {
        return account.held;
      },
      async step(step) {
        await tick();
        const outcome = await account.step(step);
        mostCommitted = Math.max(mostCommitted, account.view.committed);
        await tick();
        return outcome;
      },
    };
    const allowance = new CostAllowance({ account: slow, cap: plan.cap, chunk: plan.chunk, clock, random: () => 0 });
    const queue = [...todo];
    const kept = new Set<PlannedRow>();
    let rows = 0;
    let dead = false;
    const worker = async () => {
      for (let row = queue.shift(); row !== undefined && !dead; row = queue.shift()) {
        const { bound, cost } = row;
        const claim = claimOf(bound);
        const admission = await allowance.admit(claim, () => !dead);
        if (dead) return;
        if (admission !== 'go') {
          refused += 1;
          continue;
        }
        await tick();
        // Its request was sent, so it is paid, whether or not anybody is there for the answer.
        paid += cost;
        most = Math.max(most, paid);
        if (dead) return;
        allowance.settle(claim, cost, WHOLE);
        kept.add(row);
        rows += 1;
        if (rows === deathAfter) dead = true;
      }
    };
    if (deathAfter === 0) dead = true;
    await Promise.all(Array.from({ length: plan.concurrency }, worker));
    // What a dead delivery had not written down is asked again: here, all but its first row.
    const written = dead ? [...kept].slice(0, 1) : [...kept];
    for (const row of written) todo.delete(row);
    finished += written.length;
    if (!dead) await allowance.close();
    return dead;
  };
  const batch = async ({ rows, deaths }: Plan['batches'][number], part: number) => {
    const todo = new Set(rows);
    for (const deathAfter of deaths) if (!(await deliver(part, todo, deathAfter))) return;
    await deliver(part, todo, undefined);
  };
  await scheduler.waitFor(Promise.all(plan.batches.map(batch)));
  const { view } = await ledger.open({ runId: 'r-1', part: 1_000 }, plan.cap);
  return { paid, most, mostCommitted, refused, finished, view };
}

const rowsOf = (plan: Plan) => plan.batches.flatMap(({ rows }) => rows);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe('batches that run side by side', () => {
  it('never pay more than the cap together, whoever dies when', async () => {
    await fc.assert(
      fc.asyncProperty(aPlan(3), fc.scheduler(), async (plan, scheduler) => {
        const { most, mostCommitted, view, paid } = await play(plan, scheduler);
        expect(mostCommitted).toBeLessThanOrEqual(plan.cap);
        expect(most).toBeLessThanOrEqual(plan.cap);
        // The ledger never says less than was paid, and holds nothing in the end.
        expect(view.spent).toBeGreaterThanOrEqual(paid);
        expect(view.committed).toBe(view.spent);
        expect(view.spent).toBeLessThanOrEqual(plan.cap);
      }),
      { numRuns: 400 },
    );
  });

  it('count exactly what was paid where nobody died', async () => {
    await fc.assert(
      fc.asyncProperty(aPlan(0), fc.scheduler(), async (plan, scheduler) => {
        const { paid, view, refused, finished } = await play(plan, scheduler);
        expect(view).toMatchObject({ spent: paid, committed: paid, writtenOff: 0, reached: refused > 0 });
        expect(finished + refused).toBe(rowsOf(plan).length);
      }),
      { numRuns: 200 },
    );
  });

  it('refuse nothing where the cap has room for all they cost and one row more', async () => {
    await fc.assert(
      fc.asyncProperty(aPlan(0), fc.scheduler(), async (plan, scheduler) => {
        const rows = rowsOf(plan);
        const cap = sum(rows.map(({ cost }) => cost)) + Math.max(...rows.map(({ bound }) => bound));
        const { refused, finished } = await play({ ...plan, cap }, scheduler);
        expect({ refused, finished }).toEqual({ refused: 0, finished: rows.length });
      }),
      { numRuns: 200 },
    );
  });

  it('refuse nothing where the cap has room for what every delivery may cost', async () => {
    await fc.assert(
      fc.asyncProperty(aPlan(3), fc.scheduler(), async (plan, scheduler) => {
        const cap = 4 * 10 * sum(rowsOf(plan).map(({ bound }) => bound)) + 1_000;
        const { refused, finished } = await play({ ...plan, cap }, scheduler);
        expect({ refused, finished }).toEqual({ refused: 0, finished: rowsOf(plan).length });
      }),
      { numRuns: 200 },
    );
  });
});
