import { describe, expect, it } from 'vitest';
import { simulateCoverage } from '../../../bench/simulations/coverage.ts';
import { simulateRules } from '../../../bench/simulations/regression-rules.ts';
import { seeded } from '../../../bench/simulations/seeded.ts';

const REPEATS = 2000;

describe('by seeded simulation', () => {
  // Four standard errors of a share of .95 over 2,000 are 1.9 points; Newcombe's interval is wide for few rows.
  it.each(
    simulateCoverage([40, 200], REPEATS, seeded(7)).map((cell) => ({
      ...cell,
      name: `${cell.method}, ${cell.rows} rows`,
    })),
  )('$name: the interval holds the truth as often as it says', ({ covered, method }) => {
    expect(covered).toBeGreaterThan(0.93);
    expect(covered).toBeLessThan(method.includes('Newcombe') ? 0.99 : 0.97);
  });
  it('intervals narrow as rows grow', () => {
    const cells = simulateCoverage([40, 200, 1000], 200, seeded(8));
    for (let at = 0; at < cells.length; at += 3) {
      const [few, more, many] = cells.slice(at, at + 3).map(({ width }) => width);
      expect(more).toBeLessThan(few ?? 0);
      expect(many).toBeLessThan(more ?? 0);
    }
  });

  it('the confirmed rule is quiet where the plain one fails most unchanged systems', () => {
    const outcomes = simulateRules({ rows: 100, flipRate: 0.02, broken: 0 }, REPEATS, seeded(9));
    // 1 − (1 − .02 × .98)¹⁰⁰
    expect(outcomes.plain).toBeCloseTo(1 - (1 - 0.02 * 0.98) ** 100, 1);
    expect(outcomes.confirmed[3]).toBeLessThan(0.05);
    expect(outcomes.confirmed[5]).toBeLessThan(0.05);
    // Two flips in a hundred rows, three trials each.
    expect(outcomes.extraCalls[3]).toBeCloseTo(0.02 * 0.98 * 3, 2);
  });
  it('and still finds one broken row', () => {
    const { confirmed } = simulateRules({ rows: 100, flipRate: 0.02, broken: 1 }, REPEATS, seeded(10));
    expect(confirmed[3]).toBeGreaterThan(0.93);
  });
});
