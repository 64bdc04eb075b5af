import { describe, expect, it } from 'vitest';
import { MemoryPaceStore } from '../../../src/adapters/memory/memory-pace-store.ts';
import type { Patience } from '../../../src/adapters/pacing/patience.ts';
import { RequestPacer } from '../../../src/adapters/pacing/request-pacer.ts';
import type { NoTurn, Turn } from '../../../src/adapters/pacing/turn-queue.ts';
import { StorageError } from '../../../src/core/errors.ts';
import type { Pace } from '../../../src/core/pace/pace.ts';
import type { PaceStore } from '../../../src/ports/pace-store.ts';
import { VirtualTime } from './virtual-time.ts';

const FOR_EVER: Patience = { mayWait: () => true, silenceMs: Number.POSITIVE_INFINITY };
const signal = new AbortController().signal;

/** Counts what is asked of it. */
class CountingStore implements PaceStore {
  calls = 0;
  readonly #store = new MemoryPaceStore();
  async update<T>(key: string, change: (pace: Pace | null) => { pace: Pace | null; result: T }): Promise<T> {
    this.calls += 1;
    return this.#store.update(key, change);
  }
}

function setUp({ store = new CountingStore(), isExpected = false }: { store?: PaceStore; isExpected?: boolean } = {}) {
  const time = new VirtualTime();
  const pacer = (key = 'host:a') => new RequestPacer({ key, store, clock: time, random: () => 0.5, isExpected });
  return { time, store, pacer, a: pacer() };
}

const given = (turn: Turn | NoTurn): Turn => {
  if (typeof turn === 'string') throw new Error(turn);
  return turn;
};

/** Sends `count` requests at once; `reply` says what becomes of each. */
async function send(
  pacer: RequestPacer,
  time: VirtualTime,
  count: number,
  reply: (atMs: number) => 'ok' | 'throttled',
) {
  const sentMs: number[] = [];
  let wasted = 0;
  const one = async (): Promise<void> => {
    const turn = given(await pacer.turn(signal, FOR_EVER));
    const atMs = time.now();
    const outcome = reply(atMs);
    await time.sleep(10);
    if (outcome === 'ok') {
      sentMs.push(atMs);
      pacer.answered(turn);
      return;
    }
    wasted += 1;
    await pacer.throttled(turn, null);
    await one();
  };
  await time.run(Promise.all(Array.from({ length: count }, one)));
  return { sentMs, wasted };
}

/** A server's token bucket. */
function bucket(time: VirtualTime, ratePerSecond: () => number, burst: number): () => 'ok' | 'throttled' {
  let tokens = burst;
  let atMs = time.now();
  return () => {
    tokens = Math.min(burst, tokens + ((time.now() - atMs) / 1000) * ratePerSecond());
    atMs = time.now();
    if (tokens < 1) return 'throttled';
    tokens -= 1;
    return 'ok';
  };
}

describe('before anything is throttled', () => {
  it('lets everything through at once, without asking the store', async () => {
    const { a, time, store } = setUp();
    const { sentMs } = await send(a, time, 500, () => 'ok');
    expect(new Set(sentMs).size).toBe(1);
    expect((store as CountingStore).calls).toBe(0);
    expect(a.isFull).toBe(false);
  });

  it('asks the store first where others were throttled, and goes on freely when there is no pace any more', async () => {
    const { a, time, store } = setUp({ isExpected: true });
    const { sentMs } = await send(a, time, 50, () => 'ok');
    expect(new Set(sentMs).size).toBe(1);
    expect((store as CountingStore).calls).toBe(1);
  });
});

describe('a side that takes five requests a second', () => {
  it.each([4, 20, 50, 200])('answers all of %i requests sent at once, few of them sent in vain', async (count) => {
    const { a, time } = setUp();
    const { sentMs, wasted } = await send(
      a,
      time,
      count,
      bucket(time, () => 5, 5),
    );
    expect(sentMs).toHaveLength(count);
    // The first wave runs into the wall together; nobody after it does.
    expect(wasted).toBeLessThanOrEqual(count + 10 + count / 5);
  });

  it('is used well: at least 3 of 5 places are taken', async () => {
    const { a, time } = setUp();
    const startMs = time.now();
    await send(
      a,
      time,
      300,
      bucket(time, () => 5, 5),
    );
    expect(300 / ((time.now() - startMs) / 1000)).toBeGreaterThan(3);
  });

  it('is asked faster again once it takes more', async () => {
    const { a, time } = setUp();
    let rate = 5;
    await send(
      a,
      time,
      50,
      bucket(time, () => rate, 5),
    );
    rate = 1_000;
    const startMs = time.now();
    await send(a, time, 300, () => 'ok');
    // 60 s at the old pace.
    expect(time.now() - startMs).toBeLessThan(20_000);
  });

  it('is shared: processes that ask it together send hardly more in vain than one', async () => {
    const { pacer, time } = setUp();
    const server = bucket(time, () => 5, 5);
    const ends = await Promise.all(Array.from({ length: 10 }, () => send(pacer(), time, 20, server)));
    expect(ends.flatMap(({ sentMs }) => sentMs)).toHaveLength(200);
    const wasted = ends.reduce((sum, end) => sum + end.wasted, 0);
    expect(wasted).toBeLessThanOrEqual(200 + 50);
  });

  it('is left alone by a process that was told', async () => {
    const { pacer, time, store } = setUp();
    const server = bucket(time, () => 5, 5);
    await send(pacer(), time, 20, server);
    const told = new RequestPacer({ key: 'host:a', store, clock: time, random: () => 0.5, isExpected: true });
    const { wasted } = await send(told, time, 20, server);
    expect(wasted).toBeLessThanOrEqual(5);
  });
});

