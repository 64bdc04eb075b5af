import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { lineBatches } from '../../src/core/jsonl.ts';
import { unpackResult } from '../../src/core/packed-result.ts';
import type { RowResult } from '../../src/core/schemas/result.ts';
import { scored, unscored } from '../../src/core/schemas/score.ts';
import type { ResultParts, RunRef } from '../../src/ports/result-parts.ts';
import { hugeResult } from './row-index.ts';
import { bytesOf } from './run-store.ts';
import { aResult, aRunId, HOSTILE_TEXTS, RUN_ID } from './samples.ts';

export const RUN: RunRef = { runId: RUN_ID, project: 'shop', startedAt: '2026-11-30T10:00:00.000Z' };

/** `makeParts` gives an empty store each time. */
export function resultPartsContract(
  name: string,
  makeParts: () => Promise<ResultParts>,
  stop: () => Promise<void> = async () => undefined,
): void {
  describe(`${name} as ResultParts`, () => {
    let parts: ResultParts;
    beforeEach(async () => {
      parts = await makeParts();
    });
    afterAll(stop);

    const linesOf = async (run = RUN) => {
      const lines: string[] = [];
      for await (const chunks of parts.reader(run).read(run.runId)) {
        for await (const batch of lineBatches(chunks)) lines.push(...batch);
      }
      return lines;
    };

    it('names a part by its first row', async () => {
      expect(await parts.write(RUN, 0, [aResult(0)])).toBe('part-00000000.jsonl.gz');
      expect(await parts.write(RUN, 1_234_500, [aResult(0)])).toBe('part-01234500.jsonl.gz');
      await expect(parts.write(RUN, -1, [])).rejects.toThrow(RangeError);
    });

    it('gives back what was written', async () => {
      const results = [awkwardResult(0), awkwardResult(1), hugeResult()];
      await parts.write(RUN, 0, results);
      expect(await parts.read(RUN, 0)).toEqual(results);
    });

    it('knows no part that was not written', async () => {
      await parts.write(RUN, 0, [aResult(0)]);
      expect(await parts.read(RUN, 100)).toBeNull();
      expect(await parts.read({ ...RUN, runId: aRunId(2) }, 0)).toBeNull();
      expect(await linesOf({ ...RUN, runId: aRunId(2) })).toEqual([]);
    });

    it('rewrites a part whole when its batch is delivered again', async () => {
      await parts.write(RUN, 0, [aResult(0), aResult(1), aResult(2)]);
      await parts.write(RUN, 0, [aResult(0, { score: 0.4 }), aResult(1)]);
      expect((await parts.read(RUN, 0))?.map((result) => result.score)).toEqual([0.4, 0.9]);
      expect(await linesOf()).toHaveLength(2);
    });

    it('keeps an empty part', async () => {
      await parts.write(RUN, 0, []);
      expect(await parts.read(RUN, 0)).toEqual([]);
      expect(await linesOf()).toEqual([]);
    });

    it('gives all parts of the run in row order, and of no other', async () => {
      for (const first of [100, 0, 1_000, 20]) await parts.write(RUN, first, [aResult(first), aResult(first + 1)]);
      await parts.write({ ...RUN, runId: aRunId(2) }, 0, [aResult(7)]);
      await parts.write({ ...RUN, project: 'shop-2' }, 0, [aResult(8)]);
      const indexes = (await linesOf()).map((line) => (JSON.parse(line) as RowResult).index);
      expect(indexes).toEqual([0, 1, 20, 21, 100, 101, 1_000, 1_001]);
    });

    it('reads many parts, more than are fetched ahead', async () => {
      const firsts = Array.from({ length: 40 }, (_, number) => number * 10);
      await Promise.all(firsts.map((first) => parts.write(RUN, first, [aResult(first)])));
      expect(await linesOf()).toHaveLength(40);
    });

    it('takes the date from the start of the run in UTC', async () => {
      await parts.write({ ...RUN, startedAt: '2026-12-01T00:30:00+02:00' }, 0, [aResult(0)]);
      expect(await linesOf({ ...RUN, startedAt: '2026-11-30T22:30:00Z' })).toHaveLength(1);
      await expect(parts.write({ ...RUN, startedAt: 'yesterday' }, 0, [])).rejects.toThrow(RangeError);
    });

    it('writes one physical line a result, whatever the texts hold', async () => {
      const results = HOSTILE_TEXTS.map((text, row) =>
        aResult(row, { input: text, output: text, error: text, contexts: [text], metadata: { [text]: [text] } }),
      );
      await parts.write(RUN, 0, results);
      const chunks: Buffer[] = [];
      for await (const part of parts.reader(RUN).read(RUN_ID)) chunks.push(await bytesOf(part));
      const text = Buffer.concat(chunks).toString('utf8');
      // No mark but LF that some reader takes for the end of a line.
      const others = ['\r', '\u000b', '\u000c', '\u001c', '\u001d', '\u001e', '\u0085', '\u2028', '\u2029'];
      expect(others.filter((mark) => text.includes(mark))).toEqual([]);
      expect(text.split('\n')).toHaveLength(results.length + 1);
      expect(
        text
          .trimEnd()
          .split('\n')
          .map((line) => unpackResult(JSON.parse(line) as RowResult)),
      ).toEqual(results);
      expect(await parts.read(RUN, 0)).toEqual(results);
    });

    it('has fixed lower-case columns, scalars first, and keeps the names that users chose inside', async () => {
      const result = aResult(0, {
        metadata: { URL: 'a', Url: 'b' },
        scores: { Tone: scored(1, ''), tone: scored(0, '') },
      });
      await parts.write(RUN, 0, [result, aResult(1)]);
      const lines = (await linesOf()).map((line) => Object.keys(JSON.parse(line) as object));
      expect(lines[0]).toEqual(lines[1]);
      expect(lines[0]?.slice(0, 4)).toEqual(['run_id', 'project', 'eval', 'eval_version']);
      expect(lines[0]?.every((column) => /^[a-z_]+$/.test(column))).toBe(true);
      expect((await parts.read(RUN, 0))?.[0]).toEqual(result);
    });

    it('keeps an object out of every text column, which the SerDe of Athena cannot read past', async () => {
      await parts.write(RUN, 0, [awkwardResult(0)]);
      const line = JSON.parse((await linesOf())[0] ?? '') as Record<string, unknown>;
      for (const column of ['input', 'trajectory', 'metadata']) expect(typeof line[column]).toBe('string');
      expect(line).toMatchObject({ expected: null, json_columns: ['input'], scores: {}, spend: {} });
    });

    it('keeps what tables say of a run apart from its results, each rewritten whole', async () => {
      await parts.write(RUN, 0, [aResult(0)]);
      await parts.writeTable(RUN, 'row_outcomes', ['{"row_id":"a\u2028b"}', '{}']);
      await parts.writeTable(RUN, 'row_outcomes', ['{"row_id":"a\u2028b"}']);
      await parts.writeTable(RUN, 'runs', ['{}']);
      expect(await linesOf()).toHaveLength(1);
    });

    it('refuses NaN and leaves the part as it was', async () => {
      await parts.write(RUN, 0, [aResult(0)]);
      for (const bad of [
        { score: Number.NaN },
        { metadata: { size: Number.NaN } },
        { input: [Number.POSITIVE_INFINITY] },
      ])
        await expect(parts.write(RUN, 0, [aResult(0, bad)])).rejects.toThrow(RangeError);
      expect(await parts.read(RUN, 0)).toEqual([aResult(0)]);
    });
  });
}

function awkwardResult(index: number): RowResult {
  return aResult(index, {
    status: 'judge_error',
    cause: 'unparsable',
    passed: false,
    score: null,
    input: { task: 'x', deep: [[[[null, true, 1e-7, 'é']]]] },
    expected: null,
    output: '',
    contexts: [],
    trajectory: { steps: [{ type: 'tool_call', tool_call: { name: 'f', arguments: { a: [1] } } }], error: '' },
    scores: { correctness: unscored('judge-unparsable', 'no verdict') },
    metadata: { '': null, constructor: 'x' },
  });
}
