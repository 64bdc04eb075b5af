import { expect, it } from 'vitest';
import { AdaptiveLimit } from '../../src/adapters/adaptive-limit.ts';

/** Starts n works that end when told to. */
function start(limit: AdaptiveLimit, n: number) {
  const started: { wave: number; end: () => void }[] = [];
  const done = Promise.all(
    Array.from({ length: n }, () =>
      limit.run((wave) => new Promise<void>((resolve) => started.push({ wave, end: resolve }))),
    ),
  );
  return { started, done };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('lets everything through until something is throttled', () => {
  expect(start(new AdaptiveLimit(), 500).started).toHaveLength(500);
});

it('halves once for a wave of throttling, and not below one', () => {
  const limit = new AdaptiveLimit();
  const { started } = start(limit, 8);
  for (const { wave } of started) limit.throttled(wave);
  expect(limit.limit).toBe(4);
  for (let wave = 1; wave < 9; wave += 1) limit.throttled(wave);
  expect(limit.limit).toBe(1);
});

it('holds what is over the limit back until there is room, and forgets nothing', async () => {
  const limit = new AdaptiveLimit();
  const first = start(limit, 4);
  limit.throttled(0);
  const second = start(limit, 3);
  expect(second.started).toHaveLength(0);
  for (const { end } of first.started.slice(0, 3)) end();
  await settle();
  expect(second.started).toHaveLength(1);
  first.started[3]?.end();
  await settle();
  expect(second.started).toHaveLength(2);
  for (let i = 0; i < 3; i += 1) {
    second.started[i]?.end();
    await settle();
  }
  await Promise.all([first.done, second.done]);
});

it('opens by one after as many successes as it lets through', () => {
  const limit = new AdaptiveLimit();
  start(limit, 4);
  limit.throttled(0);
  limit.succeeded();
  expect(limit.limit).toBe(2);
  limit.succeeded();
  expect(limit.limit).toBe(3);
});

it('frees the place of a work that failed', async () => {
  const limit = new AdaptiveLimit();
  const failing = limit.run(() => Promise.reject(new Error('no')));
  limit.throttled(0);
  await expect(failing).rejects.toThrow('no');
  await expect(limit.run(async () => 'yes')).resolves.toBe('yes');
});
