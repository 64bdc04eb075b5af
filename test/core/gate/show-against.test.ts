import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showAgainst, showNumber } from '../../../src/core/gate/show-against.ts';
import { meets, within } from '../../../src/core/scoring/meets.ts';

describe('showAgainst', () => {
  it.each([
    { value: 0.79996, limit: 0.8, kind: 'minimum', shown: '0.79996' },
    { value: 0.575, limit: 0.8, kind: 'minimum', shown: '0.575' },
    { value: 0.8, limit: 0.8, kind: 'minimum', shown: '0.8' },
    { value: 0.8 - 1e-12, limit: 0.8, kind: 'minimum', shown: '0.8' },
    { value: 0.79999999, limit: 0.8, kind: 'minimum', shown: '0.79999999' },
    { value: 2 / 3, limit: 2 / 3, kind: 'minimum', shown: '0.667' },
    { value: 1, limit: 1, kind: 'minimum', shown: '1' },
    { value: 0, limit: 0, kind: 'minimum', shown: '0' },
    { value: 0.30004, limit: 0.3, kind: 'maximum', shown: '0.30004' },
    { value: 0.1 + 0.2, limit: 0.3, kind: 'maximum', shown: '0.3' },
    { value: 3000.4, limit: 3000, kind: 'maximum', digits: 0, shown: '3000.4' },
    { value: 1200, limit: 3000, kind: 'maximum', digits: 0, shown: '1200' },
  ] as const)('$value against $limit is $shown', ({ value, limit, kind, shown, ...rest }) => {
    const digits = 'digits' in rest ? rest.digits : undefined;
    expect(showAgainst(value, limit, kind, digits)).toEqual({ value: shown, limit: String(limit) });
  });

  it('never contradicts the verdict', () => {
    const number = fc.oneof(
      fc.double({ min: -1, max: 2, noNaN: true }),
      fc.constantFrom(0.8, 0.8 + 1e-10, 0.8 - 1e-10),
    );
    fc.assert(
      fc.property(number, number, fc.constantFrom('minimum', 'maximum'), (value, limit, kind) => {
        const shown = showAgainst(value, limit, kind);
        const [v, l] = [Number(shown.value), Number(shown.limit)];
        expect(l === limit).toBe(true);
        expect(kind === 'minimum' ? v >= l : v <= l).toBe(
          kind === 'minimum' ? meets(value, limit) : within(value, limit),
        );
      }),
    );
  });

  it.each([
    [0.615384615, '0.615'],
    [0.9230000000000003, '0.923'], // a sum of 60 scores leaves noise behind the last digit
    [0.9999999999999999, '1'],
    [0.5, '0.5'],
    [1, '1'],
    [100, '100'],
    [0, '0'],
  ])('%f alone is %s', (value, shown) => expect(showNumber(value, 3)).toBe(shown));
});
