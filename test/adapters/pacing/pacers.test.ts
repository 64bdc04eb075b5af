import { describe, expect, it } from 'vitest';
import { MemoryPaceStore } from '../../../src/adapters/memory/memory-pace-store.ts';
import { Pacers, paceKey } from '../../../src/adapters/pacing/pacers.ts';
import type { Turn } from '../../../src/adapters/pacing/turn-queue.ts';
import type { Pace } from '../../../src/core/pace/pace.ts';
import { VirtualTime } from './virtual-time.ts';

const signal = new AbortController().signal;

class ListingStore extends MemoryPaceStore {
  readonly keys = new Set<string>();
  override update<T>(key: string, change: (pace: Pace | null) => { pace: Pace | null; result: T }): Promise<T> {
    this.keys.add(key);
    return super.update(key, change);
  }
}

function setUp(more: { scope?: string; judgeGraceMs?: number; onFirstThrottle?(): void } = {}) {
  const time = new VirtualTime();
  const store = new ListingStore();
  const pacers = new Pacers({ clock: time, random: () => 0, store, ...more });
  const turnsOf = (by: 'targets' | 'judges', key: string) => pacers.turnsOf({ by, key, timeoutS: 1, attempts: 1 });
  return { time, store, pacers, turnsOf };
}

async function throttle(turns: ReturnType<Pacers['turnsOf']>, holdMs: number | null = null): Promise<void> {
  await turns.throttled((await turns.take(signal)) as Turn, holdMs);
}

describe('keys', () => {
  it('a host is its project’s, a model and a resource are the account’s', async () => {
    const keysOf = async (scope: string) => {
      const { store, turnsOf } = setUp({ scope });
      await throttle(turnsOf('targets', paceKey.host('https://api.example.com/v1?key=s3cret')));
      await throttle(turnsOf('judges', paceKey.model('us-east-1', 'us.amazon.nova-2-lite-v1:0')));
      await throttle(turnsOf('targets', paceKey.resource('arn:aws:lambda:us-east-1:1:function:f')));
      return [...store.keys];
    };
    const [shop, bank] = [await keysOf('shop'), await keysOf('bank')];
    expect(shop[0]).not.toBe(bank[0]);
    expect(shop.slice(1)).toEqual(bank.slice(1));
    expect(shop.join()).not.toMatch(/example|s3cret/);
  });

  it('a host is one whatever the path, and another with another port', () => {
    const [a, b, c] = ['https://h.example/a', 'https://h.example/b?c', 'https://h.example:8443/a'].map(paceKey.host);
    expect(a).toBe(b);
    expect(a).not.toBe(c);
  });

  it('target and judge on one model in one Region wait for each other', async () => {
    const { pacers, time, turnsOf } = setUp();
    const key = paceKey.model('us-east-1', 'm');
    const [target, judge] = [turnsOf('targets', key), turnsOf('judges', key)];
    const startMs = time.now();
    await throttle(target, 10_000);
    await time.run(judge.take(signal));
    expect(time.now() - startMs).toBeGreaterThanOrEqual(10_000);
    expect(pacers.throttled).toEqual({ targets: 1, judges: 0 });
  });

  it('other Regions and other models do not', async () => {
    const { time, turnsOf } = setUp();
    await throttle(turnsOf('targets', paceKey.model('us-east-1', 'm')), 10_000);
    await turnsOf('judges', paceKey.model('eu-west-1', 'm')).take(signal);
    await turnsOf('judges', paceKey.model('us-east-1', 'n')).take(signal);
    expect(time.now()).toBe(VirtualTime.START);
  });
});

describe('the run', () => {
  it('is told of the first throttle only', async () => {
    let told = 0;
    const { turnsOf, pacers } = setUp({ onFirstThrottle: () => (told += 1) });
    await throttle(turnsOf('targets', 'a'));
    await throttle(turnsOf('judges', 'b'));
    expect(told).toBe(1);
    expect(pacers.throttled).toEqual({ targets: 1, judges: 1 });
  });

  it('is full while one of its sides is, and has room when that has', async () => {
    const { pacers, time, turnsOf } = setUp();
    expect(pacers.isFull).toBe(false);
    const judge = turnsOf('judges', 'b');
    await throttle(judge, 20_000);
    expect(pacers.isFull).toBe(false);
    const waiting = judge.take(signal);
    expect(pacers.isFull).toBe(true);
    await time.run(pacers.room());
    expect(pacers.isFull).toBe(false);
    expect(time.now()).toBeGreaterThanOrEqual(VirtualTime.START + 20_000);
    await waiting;
  });
});

describe('when no row may start any more', () => {
  it('targets wait no longer, judges as long as a target might have taken', async () => {
    const { pacers, time, turnsOf } = setUp({ judgeGraceMs: 20_000 });
    const [target, judge] = [turnsOf('targets', 'a'), turnsOf('judges', 'b')];
    await throttle(target, 60_000);
    await throttle(judge, 60_000);
    let isOver = false;
    pacers.waitWhile(() => !isOver);
    const ends: [string, number][] = [];
    const note = (who: string) => (given: unknown) => {
      ends.push([`${who}: ${given}`, time.now() - VirtualTime.START]);
    };
    const both = Promise.all([target.take(signal).then(note('target')), judge.take(signal).then(note('judge'))]);
    await time.pass(10_000);
    isOver = true;
    await time.run(both);
    expect(ends.map(([end]) => end)).toEqual(['target: waiting is over', 'judge: waiting is over']);
    const [targetMs = 0, judgeMs = 0] = ends.map(([, atMs]) => atMs);
    expect(targetMs).toBeLessThanOrEqual(12_000);
    expect(judgeMs).toBeGreaterThanOrEqual(30_000);
    expect(judgeMs).toBeLessThanOrEqual(33_000);
  });
});
