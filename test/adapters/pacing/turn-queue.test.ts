import { expect, it } from 'vitest';
import type { Patience } from '../../../src/adapters/pacing/patience.ts';
import { TurnQueue } from '../../../src/adapters/pacing/turn-queue.ts';

const patience = (silenceMs: number): Patience => ({ mayWait: () => true, silenceMs });
const turn = (issuedMs: number) => ({ issuedMs });
const { signal } = new AbortController();

it('gives turns in the order of asking', async () => {
  const queue = new TurnQueue();
  const waiting = [1, 2, 3].map((n) => queue.wait(signal, patience(n)));
  for (const at of [10, 20, 30]) queue.give(turn(at));
  expect(await Promise.all(waiting)).toEqual([turn(10), turn(20), turn(30)]);
  expect(queue.length).toBe(0);
});

it('sends away those only for whom there is a reason, and wakes who waits for room', async () => {
  const queue = new TurnQueue();
  const waiting = [1, 2, 3].map((n) => queue.wait(signal, patience(n)));
  const room = queue.room();
  queue.dismiss(({ silenceMs }) => (silenceMs === 2 ? 'nobody is answered' : null));
  expect(await waiting[1]).toBe('nobody is answered');
  await room;
  expect(queue.length).toBe(2);
});

it('forgets who was aborted, and gives the turn to the next', async () => {
  const queue = new TurnQueue();
  const stop = new AbortController();
  const [first, second] = [queue.wait(stop.signal, patience(1)), queue.wait(signal, patience(1))];
  stop.abort();
  queue.give(turn(10));
  expect([await first, await second]).toEqual(['waiting is over', turn(10)]);
});

it('fails all, and wakes who waits for room', async () => {
  const queue = new TurnQueue();
  const waiting = [queue.wait(signal, patience(1)), queue.wait(signal, patience(1))];
  const room = queue.room();
  queue.failAll(new TypeError('a bug'));
  for (const each of waiting) await expect(each).rejects.toThrow('a bug');
  await room;
  expect(queue.length).toBe(0);
});
