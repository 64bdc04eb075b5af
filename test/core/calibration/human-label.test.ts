import { describe, expect, it } from 'vitest';
import { parseHumanLabel } from '../../../src/core/calibration/human-label.ts';

const SCALE = ['incorrect', 'partially correct', 'correct'];

describe('a human label', () => {
  it.each([
    ['pass', null, 1, null],
    [' Failed ', null, 0, null],
    [true, null, 1, null],
    [false, ['fail', 'pass'], 0, 0],
    ['yes', ['fail', 'pass'], 1, 1],
    ['0.4', null, 0.4, null],
    ['.5', null, 0.5, null],
    ['1.', null, 1, null],
    ['1e-7', null, 1e-7, null],
    [1, null, 1, null],
    ['Partially Correct', SCALE, 0.5, 1],
    ['ｃｏｒｒｅｃｔ', SCALE, 1, 2],
    // A word for pass that is a label of the scale is that label.
    ['incorrect', SCALE, 0, 0],
    ['pass', SCALE, 1, null],
  ] as const)('%j on %j is %d', (raw, scale, value, level) => {
    expect(parseHumanLabel(raw, scale)).toEqual({ value, level });
  });
  it.each([null, undefined, '', '  '])('%j is no label', (raw) => expect(parseHumanLabel(raw, SCALE)).toBeNull());
  it.each(['maybe', '1.2', '-0.1', 'NaN', '85', '0x1', '1e0x', 'Infinity', '+1', 2, {}, []])(
    '%j is refused, never guessed',
    (raw) => {
      expect(parseHumanLabel(raw, SCALE)).toHaveProperty('fault');
    },
  );
});
