import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatDelta,
  formatMs,
  formatPercent,
  formatPoints,
  formatScore,
  formatTime,
  formatUsd,
  msAgainst,
  percentAgainst,
  scoreAgainst,
  usdAgainst,
} from '../../src/report/format.ts';

describe('numbers beside their limit', () => {
  it.each([
    { value: 0.79996, limit: 0.8, shown: ['0.79996', '0.80'] },
    { value: 0.731, limit: 0.8, shown: ['0.731', '0.80'] },
    { value: 0.8, limit: 0.8, shown: ['0.800', '0.80'] },
    { value: 0.8 - 1e-12, limit: 0.8, shown: ['0.800', '0.80'] },
    { value: 0.7999999, limit: 0.8, shown: ['0.7999999', '0.80'] },
    { value: 0.8000004, limit: 0.8, shown: ['0.8000004', '0.80'] },
    { value: 1, limit: 0.8, shown: ['1.000', '0.80'] },
    { value: 0.8, limit: 0.80004, shown: ['0.800', '0.80004'] },
  ])('shows score $value against $limit as $shown', ({ value, limit, shown }) => {
    const pair = scoreAgainst(value, limit);
    expect([pair.value, pair.limit]).toEqual(shown);
  });

  it('tells a percentage just below its limit apart', () => {
    expect(percentAgainst(0.89996, 0.9)).toEqual({ value: '89.996%', limit: '90%' });
  });

  it('tells a latency just above its limit apart, in one unit', () => {
    expect(msAgainst(3000.4, 3000)).toEqual({ value: '3.0004 s', limit: '3 s' });
    expect(msAgainst(812, 3000)).toEqual({ value: '0.81 s', limit: '3 s' });
    expect(msAgainst(500.2, 500)).toEqual({ value: '500.2 ms', limit: '500 ms' });
  });

  it('tells a cost just above its limit apart', () => {
    expect(usdAgainst(1.0004, 1)).toEqual({ value: '$1.0004', limit: '$1.00' });
  });

  it('never shows an order that the threshold rule denies', () => {
    const fraction = fc.double({ min: 0, max: 1, noNaN: true });
    const near = fc.double({ min: -1e-4, max: 1e-4, noNaN: true });
    fc.assert(
      fc.property(fraction, near, (limit, offset) => {
        const value = Math.min(1, Math.max(0, limit + offset));
        const pair = scoreAgainst(value, limit);
        if (value < limit - 1e-9) expect(Number(pair.value)).toBeLessThan(Number(pair.limit));
        else expect(Number(pair.value)).toBeGreaterThanOrEqual(Number(pair.limit));
      }),
    );
  });
});

describe('numbers alone', () => {
  it.each([
    [formatScore(1), '1.000'],
    [formatScore(0), '0.000'],
    [formatScore(0.9999), '0.9999'],
    [formatScore(0.0001), '0.0001'],
    [formatScore(Number.NaN), 'not a number'],
    [formatPercent(1), '100%'],
    [formatPercent(0.9996), '99.96%'],
    [formatPercent(0.7297), '73%'],
    [formatPercent(0.0004), '0.04%'],
    [formatPercent(0), '0%'],
    [formatDelta(-0.0001), '−0.0001'],
    [formatDelta(0), '±0'],
    [formatPoints(-0.045), '−4.5 points'],
    [formatMs(0.4), '0.4 ms'],
    [formatMs(999.4), '999 ms'],
    [formatMs(999.6), '1 s'],
    [formatMs(59_996), '1 min'],
    [formatMs(3_725_000), '1 h 2 min'],
    [formatUsd(0), '$0.00'],
    [formatUsd(0.0031), '$0.0031'],
    [formatUsd(1234.5), '$1,234.50'],
    [formatTime('2026-01-31T14:05:59Z'), '2026-01-31 14:05 UTC'],
    [formatTime('yesterday'), 'yesterday'],
  ])('%s is %s', (shown, expected) => {
    expect(shown).toBe(expected);
  });
});