describe('once nothing holds requests up any more', () => {
  it('the store is left alone again', async () => {
    const { a, time, store } = setUp();
    await send(
      a,
      time,
      8,
      bucket(time, () => 5, 5),
    );
    for (let second = 0; second < 120; second += 1) {
      await send(a, time, 1, () => 'ok');
      await time.pass(1_000);
    }
    const { calls } = store as CountingStore;
    const { sentMs } = await send(a, time, 100, () => 'ok');
    expect(new Set(sentMs).size).toBe(1);
    expect((store as CountingStore).calls).toBe(calls);
  });
});

describe('when the other side says how long to wait', () => {
  it('nobody of the process sends before that', async () => {
    const { a, time } = setUp();
    const startMs = time.now();
    const first = given(await a.turn(signal, FOR_EVER));
    await a.throttled(first, 10_000);
    const { sentMs } = await send(a, time, 5, () => 'ok');
    expect(Math.min(...sentMs)).toBeGreaterThanOrEqual(startMs + 10_000);
  });

  it('others who keep the pace do not either', async () => {
    const { a, pacer, time } = setUp({ isExpected: true });
    const startMs = time.now();
    const first = given(await time.run(a.turn(signal, FOR_EVER)));
    await a.throttled(first, 10_000);
    const { sentMs } = await send(pacer(), time, 5, () => 'ok');
    expect(Math.min(...sentMs)).toBeGreaterThanOrEqual(startMs + 10_000);
  });

  it.each([1e12, Number.POSITIVE_INFINITY])('and asks for %d ms, a minute is enough', async (holdMs) => {
    const { a, time } = setUp();
    const startMs = time.now();
    await a.throttled(given(await a.turn(signal, FOR_EVER)), holdMs);
    const { sentMs } = await send(a, time, 1, () => 'ok');
    expect(sentMs[0]).toBeLessThanOrEqual(startMs + 62_000);
  });
});

describe('whoever waits', () => {
  async function throttledPacer(patience: Patience) {
    const { a, time } = setUp();
    await a.throttled(given(await a.turn(signal, FOR_EVER)), 50_000);
    return { a, time, waiting: a.turn(signal, patience) };
  }

  it('gives up when waiting is over', async () => {
    let mayWait = true;
    const { time, waiting } = await throttledPacer({ ...FOR_EVER, mayWait: () => mayWait });
    await time.pass(3_000);
    mayWait = false;
    expect(await time.run(waiting)).toBe('waiting is over');
  });

  it('gives up at once when the run is aborted, and leaves no listener behind', async () => {
    const { a, time } = await throttledPacer(FOR_EVER);
    const stop = new AbortController();
    const turn = a.turn(stop.signal, FOR_EVER);
    stop.abort();
    expect(await turn).toBe('waiting is over');
    expect(time.now()).toBe(VirtualTime.START);
  });

  it('gives up a side that answers nobody', async () => {
    const { a, time } = setUp();
    const patience = { mayWait: () => true, silenceMs: 120_000 };
    const startMs = time.now();
    let attempts = 0;
    const never = async (): Promise<NoTurn> => {
      const turn = await a.turn(signal, patience);
      if (typeof turn === 'string') return turn;
      attempts += 1;
      await a.throttled(turn, null);
      return never();
    };
    expect(await time.run(Promise.all([never(), never(), never()]))).toEqual(Array(3).fill('nobody is answered'));
    expect(time.now() - startMs).toBeLessThanOrEqual(125_000);
    // Halving leaves few requests to a side that is down.
    expect(attempts).toBeLessThan(40);
  });

  it('waits on while something in flight may still be answered', async () => {
    const { a, time } = setUp();
    const [slow, refused] = [given(await a.turn(signal, FOR_EVER)), given(await a.turn(signal, FOR_EVER))];
    await a.throttled(refused, 60_000);
    const waiting = a.turn(signal, { mayWait: () => true, silenceMs: 5_000 });
    await time.pass(59_000);
    a.answered(slow);
    expect(await time.run(waiting)).toMatchObject({ issuedMs: expect.any(Number) });
  });

  it('makes the pacer full once a second of requests waits, and room when one is sent', async () => {
    const { a, time } = await throttledPacer(FOR_EVER);
    expect(a.isFull).toBe(true);
    const room = a.room();
    await time.run(room);
    expect(a.isFull).toBe(false);
  });
});

describe('a store that fails', () => {
  const broken: PaceStore = { update: () => Promise.reject(new StorageError('DynamoDB is away')) };

  it('leaves the process with a pace of its own', async () => {
    const { a, time } = setUp({ store: broken });
    const { sentMs } = await send(
      a,
      time,
      30,
      bucket(time, () => 5, 5),
    );
    expect(sentMs).toHaveLength(30);
  });

  it('with a bug fails the requests that wait, instead of leaving them', async () => {
    const buggy: PaceStore = { update: () => Promise.reject(new TypeError('a bug')) };
    const { a } = setUp({ store: buggy, isExpected: true });
    await expect(a.turn(signal, FOR_EVER)).rejects.toThrow('a bug');
  });
});
