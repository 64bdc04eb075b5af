import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { readLines } from '../../src/core/jsonl.ts';
import type { CompactedResults, StagedFile } from '../../src/ports/compacted-results.ts';
import type { ResultParts } from '../../src/ports/result-parts.ts';
import { RUN } from './result-parts.ts';
import { aResult, aRunId } from './samples.ts';

export interface CompactedStore {
  readonly compacted: CompactedResults;
  readonly parts: ResultParts;
  /** Content of what is published, by the first part it holds. */
  publishedFiles(): Promise<readonly (readonly [fromPart: number, content: string])[]>;
}

/** `makeStore` gives an empty store each time. */
export function compactedResultsContract(
  name: string,
  makeStore: () => Promise<CompactedStore>,
  stop: () => Promise<void> = async () => undefined,
): void {
  describe(`${name} as CompactedResults`, () => {
    let store: CompactedStore;
    let compacted: CompactedResults;
    beforeEach(async () => {
      store = await makeStore();
      compacted = store.compacted;
    });
    afterAll(stop);

    const file = (fromPart: number, toPart: number): StagedFile => ({ fromPart, toPart, rows: 2, bytes: 1 });
    const stage = ({ fromPart, toPart, rows }: StagedFile, content = 'x') =>
      compacted.stage(RUN, { fromPart, toPart, rows }, Buffer.from(content));

    it('reads the parts of the run after a given one, in row order', async () => {
      for (const first of [200, 0, 100]) await store.parts.write(RUN, first, [aResult(first)]);
      await store.parts.write({ ...RUN, runId: aRunId(2) }, 300, [aResult(300)]);
      const read = async (after: number) => {
        const found: [number, number][] = [];
        for await (const { part, lines } of compacted.parts(RUN, after))
          for await (const line of readLines(lines)) found.push([part, (JSON.parse(line) as { index: number }).index]);
        return found;
      };
      expect(await read(-1)).toEqual([
        [0, 0],
        [100, 100],
        [200, 200],
      ]);
      expect(await read(100)).toEqual([[200, 200]]);
    });

    it('lists what is staged in row order, sizes and rows known, and of no other run', async () => {
      await stage(file(101, 200));
      await stage(file(0, 100), 'four');
      await compacted.stage({ ...RUN, runId: aRunId(2) }, file(0, 9), Buffer.from('other'));
      expect(await compacted.staged(RUN)).toEqual([{ ...file(0, 100), bytes: 4 }, file(101, 200)]);
    });

    it('publishes what is named, in place of what was there, and leaves nothing staged', async () => {
      for (const staged of [file(0, 100), file(101, 200)]) await stage(staged);
      await compacted.publish(RUN, [file(0, 100), file(101, 200)]);
      expect(await store.publishedFiles()).toEqual([
        [0, 'x'],
        [101, 'x'],
      ]);
      expect(await compacted.staged(RUN)).toEqual([]);

      await stage(file(0, 200), 'new');
      await stage(file(0, 50), 'of an attempt side by side');
      await compacted.publish(RUN, [file(0, 200)]);
      expect(await store.publishedFiles()).toEqual([[0, 'new']]);
      expect(await compacted.staged(RUN)).toEqual([]);
    });

    it('a file that is not staged any more is an error, and what was published stays', async () => {
      await stage(file(0, 100));
      await compacted.publish(RUN, [file(0, 100)]);
      await expect(compacted.publish(RUN, [file(0, 300)])).rejects.toThrow();
      expect(await store.publishedFiles()).toEqual([[0, 'x']]);
    });

    it('a run without results has no file', async () => {
      await stage(file(0, 100));
      await compacted.publish(RUN, []);
      expect(await store.publishedFiles()).toEqual([]);
    });
  });
}
