import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { InvalidCursorError } from '../../src/core/errors.ts';
import type { RowResult } from '../../src/core/schemas/result.ts';
import { scored, unscored } from '../../src/core/schemas/score.ts';
import type { IndexedResult, RowIndex } from '../../src/ports/row-index.ts';
import { aResult, aRunId, HOSTILE_TEXTS, RUN_ID } from './samples.ts';

/** `makeIndex` gives an empty index each time. */
export function rowIndexContract(
  name: string,
  makeIndex: () => Promise<RowIndex>,
  stop: () => Promise<void> = async () => undefined,
): void {
  describe(`${name} as a RowIndex`, () => {
    let index: RowIndex;
    beforeEach(async () => {
      index = await makeIndex();
    });
    afterAll(stop);

    const all = async (failedOnly: boolean, limit: number, runId = RUN_ID) => {
      const items: IndexedResult[] = [];
      let cursor: string | null = null;
      let pages = 0;
      do {
        const page: Awaited<ReturnType<RowIndex['list']>> = await index.list(runId, {
          failedOnly,
          limit,
          ...(cursor === null ? {} : { cursor }),
        });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        items.push(...page.items);
        cursor = page.cursor;
        pages += 1;
      } while (cursor !== null);
      return { items, pages };
    };

    it('gives a small result back whole, without its trajectory', async () => {
      const result = aResult(0, { trajectory: { steps: [] }, metadata: { URL: 'a', Url: 'b' } });
      await index.put(RUN_ID, 'part-00000000.jsonl.gz', [result]);
      const { trajectory: _, ...rest } = result;
      expect((await all(false, 10)).items).toEqual([{ ...rest, truncated: false, part: 'part-00000000.jsonl.gz' }]);
    });

    it('is empty for a run without rows', async () => {
      expect(await index.list(RUN_ID, { failedOnly: false, limit: 10 })).toEqual({ items: [], cursor: null });
      expect(await index.list(RUN_ID, { failedOnly: true, limit: 10 })).toEqual({ items: [], cursor: null });
    });

    it('pages in row order over any number of rows', async () => {
      const rows = Array.from({ length: 203 }, (_, row) => aResult(row));
      await index.put(RUN_ID, 'p', [...rows].reverse());
      await index.put(aRunId(2), 'p', [aResult(7)]);
      for (const limit of [1_000, 203, 100, 7]) {
        const { items, pages } = await all(false, limit);
        expect(items.map((item) => item.index)).toEqual(rows.map((row) => row.index));
        expect(pages).toBe(Math.ceil(203 / limit));
      }
    });

    it('begins at the row that is named, wherever it is, and goes on by cursor from there', async () => {
      const rows = Array.from({ length: 60 }, (_, row) => aResult(row, failureOf(row)));
      await index.put(RUN_ID, 'p', rows);
      for (const fromIndex of [0, 37, 59, 60, 999_999_999]) {
        const { items } = await index.list(RUN_ID, { failedOnly: false, limit: 100, fromIndex });
        expect(items.map((item) => item.index)).toEqual(rows.map((row) => row.index).filter((at) => at >= fromIndex));
      }
      const first = await index.list(RUN_ID, { failedOnly: true, limit: 2, fromIndex: 30 });
      const second = await index.list(RUN_ID, {
        failedOnly: true,
        limit: 2,
        fromIndex: 30,
        cursor: first.cursor ?? '',
      });
      const failed = rows.filter((row) => !row.passed && row.index >= 30).map((row) => row.index);
      expect([...first.items, ...second.items].map((item) => item.index)).toEqual(failed.slice(0, 4));
    });

    it('lists only what did not pass, in row order', async () => {
      const rows = Array.from({ length: 60 }, (_, row) => aResult(row, failureOf(row)));
      await index.put(RUN_ID, 'p', rows);
      const { items } = await all(true, 4);
      expect(items.map((item) => item.index)).toEqual(rows.filter((row) => !row.passed).map((row) => row.index));
    });

    it('keeps one result for a row that is stored twice, and its place among the failed ones', async () => {
      const before = Array.from({ length: 10 }, (_, row) => aResult(row));
      await index.put(RUN_ID, 'p', before);
      await index.put(RUN_ID, 'p', [aResult(5, { score: 0.4, passed: false })]);
      const { items } = await all(false, 100);
      expect(items).toHaveLength(10);
      expect(items[5]?.score).toBe(0.4);
      expect((await all(true, 100)).items.map((item) => item.index)).toEqual([5]);
      await index.put(RUN_ID, 'p', [aResult(5)]);
      expect((await all(true, 100)).items).toEqual([]);
    });

    it('stores the last of two results for one row in one call', async () => {
      await index.put(RUN_ID, 'p', [aResult(0, { score: 0.1 }), aResult(0, { score: 0.2 })]);
      expect((await all(false, 10)).items.map((item) => item.score)).toEqual([0.2]);
    });

    it('tells targets, trials and phases of a row apart', async () => {
      const variants = ['http', 'http-2', 'a-b'].flatMap((target) =>
        [0, 1, 10].flatMap((trial) =>
          (['main', 'confirm'] as const).map((phase) => aResult(3, { target, trial, phase })),
        ),
      );
      await index.put(RUN_ID, 'p', variants);
      const { items } = await all(false, 5);
      expect(items).toHaveLength(variants.length);
      expect(items[0]).toMatchObject({ target: 'a-b', trial: 0, phase: 'main' });
      expect(items[1]).toMatchObject({ target: 'a-b', trial: 0, phase: 'confirm' });
    });

    it('takes any row id, and keeps texts as they are', async () => {
      const rows = HOSTILE_TEXTS.map((text, row) =>
        aResult(row, { row_id: text, input: text, output: text, metadata: { [text]: text }, cluster: null }),
      );
      await index.put(RUN_ID, 'p', rows);
      const { items } = await all(false, 5);
      expect(items.map((item) => item.row_id)).toEqual([...HOSTILE_TEXTS]);
      const small = items.filter((item) => !item.truncated);
      expect(small.length).toBeGreaterThan(9);
      for (const item of small) expect(item.output).toBe(item.row_id);
    });

    it('stores rows without expected, contexts or score', async () => {
      const judgeError = aResult(1, {
        expected: null,
        contexts: null,
        output: '',
        status: 'judge_error',
        cause: 'throttled',
        passed: false,
        score: null,
        scores: { correctness: unscored('judge-unavailable', 'throttled out') },
      });
      await index.put(RUN_ID, 'p', [aResult(0, { expected: null }), judgeError]);
      const { items } = await all(false, 10);
      expect(items.map((item) => [item.expected, item.score, item.status])).toEqual([
        [null, 0.9, 'scored'],
        [null, null, 'judge_error'],
      ]);
    });

    it('stores a result of any size cut, says so, and points at the part that has it whole', async () => {
      await index.put(RUN_ID, 'part-00000000.jsonl.gz', [hugeResult()]);
      const [item] = (await all(false, 10)).items;
      expect(item).toMatchObject({
        truncated: true,
        part: 'part-00000000.jsonl.gz',
        index: 0,
        score: 0.9,
        passed: true,
      });
      expect(item?.scores.correctness?.value).toBe(0.9);
      expect(Buffer.byteLength(JSON.stringify(item))).toBeLessThan(32_768);
      expect(item?.output?.startsWith('xxx')).toBe(true);
    });

    it('refuses NaN instead of storing it as nothing', async () => {
      await expect(index.put(RUN_ID, 'p', [aResult(0, { score: Number.NaN })])).rejects.toThrow(RangeError);
    });

    it.each([
      { name: 'of another run', runId: aRunId(2), failedOnly: false },
      { name: 'of the other list', runId: RUN_ID, failedOnly: true },
    ])('refuses a cursor $name', async ({ runId, failedOnly }) => {
      await index.put(RUN_ID, 'p', [aResult(0), aResult(1)]);
      const { cursor } = await index.list(RUN_ID, { failedOnly: false, limit: 1 });
      const request = index.list(runId, { failedOnly, limit: 1, cursor: cursor ?? '' });
      await expect(request).rejects.toThrow(InvalidCursorError);
    });

    it.each([0, -5, Number.NaN, 0.5])('gives at least one row a page for a limit of %s', async (limit) => {
      await index.put(RUN_ID, 'p', [aResult(0), aResult(1)]);
      expect((await index.list(RUN_ID, { failedOnly: false, limit })).items).toHaveLength(1);
    });

    it('refuses a cursor that nobody gave out', async () => {
      for (const cursor of ['', 'x', Buffer.from('[1,"a","b"]').toString('base64url'), '%%%']) {
        const request = index.list(RUN_ID, { failedOnly: false, limit: 1, cursor });
        await expect(request).rejects.toThrow(InvalidCursorError);
      }
    });
  });
}

function failureOf(row: number): Partial<RowResult> {
  if (row % 3 === 0) return {};
  if (row % 3 === 1) return { passed: false, score: 0.2 };
  return { passed: false, score: 0, status: 'target_error', cause: 'timeout', error: 'no answer in 60 s' };
}

export function hugeResult(): RowResult {
  const names = Array.from({ length: 60 }, (_, number) => `metric_${number}`);
  const others = names.map((name) => [name, scored(0.5, 'ü'.repeat(3_000))]);
  return aResult(0, {
    output: 'x'.repeat(500_000),
    input: { nested: 'y'.repeat(300_000) },
    expected: ['z'.repeat(100_000)],
    contexts: Array.from({ length: 500 }, () => 'passage '.repeat(200)),
    metadata: { big: 'm'.repeat(200_000) },
    tags: Array.from({ length: 1_000 }, (_, tag) => `tag ${tag}`),
    cluster: 'c'.repeat(10_000),
    warnings: ['w'.repeat(20_000)],
    scores: { correctness: scored(0.9, 'r'.repeat(20_000)), ...Object.fromEntries(others) },
  });
}
