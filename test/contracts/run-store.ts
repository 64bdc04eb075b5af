import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { ByteChunks, RunFile, RunStore } from '../../src/ports/run-store.ts';
import { aRunId, HOSTILE_TEXTS, RUN_ID } from './samples.ts';

/** `makeStore` gives an empty store each time. */
export function runStoreContract(
  name: string,
  makeStore: () => Promise<RunStore>,
  stop: () => Promise<void> = async () => undefined,
): void {
  describe(`${name} as a RunStore`, () => {
    let store: RunStore;
    beforeEach(async () => {
      store = await makeStore();
    });
    afterAll(stop);

    const textOf = async (file: RunFile, runId = RUN_ID) => {
      const chunks = await store.read(runId, file);
      return chunks === null ? null : (await bytesOf(chunks)).toString('utf8');
    };

    it('gives back what was written, whatever kind of body', async () => {
      const gzipped = gzipSync('a line\n');
      await store.write(RUN_ID, 'config.json', '{"name":"Zoë 🚀"}');
      await store.write(RUN_ID, 'outcomes.jsonl.gz', gzipped);
      await store.write(RUN_ID, 'rows.jsonl', pieces(['one\n', Buffer.from('two\n'), '', 'three\n']));
      expect(await textOf('config.json')).toBe('{"name":"Zoë 🚀"}');
      expect(await bytesOf((await store.read(RUN_ID, 'outcomes.jsonl.gz')) ?? empty())).toEqual(gzipped);
      expect(await textOf('rows.jsonl')).toBe('one\ntwo\nthree\n');
    });

    it('keeps runs and files apart', async () => {
      await store.write(RUN_ID, 'summary.json', 'a');
      expect(await textOf('summary.json', aRunId(2))).toBeNull();
      expect(await textOf('report.html')).toBeNull();
      expect(await store.readLines(RUN_ID, 'rows.jsonl', { offset: 0, count: 1 })).toBeNull();
    });

    it('replaces a file whole', async () => {
      await store.write(RUN_ID, 'summary.json', 'long content');
      await store.write(RUN_ID, 'summary.json', 'short');
      expect(await textOf('summary.json')).toBe('short');
    });

    it('stores empty files', async () => {
      await store.write(RUN_ID, 'junit.xml', '');
      await store.write(RUN_ID, 'rows.jsonl', pieces([]));
      expect(await textOf('junit.xml')).toBe('');
      expect(await textOf('rows.jsonl')).toBe('');
      expect(await store.readLines(RUN_ID, 'rows.jsonl', { offset: 0, count: 5 })).toEqual([]);
    });

    it('leaves the old file when the source of the new one fails', async () => {
      await store.write(RUN_ID, 'rows.jsonl', 'old\n');
      const failure = new Error('line 2 is no row');
      const failing = async function* () {
        yield 'new\n';
        throw failure;
      };
      await expect(store.write(RUN_ID, 'rows.jsonl', failing())).rejects.toBe(failure);
      expect(await textOf('rows.jsonl')).toBe('old\n');
    });

    it('takes 20 MB in small pieces', async () => {
      const line = `${'x'.repeat(1_023)}\n`;
      const many = async function* () {
        for (let number = 0; number < 20_480; number += 1) yield line;
      };
      await store.write(RUN_ID, 'rows.jsonl', many());
      let size = 0;
      for await (const chunk of (await store.read(RUN_ID, 'rows.jsonl')) ?? empty()) size += chunk.byteLength;
      expect(size).toBe(20_480 * 1_024);
      const last = await store.readLines(RUN_ID, 'rows.jsonl', { offset: 20_479 * 1_024, count: 10 });
      expect(last).toEqual([line.trimEnd()]);
    });

    it('takes one body of 20 MB', async () => {
      const body = Buffer.alloc(20 * 1_048_576, 'ab');
      await store.write(RUN_ID, 'report.html', body);
      expect((await bytesOf((await store.read(RUN_ID, 'report.html')) ?? empty())).equals(body)).toBe(true);
    });

    it('says where a file lies', () => {
      expect(store.locate(RUN_ID, 'summary.json')).toContain(RUN_ID);
      expect(store.locate(RUN_ID, 'summary.json').endsWith('summary.json')).toBe(true);
    });

    describe('lines from an offset', () => {
      const lines = HOSTILE_TEXTS.map((text) => JSON.stringify({ text }));
      const offsets = lines.map((_, index) =>
        Buffer.byteLength(
          lines
            .slice(0, index)
            .map((line) => `${line}\n`)
            .join(''),
        ),
      );
      beforeEach(async () => store.write(RUN_ID, 'rows.jsonl', lines.map((line) => `${line}\n`).join('')));

      it('begin at each offset and stop after the count', async () => {
        for (const [index, offset] of offsets.entries()) {
          expect(await store.readLines(RUN_ID, 'rows.jsonl', { offset, count: 2 })).toEqual(
            lines.slice(index, index + 2),
          );
        }
      });

      it('are all there with a count beyond the end', async () => {
        expect(await store.readLines(RUN_ID, 'rows.jsonl', { offset: 0, count: 1_000 })).toEqual(lines);
      });

      it('are none at and after the end', async () => {
        const end = Buffer.byteLength(`${lines.join('\n')}\n`);
        for (const offset of [end, end + 1, end + 1_000_000]) {
          expect(await store.readLines(RUN_ID, 'rows.jsonl', { offset, count: 3 })).toEqual([]);
        }
      });

      it('include a last line without a line feed', async () => {
        await store.write(RUN_ID, 'rows.jsonl', '{"a":1}\n{"a":2}');
        expect(await store.readLines(RUN_ID, 'rows.jsonl', { offset: 8, count: 3 })).toEqual(['{"a":2}']);
      });

      it('may be long and many', async () => {
        const long = Array.from({ length: 40 }, (_, number) => `${number}${'ü'.repeat(50_000 * (number % 3))}`);
        await store.write(RUN_ID, 'rows.jsonl', long.map((line) => `${line}\n`).join(''));
        expect(await store.readLines(RUN_ID, 'rows.jsonl', { offset: 0, count: 39 })).toEqual(long.slice(0, 39));
      });
    });
  });
}

async function* pieces(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* chunks;
}

async function* empty(): AsyncGenerator<Uint8Array> {
  // nothing
}

export async function bytesOf(chunks: ByteChunks): Promise<Buffer> {
  const collected: Uint8Array[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return Buffer.concat(collected);
}
