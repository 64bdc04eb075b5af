import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerOutcome, LedgerStep, SpendLedger } from '../../src/ports/spend-ledger.ts';
import { aRunId } from './samples.ts';

const CAP = 1_000;
const RUN = aRunId(1);
const asks = (spent: number, hold: number): LedgerStep => ({ spent, hold, mustFit: true });
const NOTHING = { spent: 0, committed: 0, writtenOff: 0, dearest: {}, reached: false };

/** `makeLedger` gives an empty ledger each time. */
export function spendLedgerContract(
  name: string,
  makeLedger: () => Promise<SpendLedger>,
  stop: () => Promise<void> = async () => undefined,
): void {
  describe(`${name} as SpendLedger`, () => {
    let ledger: SpendLedger;
    const open = (part = 0, cap = CAP) => ledger.open({ runId: RUN, part }, cap);
    beforeEach(async () => {
      ledger = await makeLedger();
    });
    afterAll(stop);

    it('begins with nothing, for each run', async () => {
      const account = await open();
      expect(account.view).toEqual(NOTHING);
      await account.step({ spent: 0, hold: 700 });
      const other = await ledger.open({ runId: aRunId(2), part: 0 }, CAP);
      expect(other.view).toEqual(NOTHING);
      expect(await other.step(asks(0, 1_000))).toBe('done');
    });

    it.each<{ name: string; held: number; step: LedgerStep; outcome: LedgerOutcome }>([
      { name: 'up to the cap exactly', held: 0, step: asks(0, 1_000), outcome: 'done' },
      { name: 'not one above it', held: 0, step: asks(0, 1_001), outcome: 'does not fit' },
      { name: 'what is spent and held together', held: 400, step: asks(400, 600), outcome: 'done' },
      { name: 'not more than both', held: 400, step: asks(400, 601), outcome: 'does not fit' },
      { name: 'not as much as before beside too much spent', held: 400, step: asks(601, 400), outcome: 'does not fit' },
      { name: 'what is in flight, whatever was spent', held: 400, step: { spent: 1_700, hold: 400 }, outcome: 'done' },
      { name: 'less, giving back', held: 400, step: { spent: 0, hold: 0 }, outcome: 'done' },
    ])('holds $name', async ({ held, step, outcome }) => {
      const account = await open();
      expect(await account.step(asks(0, held))).toBe('done');
      expect(await account.step(step)).toBe(outcome);
      const now = outcome === 'done' ? step : { spent: 0, hold: held };
      expect(account.held).toBe(now.hold);
      expect(account.view).toEqual({ ...NOTHING, spent: now.spent, committed: now.spent + now.hold });
      expect((await open(1)).view).toEqual(account.view);
    });

    it('counts what all parts hold', async () => {
      const [one, two] = [await open(1), await open(2)];
      expect(await one.step(asks(0, 600))).toBe('done');
      expect(await two.step(asks(0, 401))).toBe('does not fit');
      expect(two.view.committed).toBe(600);
      expect(await two.step(asks(0, 400))).toBe('done');
      expect(await one.step({ spent: 100, hold: 500, closes: false })).toBe('done');
      expect(await one.step({ spent: 50, hold: 0, closes: true })).toBe('done');
      expect(await two.step(asks(400, 450))).toBe('done');
      expect(two.view).toEqual({ ...NOTHING, spent: 550, committed: 1_000 });
    });

    it('writes off what an earlier delivery of the part held, once', async () => {
      const first = await open(7);
      await first.step({ spent: 100, hold: 300 });
      const second = await open(7);
      expect(second.view).toEqual({ ...NOTHING, spent: 400, committed: 400, writtenOff: 300 });
      await second.step({ spent: 0, hold: 200 });
      // The first one lives on: it learns that it holds nothing, and may hold anew beside the second.
      expect(await first.step({ spent: 300, hold: 50 })).toBe('written off');
      expect(first.held).toBe(0);
      expect(await first.step({ spent: 10, hold: 50 })).toBe('done');
      expect(await second.step({ spent: 200, hold: 0 })).toBe('done');
      expect(second.view).toEqual({ ...NOTHING, spent: 610, committed: 660, writtenOff: 300 });
    });

    it('leaves the accounts of other parts alone, whatever their numbers begin with', async () => {
      const others = [await open(1), await open(10), await open(90_000_001)];
      for (const account of others) await account.step({ spent: 0, hold: 10 });
      await open(0);
      await open(9);
      const view = (await open(1)).view;
      expect(view).toEqual({ ...NOTHING, spent: 10, committed: 30, writtenOff: 10 });
    });

    it('a part that closed its account leaves nothing to write off', async () => {
      const first = await open(3);
      await first.step({ spent: 0, hold: 300 });
      await first.step({ spent: 120, hold: 0, closes: true });
      expect((await open(3)).view).toEqual({ ...NOTHING, spent: 120, committed: 120 });
      const idle = await open(4);
      expect(await idle.step({ spent: 0, hold: 0, closes: true })).toBe('done');
      const paid = await open(5);
      expect(await paid.step({ spent: 7, hold: 0, closes: true })).toBe('done');
      expect((await open(5)).view).toEqual({ ...NOTHING, spent: 127, committed: 127 });
    });

    it('keeps the dearest row of each target, whoever saw it first', async () => {
      const [one, two] = [await open(1), await open(2)];
      await one.step({ spent: 0, hold: 1, dearest: { 'http.a b#é': 5, other: 0 } });
      expect(await two.step({ spent: 0, hold: 1, dearest: { 'http.a b#é': 9 } })).toBe('done');
      expect(await one.step({ spent: 0, hold: 2, dearest: { 'http.a b#é': 7, third: 3 } })).toBe('done');
      expect(one.view.dearest).toEqual({ 'http.a b#é': 9, other: 0, third: 3 });
    });

    it('remembers that the cap was reached', async () => {
      const [one, two] = [await open(1), await open(2)];
      await one.step({ spent: 0, hold: 0, reached: true });
      await two.step({ spent: 0, hold: 0 });
      expect(two.view.reached).toBe(true);
      expect((await open(1)).view.reached).toBe(true);
    });

    it('never holds more than the cap, however many ask at once', async () => {
      const accounts = await Promise.all(Array.from({ length: 30 }, (_, part) => open(part)));
      const outcomes = await Promise.all(accounts.map((account) => account.step(asks(0, 70))));
      expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(14);
      await Promise.all(
        accounts.map((account, at) =>
          outcomes[at] === 'done'
            ? account.step({ spent: at, hold: 0, closes: true, dearest: { http: at } })
            : Promise.resolve('done'),
        ),
      );
      const spent = outcomes.reduce((sum, outcome, at) => sum + (outcome === 'done' ? at : 0), 0);
      const dearest = outcomes.lastIndexOf('done');
      expect((await open(99)).view).toEqual({ ...NOTHING, spent, committed: spent, dearest: { http: dearest } });
    });

    it('is opened by many at once, also for one part', async () => {
      const accounts = await Promise.all(Array.from({ length: 10 }, () => open(5)));
      await Promise.all(accounts.map((account) => account.step({ spent: 0, hold: 10 })));
      expect((await open(5)).view).toEqual({ ...NOTHING, spent: 100, committed: 100, writtenOff: 100 });
    });
  });
}
