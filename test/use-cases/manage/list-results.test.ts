import { describe, expect, it } from 'vitest';
import { MemoryRegistry } from '../../../src/adapters/memory/memory-registry.ts';
import { MemoryResultParts } from '../../../src/adapters/memory/memory-result-parts.ts';
import { MemoryRowIndex } from '../../../src/adapters/memory/memory-row-index.ts';
import type { RowResult } from '../../../src/core/schemas/result.ts';
import { listResults } from '../../../src/use-cases/manage/list-results.ts';
import { aResult, aRun, RUN_ID } from '../../contracts/samples.ts';

const MEGABYTE = 1_000_000;
const run = { runId: RUN_ID, project: 'shop', startedAt: aRun().started_at };

async function stored(batches: readonly (readonly RowResult[])[]) {
  const ports = { registry: new MemoryRegistry(), rowIndex: new MemoryRowIndex(), parts: new MemoryResultParts() };
  await ports.registry.createRun(aRun());
  for (const batch of batches) {
    const part = await ports.parts.write(run, batch[0]?.index ?? 0, batch);
    await ports.rowIndex.put(RUN_ID, part, batch);
  }
  const list = (options: Partial<Parameters<typeof listResults>[0]> = {}) =>
    listResults({ runId: RUN_ID, failedOnly: false, limit: 100, maxBytes: 4 * MEGABYTE, ...options }, ports);
  return { ports, list };
}

const long = (index: number, characters: number, changes: Partial<RowResult> = {}) =>
  aResult(index, { output: `${index}:`.padEnd(characters, 'x'), ...changes });

describe('results of a run', () => {
  it('have their long texts whole', async () => {
    const { list } = await stored([[aResult(0), long(1, 50_000)], [long(2, 50_000)]]);
    const { items } = await list();
    expect(items.map(({ output }) => output?.length)).toEqual([30, 50_000, 50_000]);
    expect(items.map(({ truncated }) => truncated)).toEqual([false, false, false]);
  });

  it('tell targets, trials and phases of one row apart', async () => {
    const variants = [
      long(0, 5_000, { target: 'a', trial: 0 }),
      long(0, 6_000, { target: 'a', trial: 1 }),
      long(0, 7_000, { target: 'b', trial: 0 }),
      long(0, 8_000, { target: 'b', trial: 0, phase: 'confirm' }),
    ];
    const { list } = await stored([variants]);
    const { items } = await list();
    expect(items.map(({ target, trial, phase, output }) => [target, trial, phase, output?.length])).toEqual([
      ['a', 0, 'main', 5_000],
      ['a', 1, 'main', 6_000],
      ['b', 0, 'main', 7_000],
      ['b', 0, 'confirm', 8_000],
    ]);
  });

  it('are cut, and say so, when their part is gone', async () => {
    const { list, ports } = await stored([[long(0, 50_000)]]);
    ports.parts.objects.clear();
    const { items } = await list();
    expect(items).toMatchObject([{ row_id: 'row-0', truncated: true }]);
    expect(items[0]?.output?.length).toBeLessThan(1_000);
  });

  it('end a page early rather than answer more than fits, and lose none by it', async () => {
    const { list } = await stored([[0, 1, 2].map((index) => long(index, 1.5 * MEGABYTE)), [long(3, 1.5 * MEGABYTE)]]);
    const seen: string[] = [];
    const sizes: number[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await list(cursor == null ? {} : { cursor });
      seen.push(...page.items.map(({ row_id }) => row_id));
      sizes.push(page.items.length);
      cursor = page.cursor;
    } while (cursor !== null);
    expect(seen).toEqual(['row-0', 'row-1', 'row-2', 'row-3']);
    expect(sizes).toEqual([2, 2]);
  });

  it('show one that alone is too large cut', async () => {
    const { list } = await stored([[long(0, 5 * MEGABYTE), aResult(1)]]);
    const { items } = await list();
    expect(items.map(({ truncated }) => truncated)).toEqual([true, false]);
  });

  it('read each part once a page', async () => {
    const batch = Array.from({ length: 50 }, (_, index) => long(index, 5_000));
    const { list, ports } = await stored([batch]);
    let reads = 0;
    const read = ports.parts.read.bind(ports.parts);
    ports.parts.read = (...args) => {
      reads += 1;
      return read(...args);
    };
    expect((await list()).items).toHaveLength(50);
    expect(reads).toBe(1);
  });
});
