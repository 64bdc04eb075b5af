import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { DatasetError } from '../../src/core/errors.ts';
import type { DatasetStore } from '../../src/ports/dataset-store.ts';
import { bytesOf } from './run-store.ts';

const MIB = 1_048_576;
const VERSION = 'a'.repeat(64);

export interface DatasetStoreUnderTest {
  readonly store: DatasetStore;
  /** Sends a part to its URL. */
  putPart(url: string, bytes: Uint8Array): Promise<void>;
}

/** `makeStore` gives an empty store each time. */
export function datasetStoreContract(
  name: string,
  makeStore: () => Promise<DatasetStoreUnderTest>,
  stop: () => Promise<void> = async () => undefined,
): void {
  describe(`${name} as a DatasetStore`, () => {
    let store: DatasetStore;
    let putPart: DatasetStoreUnderTest['putPart'];
    beforeEach(async () => {
      ({ store, putPart } = await makeStore());
    });
    afterAll(stop);

    const textOf = async (project: string, dataset: string, version = VERSION) => {
      const chunks = await store.read(project, dataset, version);
      return chunks === null ? null : (await bytesOf(chunks)).toString('utf8');
    };

    it('gives back the lines, each with its line feed', async () => {
      await store.write('shop', 'faq', VERSION, lines(['{"a":1}', '{"b":"Zoë"}\n']));
      expect(await textOf('shop', 'faq')).toBe('{"a":1}\n{"b":"Zoë"}\n');
      expect(await textOf('shop', 'faq', 'b'.repeat(64))).toBeNull();
      expect(await textOf('other', 'faq')).toBeNull();
    });

    it('deletes all versions of one dataset and of no other', async () => {
      for (const [dataset, version] of [
        ['faq', VERSION],
        ['faq', 'b'],
        ['faq-2', VERSION],
        ['fa', VERSION],
      ] as const) {
        await store.write('shop', dataset, version, lines(['x']));
      }
      await store.delete('shop', 'faq');
      await store.delete('shop', 'faq');
      expect(await textOf('shop', 'faq')).toBeNull();
      expect(await textOf('shop', 'faq', 'b')).toBeNull();
      expect(await textOf('shop', 'faq-2')).toBe('x\n');
      expect(await textOf('shop', 'fa')).toBe('x\n');
    });

    it('takes an upload in parts of 8 MiB and gives it back in order', async () => {
      const body = Buffer.alloc(17 * MIB, 'abcdefg');
      const { partUrls } = await store.openUpload('shop', 'u-1', body.byteLength);
      expect(partUrls).toHaveLength(3);
      for (const [index, url] of [...partUrls.entries()].reverse()) {
        await putPart(url, body.subarray(index * 8 * MIB, (index + 1) * 8 * MIB));
      }
      expect(await store.readUpload('shop', 'u-1')).toBeNull();
      await store.completeUpload('shop', 'u-1');
      await store.completeUpload('shop', 'u-1');
      const chunks = await store.readUpload('shop', 'u-1');
      expect(chunks === null ? null : (await bytesOf(chunks)).equals(body)).toBe(true);
      await store.deleteUpload('shop', 'u-1');
      expect(await store.readUpload('shop', 'u-1')).toBeNull();
    });

    it('names the parts that are missing or cut short', async () => {
      const { partUrls } = await store.openUpload('shop', 'u-2', 9 * MIB);
      await putPart(partUrls[1] ?? '', Buffer.alloc(5));
      const complete = store.completeUpload('shop', 'u-2');
      await expect(complete).rejects.toThrow(DatasetError);
      await expect(complete).rejects.toThrow(/part 1 of the upload is missing[\s\S]*part 2 of the upload has 5 bytes/);
      expect(await store.readUpload('shop', 'u-2')).toBeNull();
    });

    it('takes exactly the parts it needs', async () => {
      for (const [size, parts] of [
        [1, 1],
        [8 * MIB, 1],
        [8 * MIB + 1, 2],
      ] as const) {
        expect((await store.openUpload('shop', `u-${size}`, size)).partUrls).toHaveLength(parts);
      }
    });

    it.each([0, -1, 1.5, Number.NaN, 10 * 1024 * MIB + 1])('refuses an upload of %s bytes', async (size) => {
      await expect(store.openUpload('shop', 'u-3', size)).rejects.toThrow(DatasetError);
    });

    it('knows no upload that was not opened', async () => {
      expect(await store.readUpload('shop', 'none')).toBeNull();
      await expect(store.completeUpload('shop', 'none')).rejects.toThrow(DatasetError);
      await store.deleteUpload('shop', 'none');
    });
  });
}

async function* lines(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}
