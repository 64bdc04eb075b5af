import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRuling } from '../../../src/core/judging/read-ruling.ts';
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

describe.each(scales)('%s as a judge reads it', (_, scale) => {
  const ask = { kind: 'label', name: 'q', definition: 'd', ...scale } as const;
  const read = (label: string) => readRuling(ask, { label, reason: 'r' }, { jsonInText: false, recorded: false });
  it('rises evenly from 0 to 1, however a label is written', () => {
    const dressed = fc.constantFrom<(label: string) => string>(
      (label) => label,
      (label) => label.toUpperCase(),
      (label) => ` "${label}". `,
      (label) => `**${label}**`,
    );
    fc.assert(
      fc.property(fc.nat(scale.labels.length - 1), fc.nat(scale.labels.length - 1), dressed, (low, high, dress) => {
        const values = [low, high].map((at) => {
          const reading = read(dress(scale.labels[at] ?? ''));
          return reading.ok ? (reading.verdict.value ?? Number.NaN) : Number.NaN;
        });
        expect(values).toEqual([low / (scale.labels.length - 1), high / (scale.labels.length - 1)]);
        expect(Math.sign((values[1] ?? 0) - (values[0] ?? 0))).toBe(Math.sign(high - low));
      }),
    );
    expect(read(scale.labels[0] ?? '')).toMatchObject({ ok: true, verdict: { value: 0, rawScore: 0 } });
    expect(read(scale.labels.at(-1) ?? '')).toMatchObject({ verdict: { value: 1, rawScore: scale.labels.length - 1 } });
  });
  it('knows no other label', () => {
    const known = [...scale.labels, ...(scale.notApplicable ? [scale.notApplicable] : [])].map(normalizeLabel);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('mostly', 'partial', '4/5', '1', 'maybe')), (text) => {
        fc.pre(!known.includes(normalizeLabel(text)));
        expect(read(text).ok).toBe(false);
      }),
    );
  });
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
