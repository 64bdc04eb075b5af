import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { predictionPoweredMean } from '../../../src/core/statistics/prediction-powered.ts';

const bits = (text: string): number[] => [...text].map(Number);

describe('PPI++', () => {
  // By hand (n = 8, N = 12): 13 of 20 judged pass, variance .239474 over all of them; covariance of human and judge .125;
  // λ = .125 ÷ (20/12 × .239474) = .313187; θ = 5/8 + λ(8/12 − 5/8) = .638049.
  const example = { human: bits('11010011'), judged: bits('10011011'), judgedOnly: bits('110101101110') };

  it('moves the mean of the labels by what the judge says of the rest', () => {
    const estimate = predictionPoweredMean(example);
    expect(estimate?.lambda).toBeCloseTo(0.313187, 6);
    expect(estimate?.mean).toBeCloseTo(0.638049, 6);
    expect(estimate?.standardError).toBeCloseTo(0.170178, 6);
    expect(estimate?.ci95[1]).toBeCloseTo(0.638049 + 1.959964 * 0.170178, 5);
  });
  it('works for graded values', () => {
    const estimate = predictionPoweredMean({
      human: [0.9, 0.2, 0.6, 0.4],
      judged: [0.8, 0.1, 0.9, 0.3],
      judgedOnly: [0.5, 0.7, 0.2, 0.9, 0.4],
    });
    expect(estimate?.lambda).toBeCloseTo(0.595596, 6);
    expect(estimate?.mean).toBeCloseTo(0.533934, 6);
    expect(estimate?.standardError).toBeCloseTo(0.105678, 6);
  });
  it.each([
    { name: 'always says the same', judged: bits('11111111') },
    { name: 'says the opposite', judged: bits('00101100') },
  ])('a judge that $name is left out: the labels alone remain', ({ judged }) => {
    const estimate = predictionPoweredMean({ ...example, judged });
    expect(estimate?.lambda).toBe(0);
    expect(estimate?.mean).toBeCloseTo(5 / 8, 12);
  });
  it.each([
    { name: 'one label', human: [1], judged: [1], judgedOnly: [1, 0] },
    { name: 'no label', human: [], judged: [], judgedOnly: [1, 0] },
    { name: 'one answer without a label', human: [1, 0], judged: [1, 0], judgedOnly: [1] },
  ])('knows nothing from $name', (given) => expect(predictionPoweredMean(given)).toBeNull());
  it('refuses labels and judgements that do not belong together', () => {
    expect(() => predictionPoweredMean({ human: [1], judged: [1, 0], judgedOnly: [1, 0] })).toThrow(RangeError);
  });
  it('is symmetric: what passes and what fails may change places', () => {
    const values = fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 4, maxLength: 30 });
    fc.assert(
      fc.property(values, values, values, (human, judge, judgedOnly) => {
        const n = Math.min(human.length, judge.length);
        const given = { human: human.slice(0, n), judged: judge.slice(0, n), judgedOnly };
        const turned = (list: readonly number[]) => list.map((value) => 1 - value);
        const there = predictionPoweredMean(given);
        const back = predictionPoweredMean({
          human: turned(given.human),
          judged: turned(given.judged),
          judgedOnly: turned(judgedOnly),
        });
        expect(there?.mean).toBeCloseTo(1 - (back?.mean ?? 0), 9);
        expect(there?.standardError).toBeCloseTo(back?.standardError ?? 0, 9);
      }),
    );
  });
});
