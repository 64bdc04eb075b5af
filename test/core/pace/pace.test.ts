import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  IDLE_MS,
  livePace,
  lowerPace,
  MAX_HOLD_MS,
  MIN_RATE,
  type Pace,
  takeSlots,
} from '../../../src/core/pace/pace.ts';

const NOW = 1_000_000;

function throttle(over: Partial<Parameters<typeof lowerPace>[1]> = {}) {
  return { nowMs: NOW, issuedMs: NOW, sentPerSecond: 10, holdMs: null, ...over };
}
function take(pace: Pace, over: Partial<Parameters<typeof takeSlots>[1]> = {}) {
  return takeSlots(pace, { nowMs: NOW, wanted: 1000, answered: 0, answeredMs: null, ...over });
}
/** 10 a second sent, so 5 a second, lowered at NOW; the first slot a fifth of a second later. */
const five = lowerPace(null, throttle());
/** The same once 10 a second were too much. */
const known: Pace = { ...five, ceiling: 10 };

describe('the first throttle', () => {
  it('goes on at half of what was sent', () => {
    expect(five).toMatchObject({ rate: 5, ceiling: null, lowered_ms: NOW, next_ms: NOW + 200, held_ms: NOW });
  });

  it('does not go below the floor, however little was sent', () => {
    for (const sentPerSecond of [0, 1e-9, MIN_RATE]) {
      expect(lowerPace(null, throttle({ sentPerSecond })).rate).toBe(MIN_RATE);
    }
  });
});

describe('a further throttle', () => {
  it.each([
    { name: 'of a request let through after the last lowering halves the rate', issuedMs: NOW + 1, rate: 2.5 },
    { name: 'of one let through at that moment changes nothing', issuedMs: NOW, rate: 5 },
    { name: 'of one let through before changes nothing', issuedMs: NOW - 1, rate: 5 },
    { name: 'of one that had no slot says nothing about the rate', issuedMs: null, rate: 5 },
  ])('$name', ({ issuedMs, rate }) => {
    expect(lowerPace(five, throttle({ nowMs: NOW + 5, issuedMs })).rate).toBe(rate);
  });

  it('halves once for a wave, whoever reports it and in whatever order', () => {
    let pace = five;
    for (const issuedMs of [NOW + 3, NOW + 1, NOW + 2, NOW + 3]) {
      pace = lowerPace(pace, throttle({ nowMs: NOW + 5, issuedMs }));
    }
    expect(pace.rate).toBe(2.5);
  });

  it('keeps the rate at which it happened as what to be careful of', () => {
    expect(lowerPace(five, throttle({ nowMs: NOW + 5, issuedMs: NOW + 1 })).ceiling).toBe(5);
  });
});

describe('what the other side asks to wait', () => {
  it.each([
    { holdMs: 10_000, held: 10_000 },
    { holdMs: 1e12, held: MAX_HOLD_MS },
    { holdMs: -5000, held: 0 },
    { holdMs: null, held: 0 },
  ])('$holdMs ms is held for $held ms', ({ holdMs, held }) => {
    const pace = lowerPace(five, throttle({ holdMs }));
    expect(pace.held_ms).toBe(NOW + held);
    const { slots } = take(pace, { nowMs: NOW + 1, wanted: 3 });
    for (const slot of slots) expect(slot).toBeGreaterThanOrEqual(NOW + held);
  });

  it('is not shortened by a later, shorter one', () => {
    const held = lowerPace(five, throttle({ holdMs: 30_000 }));
    expect(lowerPace(held, throttle({ nowMs: NOW + 1000, holdMs: 1000 })).held_ms).toBe(NOW + 30_000);
  });

  it('is respected although the rate is not lowered again', () => {
    expect(lowerPace(five, throttle({ issuedMs: NOW - 1, holdMs: 7000 }))).toMatchObject({
      rate: 5,
      held_ms: NOW + 7000,
    });
  });
});

describe('slots', () => {
  it('are evenly spaced, from where the schedule is free', () => {
    expect(take(five, { wanted: 3 }).slots).toEqual([NOW + 200, NOW + 400, NOW + 600]);
    expect(take(five, { wanted: 3 }).pace.next_ms).toBe(NOW + 800);
  });

  it('are at most a second of the schedule at once, and at most what is wanted', () => {
    expect(take(five).slots).toHaveLength(5);
    expect(take(five, { wanted: 2 }).slots).toHaveLength(2);
    expect(take(five, { wanted: 0 }).slots).toEqual([]);
  });

  it('lie at most two seconds ahead; then it is said when to come back', () => {
    const full = { ...five, next_ms: NOW + 2_001 };
    expect(take(full)).toMatchObject({ slots: [], retryMs: NOW + 1, isBinding: true });
    expect(take({ ...five, next_ms: NOW + 1_900 }).slots).toEqual([NOW + 1_900]);
  });

  it('are not made up for when nobody used them', () => {
    const { slots, isBinding } = take(five, { nowMs: NOW + 60_000, wanted: 2 });
    expect(slots).toEqual([NOW + 60_000, NOW + 60_200]);
    expect(isBinding).toBe(false);
  });

  it('are still given at the slowest pace', () => {
    const slow = { ...five, rate: MIN_RATE };
    const first = take(slow, { nowMs: NOW + 200 });
    expect(first.slots).toEqual([NOW + 200]);
    expect(take(first.pace, { nowMs: NOW + 200 }).slots).toEqual([]);
    expect(take(first.pace, { nowMs: NOW + 20_200 }).slots).toEqual([NOW + 20_200]);
  });
});

