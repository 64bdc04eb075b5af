import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBoolean, readLabel, readUnitNumber } from '../../../src/core/judging/read-values.ts';

describe('a number', () => {
  it.each([
    [0, 0],
    [1, 1],
    [-0, 0],
    [0.35, 0.35],
    ['0.8', 0.8],
    [' 1 ', 1],
    ['.5', 0.5],
    ['5e-1', 0.5],
    ['80%', 0.8],
    ['80 %', 0.8],
    ['7%', 0.07],
    ['0.5%', 0.005],
    ['100%', 1],
  ])('%j is %d', (value, number) => {
    expect(readUnitNumber(value)).toBe(number);
  });

  it.each([
    [1.0000001],
    [-0.5],
    [4],
    [80],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [true],
    [null],
    [undefined],
    [''],
    ['  '],
    ['%'],
    ['4/5'],
    ['0.8/1'],
    ['0,8'],
    ['about 0.8'],
    ['0.8 of 1'],
    ['101%'],
    ['80'],
    ['-0.1'],
    ['0x1'],
    ['NaN'],
    ['Infinity'],
    ['1e999'],
    [[0.5]],
    [{ score: 0.5 }],
  ])('%j is none', (value) => {
    expect(readUnitNumber(value)).toBeNull();
  });

  it('is never outside 0..1, whatever comes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.double(), fc.string()), (value) => {
        const number = readUnitNumber(value);
        expect(number === null || (number >= 0 && number <= 1)).toBe(true);
      }),
    );
  });
});

describe('a label', () => {
  const correctness = ['incorrect', 'partially correct', 'correct'];
  it.each([
    ['incorrect', 0],
    ['partially correct', 1],
    ['correct', 2],
    ['  Partially Correct.\n', 1],
    ['**Incorrect**', 0],
    ['**"Incorrect."**', 0],
    ['“Correct”.', 2],
    ['`correct`', 2],
    ['ｃｏｒｒｅｃｔ', 2], // full-width letters
    ['in\u200bcorrect', 0], // a zero-width space may not turn it into another label
    ['\ufeffcorrect', 2],
    ['correct。', 2],
  ])('%j is label %d', (text, index) => {
    expect(readLabel(text, correctness)).toBe(index);
  });

  it.each([
    ['not correct'],
    ['The answer is not correct.'],
    ['**Answer:** **Incorrect**'],
    ['correct, mostly'],
    ['correct incorrect'],
    ['correct..'],
    ['teilweise richtig'],
    ['yes'],
    [''],
    ['   \n'],
    ['*'],
    [2],
    [true],
    [null],
    [['correct']],
  ])('%j is none', (text) => {
    expect(readLabel(text, correctness)).toBeNull();
  });

  it('tells labels apart that contain one another', () => {
    const scale = ['not at all', 'not generally', 'neutral/mixed', 'generally yes', 'yes'];
    expect(scale.map((label) => readLabel(label.toUpperCase(), scale))).toEqual([0, 1, 2, 3, 4]);
  });

  it('is found only in text that consists of it', () => {
    const padding = fc.stringMatching(/^[a-z]+$/);
    fc.assert(
      fc.property(padding, fc.constantFrom(...correctness), padding, (before, label, after) => {
        expect(readLabel(`${before} ${label} ${after}`, correctness)).toBeNull();
        if (!correctness.includes(`${before}${label}`)) expect(readLabel(`${before}${label}`, correctness)).toBeNull();
      }),
    );
  });
});

it.each([
  [true, true],
  [false, false],
  ['True', true],
  ['false.', false],
  ['yes', null],
  [1, null],
  [null, null],
])('the boolean %j reads %j', (value, boolean) => {
  expect(readBoolean(value)).toBe(boolean);
});
