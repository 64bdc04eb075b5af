import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunIndex, type RunIndexEntry } from '../../../src/adapters/local/run-index.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-index-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const entry = (run_id: string, changes: Partial<RunIndexEntry> = {}): RunIndexEntry => ({
  run_id,
  eval: 'faq',
  gate: 'pass',
  quarantined: false,
  ref: null,
  score: 1,
  started_at: '2026-01-01T00:00:00.000Z',
  ...changes,
});

async function indexOf(...entries: readonly RunIndexEntry[]): Promise<RunIndex> {
  const index = new RunIndex(join(folder, 'runs', 'index.jsonl'));
  for (const one of entries) await index.add(one);
  return index;
}

describe('the last pass', () => {
  it.each([
    {
      name: 'is the latest run that passed',
      entries: [entry('r-1'), entry('r-2'), entry('r-3', { gate: 'fail' })],
      last: 'r-2',
    },
    { name: 'is by start, though an older run was finished later', entries: [entry('r-2'), entry('r-1')], last: 'r-2' },
    { name: 'is of the same eval', entries: [entry('r-1'), entry('r-2', { eval: 'other' })], last: 'r-1' },
    { name: 'is not quarantined', entries: [entry('r-1'), entry('r-2', { quarantined: true })], last: 'r-1' },
    {
      name: 'counts what a run ended with when it was resumed',
      entries: [entry('r-1'), entry('r-2', { gate: 'error' }), entry('r-2')],
      last: 'r-2',
    },
    {
      name: 'forgets a pass that a later finish took back',
      entries: [entry('r-1'), entry('r-2'), entry('r-2', { gate: 'fail' })],
      last: 'r-1',
    },
    { name: 'may be none', entries: [entry('r-1', { gate: 'error' })], last: undefined },
  ])('$name', async ({ entries, last }) => {
    expect((await (await indexOf(...entries)).lastPass('faq'))?.run_id).toBe(last);
  });

  it('comes before the run that is compared', async () => {
    const index = await indexOf(entry('r-1'), entry('r-2'), entry('r-3'));
    expect((await index.lastPass('faq', { before: 'r-2' }))?.run_id).toBe('r-1');
    expect(await index.lastPass('faq', { before: 'r-1' })).toBeUndefined();
  });

  it('is found past lines that are no entries', async () => {
    const index = await indexOf(entry('r-1'));
    appendFileSync(join(folder, 'runs', 'index.jsonl'), 'null\n{"run_id":7}\n{"run_id":"r-2"');
    expect((await index.lastPass('faq'))?.run_id).toBe('r-1');
  });

  it('says so when the index cannot be written', async () => {
    writeFileSync(join(folder, 'runs'), 'a file');
    await expect(indexOf(entry('r-1'))).rejects.toThrow('cannot write');
  });
});
