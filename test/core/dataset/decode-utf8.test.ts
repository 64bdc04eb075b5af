import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../../../src/core/dataset/decode-utf8.ts';
import { FaultList } from '../../../src/core/dataset/fault-list.ts';
import { faultsOf, sourceOf } from './reading.ts';

const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));

describe('bytes that are not UTF-8', () => {
  it.each([
    { name: 'Latin-1 in the header', body: latin1('input,année\nA,B\n'), line: 1 },
    { name: 'Latin-1 further down', body: latin1('input,expected\nok,1\nOù ?,À gauche\n'), line: 3 },
    { name: 'a character cut off at the end', body: Buffer.from('input\nok\né').subarray(0, -1), line: 3 },
    { name: 'half a surrogate pair', body: Uint8Array.of(0x61, 0x0a, 0xed, 0xa0, 0x80, 0x0a, 0x61), line: 2 },
    { name: 'a byte that never occurs', body: Uint8Array.of(0x61, 0x0a, 0x0a, 0xff), line: 3 },
    { name: 'UTF-16', body: Uint8Array.from(Buffer.from('\uFEFFinput\n', 'utf16le')), line: 1, mentions: 'UTF-16' },
    { name: 'a workbook', body: latin1('PK\u0003\u0004\u00ff\u00fe\n'), line: 1, mentions: 'Excel' },
  ])('are refused with their line: $name', async ({ body, line, mentions = 'UTF-8' }) => {
    for (const size of [1, 2, 3, 1000]) {
      const error = await decodeAll(body, size).catch((cause: unknown) => cause);
      expect(error).toMatchObject({ name: 'DatasetError', faults: [{ file: 'x', line }] });
      expect(String(error)).toContain('UTF-8');
      if (size === 1000) expect(String(error)).toContain(mentions);
    }
  });

  it('come after the faults of the lines before', async () => {
    const body = Buffer.concat([Buffer.from('input,expected\na,b,c\n'), latin1('é,x\n')]);
    const faults = await faultsOf('x.csv', body);
    expect(faults.map((fault) => fault.line)).toContain(3);
  });
});

describe('bytes that are UTF-8', () => {
  it('come out as their text, wherever they are cut', async () => {
    const property = fc.asyncProperty(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 1, max: 5 }),
      async (text, size) => {
        expect(await decodeAll(new TextEncoder().encode(text), size)).toBe(text.replace(/^\uFEFF/, ''));
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  it.each([
    ['', ''],
    ['\uFEFF', ''],
    ['a', 'a'],
    ['é', 'é'],
    ['\uFEFF\uFEFFa', '\uFEFFa'],
    ['a\uFEFFb', 'a\uFEFFb'],
  ])('drops one mark at the start of %j only', async (text, expected) => {
    for (const size of [1, 2, 4, 100]) expect(await decodeAll(new TextEncoder().encode(text), size)).toBe(expected);
  });
});

async function decodeAll(body: Uint8Array, size: number): Promise<string> {
  let text = '';
  for await (const piece of decodeUtf8(sourceOf('x', body, size).chunks, new FaultList('x'))) text += piece;
  return text;
}
