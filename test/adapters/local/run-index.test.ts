import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    expect((await (await indexOf(...entries)).passes('faq'))[0]?.run_id).toBe(last);
  });

  it('comes before the run that is compared', async () => {
    const index = await indexOf(entry('r-1'), entry('r-2'), entry('r-3'));
    expect((await index.passes('faq', { before: 'r-2' }))[0]?.run_id).toBe('r-1');
    expect(await index.passes('faq', { before: 'r-1' })).toEqual([]);
  });

  it('is found past lines that are no entries', async () => {
    const index = await indexOf(entry('r-1'));
    appendFileSync(join(folder, 'runs', 'index.jsonl'), 'null\n{"run_id":7}\n{"run_id":"r-2"');
    expect((await index.passes('faq'))[0]?.run_id).toBe('r-1');
  });

  it('says so when the index is no file that can be read', async () => {
    writeFileSync(join(folder, 'runs'), 'a file');
    await expect(indexOf(entry('r-1'))).rejects.toThrow('cannot read');
  });
});

const RUN_1 = 'r-01JD0000000000000000000001';
const RUN_2 = 'r-01JD0000000000000000000002';

/** The folder of a run, with what its summary says. */
function runFolder(runId: string, summary: unknown): void {
  mkdirSync(join(folder, 'runs', runId), { recursive: true });
  if (summary !== null) writeFileSync(join(folder, 'runs', runId, 'summary.json'), JSON.stringify(summary));
}

const idsOf = async (index: RunIndex) => (await index.list('faq')).map(({ run_id }) => run_id);
const linesOf = () =>
  readFileSync(join(folder, 'runs', 'index.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1);

describe('an index that lost lines', () => {
  it.each([
    { name: 'deleted', damage: (path: string) => rmSync(path) },
    { name: 'overwritten', damage: (path: string) => writeFileSync(path, '\u0000garbage') },
    { name: 'empty', damage: (path: string) => writeFileSync(path, '') },
    { name: 'without its last line', damage: (path: string) => writeFileSync(path, `${linesOf()[0]}\n`) },
  ])('is made anew from the runs when it is $name', async ({ damage }) => {
    const index = await indexOf(entry(RUN_1), entry(RUN_2, { gate: 'fail' }));
    runFolder(RUN_1, { ...entry(RUN_1), message: 'and more' });
    runFolder(RUN_2, entry(RUN_2, { gate: 'fail' }));
    damage(join(folder, 'runs', 'index.jsonl'));
    expect(await index.list('faq')).toEqual([entry(RUN_1), entry(RUN_2, { gate: 'fail' })]);
    const healed = linesOf().filter((line) => line.startsWith('{'));
    expect(healed.map((line) => JSON.parse(line).run_id)).toEqual([RUN_1, RUN_2]);
  });

  it.each([
    { name: 'did not finish', summary: null },
    { name: 'has the summary of another run', summary: entry(RUN_2) },
    { name: 'has a summary that says nothing', summary: {} },
  ])('gets no line for a run that $name', async ({ summary }) => {
    runFolder(RUN_1, summary);
    expect(await idsOf(await indexOf())).toEqual([]);
  });

  it('keeps the entry that follows a line which was cut off', async () => {
    const index = await indexOf(entry(RUN_1));
    appendFileSync(join(folder, 'runs', 'index.jsonl'), '{"run_id":"r-0');
    await index.add(entry(RUN_2));
    expect(await idsOf(index)).toEqual([RUN_1, RUN_2]);
  });
});

it('has one line for a run that is finished again with the same end', async () => {
  await indexOf(entry(RUN_1), entry(RUN_1));
  expect(linesOf()).toHaveLength(1);
});