describe('answers', () => {
  it('raise the rate by a quarter of the ceiling a second, while all slots are used', () => {
    // Ceiling 10: 2.5 a second more each second, which is 5 answers.
    expect(take(known, { answered: 1 }).pace.rate).toBe(5.5);
  });

  it('raise it by one each where the limit is not known yet', () => {
    expect(take(five, { answered: 3 }).pace.rate).toBe(8);
  });

  it('raise nothing while slots are left over: what was not tried is not known', () => {
    expect(take(five, { nowMs: NOW + 1000, answered: 50 }).pace.rate).toBe(5);
  });

  it('bring it back to the ceiling within seconds, and slowly past it', () => {
    const secondsTo = (rate: number) => {
      let pace = known;
      let seconds = 0;
      while (pace.rate < rate) {
        pace = take({ ...pace, next_ms: Infinity }, { answered: Math.round(pace.rate) }).pace;
        seconds += 1;
      }
      return seconds;
    };
    expect(secondsTo(9)).toBeLessThanOrEqual(3);
    expect(secondsTo(12)).toBeGreaterThanOrEqual(6);
    // Well past it the limit is gone.
    expect(secondsTo(500) - secondsTo(12.5)).toBeLessThanOrEqual(12);
  });
});

describe('a pace that nobody asked for', () => {
  it('is over after five minutes', () => {
    expect(livePace(five, NOW + IDLE_MS)).toEqual(five);
    expect(livePace(five, NOW + IDLE_MS + 1)).toBeNull();
    expect(livePace(null, NOW)).toBeNull();
  });

  it('is begun anew by the next throttle', () => {
    const later = NOW + IDLE_MS + 1;
    expect(lowerPace(five, throttle({ nowMs: later, issuedMs: null, sentPerSecond: 100 }))).toMatchObject({ rate: 50 });
  });
});

/** What several processes do with one pace, a step each: time passes, then one of them takes slots or is throttled. */
const step = fc.record({
  waitMs: fc.integer({ min: 0, max: 5_000 }),
  wanted: fc.integer({ min: 0, max: 50 }),
  answered: fc.integer({ min: 0, max: 50 }),
  throttled: fc.option(
    fc.record({ agoMs: fc.integer({ min: 0, max: 5_000 }), holdMs: fc.option(fc.double({ noNaN: true })) }),
  ),
});

describe('for any interleaving', () => {
  it('no more slots are given out than rate × time + 1, at the highest rate there was', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let pace = five;
        let nowMs = NOW;
        let highest = pace.rate;
        const slots: number[] = [];
        for (const { waitMs, wanted, answered, throttled } of steps) {
          nowMs += waitMs;
          if (throttled !== null) {
            const { agoMs, holdMs } = throttled;
            pace = lowerPace(pace, throttle({ nowMs, issuedMs: nowMs - agoMs, holdMs }));
          } else {
            const taken = take(pace, { nowMs, wanted, answered });
            pace = taken.pace;
            slots.push(...taken.slots);
          }
          highest = Math.max(highest, pace.rate);
        }
        const [first = 0] = slots;
        const last = slots.at(-1) ?? 0;
        expect(slots.length).toBeLessThanOrEqual((highest * (last - first)) / 1000 + 1 + 1e-6);
        expect(slots).toEqual([...slots].sort((a, b) => a - b));
      }),
    );
  });

  it('the rate stays between floor and bound, and no slot lies in the past or in a hold', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let pace = five;
        let nowMs = NOW;
        for (const { waitMs, wanted, answered, throttled } of steps) {
          nowMs += waitMs;
          const holdMs = throttled?.holdMs ?? null;
          if (throttled !== null) pace = lowerPace(pace, throttle({ nowMs, issuedMs: nowMs, holdMs }));
          const taken = take(pace, { nowMs, wanted, answered });
          for (const slot of taken.slots) expect(slot).toBeGreaterThanOrEqual(Math.max(nowMs, pace.held_ms));
          pace = taken.pace;
          expect(pace.rate).toBeGreaterThanOrEqual(MIN_RATE);
          expect(Number.isFinite(pace.rate)).toBe(true);
          expect(pace.held_ms).toBeLessThanOrEqual(nowMs + MAX_HOLD_MS);
        }
      }),
    );
  });

  it('it recovers: enough answers bring any rate to any other', () => {
    fc.assert(
      fc.property(
        fc.double({ min: MIN_RATE, max: 100, noNaN: true }),
        fc.double({ min: 0.1, max: 1000, noNaN: true }),
        (from, to) => {
          let pace: Pace = { ...five, rate: from, ceiling: Math.max(from, 5), next_ms: Infinity };
          for (let answers = 0; pace.rate < to; answers += 1) {
            expect(answers).toBeLessThan(20_000);
            pace = take(pace, { answered: 1 }).pace;
          }
        },
      ),
    );
  });
});
