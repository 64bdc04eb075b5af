import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyPart, keys, ROW_SHARDS, rowShard, rowSortKey } from '../../../src/adapters/aws/table-keys.ts';
import { aResult, HOSTILE_TEXTS, RUN_ID } from '../../contracts/samples.ts';

describe('parts of a key', () => {
  it('are plain ids as they are', () => {
    for (const id of ['support-faq', RUN_ID, 'a', '0', 'gpt-4.1', 'x'.repeat(128)]) expect(keyPart(id)).toBe(id);
  });

  it('never hold a separator, are never empty and never long', () => {
    for (const text of [...HOSTILE_TEXTS, '', '#', '~', ' ']) expect(keyPart(text)).toMatch(/^~[0-9a-f]{64}$/);
  });

  it('differ where the texts differ', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(keyPart(a) === keyPart(b)).toBe(a === b || Buffer.from(a).equals(Buffer.from(b)));
        expect(keyPart(a)).not.toContain('#');
      }),
    );
    expect(keyPart(keyPart('a b'))).not.toBe(keyPart('a b'));
  });

  it('cannot be shifted from one to the next', () => {
    expect(keys.evalVersions('a#b', 'c')).not.toBe(keys.evalVersions('a', 'b#c'));
    expect(keys.runsOfEval('a', 'b')).not.toBe(keys.evalVersions('a', 'b'));
  });
});

describe('the sort key of a result', () => {
  it('sorts by row, target, trial and phase', () => {
    const results = [
      aResult(2),
      aResult(10),
      aResult(10, { target: 'http-2' }),
      aResult(10, { target: 'http-2', trial: 2 }),
      aResult(10, { target: 'http-2', trial: 10 }),
      aResult(10, { target: 'http-2', trial: 10, phase: 'confirm' }),
      aResult(9_999_999),
    ];
    const sorted = results.map(rowSortKey);
    expect([...sorted].reverse().sort()).toEqual(sorted);
  });

  it('is within the limit of 1024 bytes for any row and target', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 600 }), fc.string({ maxLength: 600 }), (row_id, target) => {
        expect(Buffer.byteLength(rowSortKey(aResult(9_999_999, { row_id, target })))).toBeLessThan(200);
      }),
    );
  });

  it('begins with a number of the row or does not exist', () => {
    for (const index of [-1, 0.5, Number.NaN]) expect(() => rowSortKey(aResult(index))).toThrow(RangeError);
  });
});

describe('shards', () => {
  it('share the rows of a run evenly', () => {
    const counts = new Array<number>(ROW_SHARDS).fill(0);
    for (let row = 0; row < 16_000; row += 1)
      counts[rowShard(`row-${row}`)] = (counts[rowShard(`row-${row}`)] ?? 0) + 1;
    expect(Math.max(...counts)).toBeLessThan(1_200);
    expect(Math.min(...counts)).toBeGreaterThan(800);
  });

  it('are those of the row alone, so that a row stored again meets itself', () => {
    expect(rowShard('é#/')).toBe(rowShard('é#/'));
    for (const text of HOSTILE_TEXTS) expect(rowShard(text)).toBeLessThan(ROW_SHARDS);
  });
});
