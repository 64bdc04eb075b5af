import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveRowId } from '../../../src/core/dataset/row-id.ts';
import { SeenIds } from '../../../src/core/dataset/seen-ids.ts';
import { pickRows, surveyDataset } from '../../../src/core/dataset/survey-dataset.ts';
import { DatasetError } from '../../../src/core/errors.ts';
import { jsonl, sourceOf } from './reading.ts';

describe('an id that no row gives', () => {
  // printf '"A?"' | sha256sum, and so on
  it.each([
    ['A?', '467933f752a5dd53'],
    [0, '5feceb66ffc86f38'],
    [{ query: 'Wo?', locale: 'de' }, '38b5a28d0ac2d145'],
  ])('is the start of the SHA-256 of the canonical JSON of %j', async (input, id) => {
    expect(deriveRowId(input)).toBe(id);
    const rows = await collect(pickAll(jsonl({ input })));
    expect(rows.map((row) => row.id)).toEqual([id]);
  });

  it('tells apart rows that ask the same about different documents', async () => {
    const records = ['one', 'two'].map((text) => ({ input: { instruction: 'Sum up', text } }));
    expect(new Set((await collect(pickAll(jsonl(...records)))).map((row) => row.id)).size).toBe(2);
  });
});

describe('the version', () => {
  const record = { id: 'x', input: 'A?', expected: '1', topic: 't' };
  const version = '59967b29f7d12a9210281d6ffcd6d5c3156c5986500e853e8ada32cdc24d16ae'; // by sha256sum

  it.each([
    ['JSONL', 'a.jsonl', jsonl(record)],
    ['JSON with other white space and order', 'a.json', '[ {"topic":"t", "expected":"1",\n"input":"A?", "id":"x"} ]'],
    ['CSV', 'a.csv', 'id,input,expected,topic\nx,A?,1,t\n'],
    ['CSV with aliases and semicolons', 'b.csv', '\uFEFFtopic;Question;Answer;ID\r\nt;A?;1;x\r\n;;;\r\n'],
  ])('is the SHA-256 of the normalised rows, given as %s', async (_, name, text) => {
    expect((await surveyDataset(sourceOf(name, text))).version).toBe(version);
  });

  it('changes with the order of the rows', async () => {
    const [a, b] = [{ input: 'a' }, { input: 'b' }];
    const one = await surveyDataset(sourceOf('a.jsonl', jsonl(a, b)));
    expect((await surveyDataset(sourceOf('a.jsonl', jsonl(b, a)))).version).not.toBe(one.version);
  });
});

describe('a sample', () => {
  const text = jsonl(...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id, input: `question ${id}` })));

  it('holds the rows whose hash of seed and id is lowest, in file order', async () => {
    // Ascending by sha256("seed\n" + id): a f b c e d
    expect(await sampledIds(text, 3, 'seed')).toEqual(['a', 'b', 'f']);
    expect(await sampledIds(text, 1, 'seed')).toEqual(['a']);
    expect(await sampledIds(text, 5, 'seed')).toEqual(['a', 'b', 'c', 'e', 'f']);
  });

  it('counts its rows from 0', async () => {
    const survey = await surveyDataset(sourceOf('a.jsonl', text), { sampleSize: 3, sampleSeed: 'seed' });
    const rows = await collect(pickRows(sourceOf('a.jsonl', text), survey));
    expect(rows.map((row) => row.index)).toEqual([0, 1, 2]);
    expect(survey.rows).toBe(6);
  });

  it('larger than the dataset is the dataset', async () => {
    expect(await sampledIds(text, 100, 'seed')).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('is what sorting all the hashes gives', async () => {
    const ids = fc.uniqueArray(
      fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter((id) => id.trim() !== ''),
      { minLength: 1, maxLength: 60 },
    );
    const property = fc.asyncProperty(ids, fc.integer({ min: 1, max: 70 }), fc.string(), async (all, size, seed) => {
      const hashOf = (id: string) => createHash('sha256').update(`${seed}\n${id}`).digest('hex');
      const lowest = new Set([...all].sort((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1)).slice(0, size));
      const records = jsonl(...all.map((id, index) => ({ id, input: index })));
      expect(await sampledIds(records, size, seed)).toEqual(all.filter((id) => lowest.has(id)));
    });
    await fc.assert(property, { numRuns: 60 });
  });
});

describe('two passes', () => {
  it('throw every fault in the first, before any row is picked', async () => {
    const broken = jsonl({ input: 'a' }, { id: 'x\u0000', input: 'b' }, { input: 'a' });
    const error = await surveyDataset(sourceOf('a.jsonl', broken)).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(DatasetError);
    expect((error as DatasetError).faults.map((fault) => fault.line)).toEqual([2, 3]);
  });

  it('refuse a dataset that changed in between', async () => {
    const survey = await surveyDataset(sourceOf('a.jsonl', jsonl({ input: 'a' })));
    await expect(collect(pickRows(sourceOf('a.jsonl', jsonl({ input: 'b' })), survey))).rejects.toThrow(/changed/);
  });

  it('ask the eval type about every row and add file and line', async () => {
    const source = sourceOf('a.jsonl', jsonl({ input: 'a', expected: 'x' }, { input: 'b' }));
    const checkRow = (row: { expected: unknown }) =>
      row.expected === null ? [{ field: 'expected', message: 'qa needs an expected answer' }] : [];
    await expect(surveyDataset(source, { checkRow })).rejects.toThrow(
      'a.jsonl, line 2, field expected: qa needs an expected answer',
    );
  });

  it('stop at the limit of rows', async () => {
    const source = sourceOf('a.jsonl', jsonl({ input: 'a' }, { input: 'b' }, { input: 'c' }));
    await expect(surveyDataset(source, { maxRows: 2 })).rejects.toThrow(/line 3.*more than 2 rows/);
  });
});

it('remembers the first line of every id while its table grows', () => {
  const seen = new SeenIds();
  for (let line = 1; line <= 5000; line++) expect(seen.add(`id-${line}`, line)).toBeNull();
  for (let line = 1; line <= 5000; line++) expect(seen.add(`id-${line}`, 9999)).toBe(line);
});

function pickAll(text: string) {
  return pickRowsOf(text, undefined, '');
}

async function* pickRowsOf(text: string, sampleSize: number | undefined, sampleSeed: string) {
  const survey = await surveyDataset(sourceOf('a.jsonl', text), { sampleSize, sampleSeed });
  yield* pickRows(sourceOf('a.jsonl', text), survey);
}

async function sampledIds(text: string, size: number, seed: string): Promise<string[]> {
  return (await collect(pickRowsOf(text, size, seed))).map((row) => row.id);
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
