import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/core/json.ts';
import type { VerdictCache } from '../../src/ports/verdict-cache.ts';
import { HOSTILE_TEXTS } from './samples.ts';

/** `makeCache` gives an empty cache each time. */
export function verdictCacheContract(
  name: string,
  makeCache: () => Promise<VerdictCache>,
  stop: () => Promise<void> = async () => undefined,
): void {
  describe(`${name} as VerdictCache`, () => {
    let cache: VerdictCache;
    beforeEach(async () => {
      cache = await makeCache();
    });
    afterAll(stop);

    const key = (of: number) => sha256Hex(String(of));

    it('knows nothing that was not put', async () => {
      await cache.put(key(1), { a: 1 });
      expect(await cache.get(key(2))).toBeNull();
    });

    it('gives back what was put, each under its own key', async () => {
      const entries = HOSTILE_TEXTS.map((reason, of) => ({
        of,
        reason,
        nested: { [reason]: null, list: [0.1, -0, 1] },
      }));
      await Promise.all(entries.map((entry) => cache.put(key(entry.of), entry)));
      for (const entry of entries) expect(await cache.get(key(entry.of))).toEqual(JSON.parse(JSON.stringify(entry)));
    });

    it('keeps the last of two', async () => {
      await cache.put(key(1), { version: 1, long: 'x'.repeat(50_000) });
      await cache.put(key(1), { version: 2 });
      expect(await cache.get(key(1))).toEqual({ version: 2 });
    });

    it('is whole when many write the same key at once', async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, writer) => cache.put(key(1), { writer, text: `${writer}`.repeat(9_999) })),
      );
      const found = (await cache.get(key(1))) as { writer: number; text: string };
      expect(found.text).toBe(`${found.writer}`.repeat(9_999));
    });
  });
}
