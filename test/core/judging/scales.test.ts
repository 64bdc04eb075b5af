import { describe, expect, it } from 'vitest';
import { normalizeLabel } from '../../../src/core/judging/read-values.ts';
import { claimsShare, labelValue, rankWeightedPrecision } from '../../../src/core/judging/ruling-values.ts';
import { BEDROCK_SCALES, PASS_FAIL, type Scale, SUPEREVAL_SCALES } from '../../../src/core/judging/scales.ts';

const scales: [string, Scale][] = [
  ['pass/fail', PASS_FAIL],
  ...Object.entries(SUPEREVAL_SCALES),
  ...Object.entries(BEDROCK_SCALES),
];

it.each(scales)('%s has labels that stay different when read', (_, scale) => {
  const labels = [...scale.labels, ...(scale.notApplicable ? [scale.notApplicable] : [])].map(normalizeLabel);
  expect(new Set(labels).size).toBe(labels.length);
});

it('has the published numbers of labels', () => {
  const sizes = (group: Record<string, Scale>) => Object.values(group).map(({ labels }) => labels.length);
  expect(sizes(SUPEREVAL_SCALES)).toEqual([3, 5, 5, 5, 5]);
  expect(sizes(BEDROCK_SCALES)).toEqual([3, 5, 7, 5, 5, 5, 2, 5, 5, 2, 2, 2]);
});

it('spaces labels evenly from 0 to 1', () => {
  const five = SUPEREVAL_SCALES.completeness.labels;
  expect(five.map((_, index) => labelValue(index, five))).toEqual([0, 0.25, 0.5, 0.75, 1]);
  expect(() => labelValue(0, ['only'])).toThrow(RangeError);
});

describe('rank-weighted precision', () => {
  it.each([
    { relevant: [], value: 0 },
    { relevant: [false, false], value: 0 },
    { relevant: [true], value: 1 },
    { relevant: [true, true, true, true, true, true, true], value: 1 },
    { relevant: [true, true, false, false], value: 1 },
    { relevant: [false, true], value: 0.5 },
    { relevant: [false, true, true], value: (1 / 2 + 2 / 3) / 2 },
  ])('of $relevant is $value', ({ relevant, value }) => {
    expect(rankWeightedPrecision(relevant)).toBe(value);
  });
});

it.each([
  { supported: [], value: null },
  { supported: [true, true, true], value: 1 },
  { supported: [true, false, false], value: 1 / 3 },
])('the share of $supported is $value', ({ supported, value }) => {
  expect(claimsShare(supported)).toBe(value);
});
