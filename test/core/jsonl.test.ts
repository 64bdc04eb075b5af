import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineBatches, readLines } from '../../src/core/jsonl.ts';

async function linesOf(chunks: readonly Uint8Array[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(source(chunks))) lines.push(line);
  return lines;
}

async function* source(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function cut(text: string, size: number): Uint8Array[] {
  const bytes = Buffer.from(text, 'utf8');
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

describe('readLines', () => {
  it.each([
    { name: 'nothing', text: '', lines: [] },
    { name: 'only line ends', text: '\n\r\n\n', lines: [] },
    { name: 'a last line without a line end', text: 'a\nb', lines: ['a', 'b'] },
    { name: 'CR before LF belongs to the line end', text: 'a\r\nb\r\n', lines: ['a', 'b'] },
    { name: 'CR elsewhere belongs to the line', text: 'a\rb\r\r\n', lines: ['a\rb\r'] },
    { name: 'a CR that ends the file', text: 'a\r', lines: ['a'] },
    { name: 'other separators belong to the line', text: 'a\u2028b\u2029c\u0085\n', lines: ['a\u2028b\u2029c\u0085'] },
    { name: 'characters of four bytes', text: '😀😀\n😀', lines: ['😀😀', '😀'] },
  ])('$name, however it is cut into chunks', async ({ text, lines }) => {
    for (const size of [1, 2, 3, 5, 1000]) expect(await linesOf(cut(text, size))).toEqual(lines);
  });

  it('gives back every line that is not empty, whatever the chunks', async () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replace(/[\r\n]/g, ''));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 40 }), async (lines, size) => {
        expect(await linesOf(cut(lines.join('\n'), size))).toEqual(lines.filter((text) => text !== ''));
      }),
    );
  });

  it('gives the lines of one chunk at once, and none for a chunk without a line end', async () => {
    const batches: string[][] = [];
    for await (const batch of lineBatches(source(['a\nb\nc', 'd', 'e\nf'].map((text) => Buffer.from(text))))) {
      batches.push(batch);
    }
    expect(batches).toEqual([['a', 'b'], ['cde'], ['f']]);
  });
});
