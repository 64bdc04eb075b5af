import { describe, expect, it } from 'vitest';
import { nearestName } from '../../src/core/nearest.ts';

describe('the nearest name', () => {
  it.each([
    { name: 'thresholdz', near: 'thresholds' },
    { name: 'Thresholds', near: 'thresholds' },
    { name: 'nam', near: 'name' },
    { name: 'nameXX', near: 'name' },
    { name: 'nameXXX', near: undefined },
    { name: 'thresholdsXXX', near: 'thresholds' },
    { name: 'thresholdsXXXX', near: undefined },
    { name: '', near: undefined },
  ])('to "$name" is $near', ({ name, near }) => {
    expect(nearestName(name, ['name', 'thresholds'])).toBe(near);
  });

  it('is none where none are known', () => {
    expect(nearestName('name', [])).toBeUndefined();
  });

  it('to a text of megabytes is none, without a look at its letters', () => {
    const known = Array.from({ length: 500 }, (_, index) => `Known/Name_${index}`);
    // Letter by letter these are 60 billion steps.
    expect(nearestName('x'.repeat(10_000_000), known)).toBeUndefined();
  });
});
