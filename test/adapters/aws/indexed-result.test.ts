import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HARD_LIMIT_BYTES, INDEXED_BYTES, indexResult } from '../../../src/adapters/aws/indexed-result.ts';
import type { RowResult } from '../../../src/core/schemas/result.ts';
import { scored } from '../../../src/core/schemas/score.ts';
import { hugeResult } from '../../contracts/row-index.ts';
import { aResult } from '../../contracts/samples.ts';

const bytes = (result: RowResult) => Buffer.byteLength(JSON.stringify(indexResult(result, 'part-00000000.jsonl.gz')));

describe('an indexed result', () => {
  it.each([
    { name: 'a long answer', result: aResult(0, { output: 'x'.repeat(300_000) }) },
    {
      name: 'a long input and expected',
      result: aResult(0, { input: 'é'.repeat(50_000), expected: 'ß'.repeat(50_000) }),
    },
    { name: 'many passages', result: aResult(0, { contexts: new Array(1_000).fill('p'.repeat(2_000)) as string[] }) },
    { name: 'long reasons', result: aResult(0, { scores: { a: scored(1, 'r'.repeat(9_000)), b: scored(0, 'r') } }) },
    { name: 'large metadata', result: aResult(0, { metadata: { deep: { text: 'm'.repeat(9_000) } } }) },
    { name: 'a long error', result: aResult(0, { error: 'e'.repeat(100_000), warnings: ['w'.repeat(9_000)] }) },
    { name: 'a nested input', result: aResult(0, { input: { a: ['x'.repeat(9_000)] } }) },
  ])('stays small with $name, and says that it is cut', ({ result }) => {
    expect(bytes(result)).toBeLessThanOrEqual(INDEXED_BYTES);
    expect(indexResult(result, 'p').truncated).toBe(true);
  });

  it('stays bounded with many scorers and everything long', () => {
    expect(bytes(hugeResult())).toBeLessThanOrEqual(HARD_LIMIT_BYTES);
  });

  it('stays bounded whatever a result holds', () => {
    const text = fc.string({ unit: 'binary', maxLength: 3_000 });
    const result = fc.record({
      row_id: fc.string({ unit: 'grapheme', maxLength: 170 }),
      output: text,
      error: text,
      ref: text,
      cluster: text,
      cause: text,
      target_model: text,
      tags: fc.array(text, { maxLength: 5 }),
      metadata: fc.dictionary(text, text, { maxKeys: 3 }),
    });
    fc.assert(fc.property(result, (changes) => bytes(aResult(0, changes)) <= HARD_LIMIT_BYTES));
  });

  it('keeps what lists are sorted, filtered and drawn by', () => {
    const { row_id, index, target, trial, phase, status, passed, score, latency_ms, scores } = hugeResult();
    expect(indexResult(hugeResult(), 'p')).toMatchObject({
      row_id,
      index,
      target,
      trial,
      phase,
      status,
      passed,
      score,
      latency_ms,
    });
    expect(indexResult(hugeResult(), 'p').scores.correctness?.value).toBe(scores.correctness?.value);
  });

  it('never cuts a character in half', () => {
    for (const length of [1_000, 1_001]) {
      const { output } = indexResult(aResult(0, { output: `${'x'.repeat(length % 2)}${'🚀'.repeat(length)}` }), 'p');
      expect(output?.isWellFormed()).toBe(true);
      expect(output?.endsWith('…')).toBe(true);
    }
  });
});
