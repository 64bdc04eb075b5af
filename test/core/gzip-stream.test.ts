import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gunzipped, gzipped } from '../../src/core/gzip-stream.ts';

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
async function* failing(): AsyncGenerator<string> {
  yield 'first line\n';
  throw new Error('the source broke');
}

describe('gzip as a stream', () => {
  it('holds the chunks, none at all too', async () => {
    expect(gunzipSync(await bytesOf(gzipped(['a', Buffer.from('b')]))).toString()).toBe('ab');
    expect(gunzipSync(await bytesOf(gzipped([])))).toHaveLength(0);
    expect((await bytesOf(gunzipped([gzipSync('ab')]))).toString()).toBe('ab');
  });

  it.each([gzipped, gunzipped])(
    'throws to its reader what its source throws, and ends no process (%#)',
    async (pack) => {
      const uncaught: unknown[] = [];
      const note = (error: unknown) => uncaught.push(error);
      process.on('uncaughtException', note);
      await expect(bytesOf(pack(failing()))).rejects.toThrow(/the source broke|incorrect header check/);
      await new Promise((resolve) => setImmediate(resolve));
      process.off('uncaughtException', note);
      expect(uncaught).toEqual([]);
    },
  );

  it('throws to its reader what is no gzip', async () => {
    await expect(bytesOf(gunzipped(['plain text']))).rejects.toThrow('incorrect header check');
    await expect(bytesOf(gunzipped([gzipSync('abc').subarray(0, -4)]))).rejects.toThrow('unexpected end of file');
  });
});
