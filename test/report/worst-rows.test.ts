import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareWorst, type Rankable, WorstRows } from '../../src/report/worst-rows.ts';

const row = fc.record({
  status: fc.constantFrom('scored' as const, 'target_error' as const, 'judge_error' as const, 'skipped' as const),
  passed: fc.boolean(),
  score: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null }),
});

describe('the worst rows', () => {
  it('are those that sorting everything would give', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 200 }), fc.integer({ min: 1, max: 20 }), (rows, limit) => {
        const indexed: Rankable[] = rows.map((one, index) => ({ ...one, index }));
        const worst = new WorstRows<Rankable>(limit);
        for (const one of indexed) worst.offer(one, () => one);
        expect(worst.worst()).toEqual([...indexed].sort(compareWorst).slice(0, limit));
      }),
    );
  });

  it('make nothing of rows that have no chance', () => {
    const worst = new WorstRows<number>(2);
    let made = 0;
    for (let index = 0; index < 1_000; index += 1) {
      worst.offer({ status: 'scored', passed: false, score: 0.5, index }, () => {
        made += 1;
        return index;
      });
    }
    expect(worst.worst()).toEqual([0, 1]);
    expect(made).toBe(4);
  });
});
