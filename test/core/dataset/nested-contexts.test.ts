import { describe, expect, it } from 'vitest';
import { DatasetReader } from '../../../src/core/dataset/read-dataset.ts';
import type { JsonObject } from '../../../src/core/json.ts';

async function contextsOf(row: JsonObject): Promise<readonly string[] | null | undefined> {
  async function* chunks() {
    yield Buffer.from(`${JSON.stringify(row)}\n`);
  }
  for await (const { contexts } of new DatasetReader({ name: 'cases.jsonl', chunks: chunks() }, {})) return contexts;
  return undefined;
}

describe('passages beside the query, as supereval keeps them', () => {
  it.each<{ name: string; row: JsonObject; contexts: string[] | null }>([
    {
      name: 'are the row’s contexts',
      row: { input: { query: 'q', retrieved_contexts: ['a', 'b'] } },
      contexts: ['a', 'b'],
    },
    { name: 'none is none', row: { input: { query: 'q', retrieved_contexts: [] } }, contexts: [] },
    {
      name: 'give way to the row’s own',
      row: { input: { query: 'q', retrieved_contexts: ['a'] }, contexts: ['c'] },
      contexts: ['c'],
    },
    { name: 'are not looked for elsewhere', row: { input: { query: 'q' } }, contexts: null },
  ])('$name', async ({ row, contexts }) => {
    expect(await contextsOf(row)).toEqual(contexts);
  });
});
