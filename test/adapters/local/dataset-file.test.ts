import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatasetFile, unpackDataset } from '../../../src/adapters/local/dataset-file.ts';
import { type DatasetPreview, previewDataset } from '../../../src/core/dataset/preview-dataset.ts';
import type { ReadDatasetOptions } from '../../../src/core/dataset/read-dataset.ts';
import { DatasetError } from '../../../src/core/errors.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-dataset-'));
});
afterAll(() => rm(folder, { recursive: true }));

const text = 'input,expected\nOù ?,ici\n';

describe('a dataset file', () => {
  it.each([
    { name: 'plain', file: 'a.csv', body: Buffer.from(text) },
    { name: 'packed', file: 'b.csv.gz', body: gzipSync(text) },
    { name: 'packed without saying so', file: 'c.csv', body: gzipSync(text) },
    { name: 'plain under a name that says packed', file: 'd.csv.gz', body: Buffer.from(text) },
    {
      name: 'packed in two members',
      file: 'e.csv.gz',
      body: Buffer.concat([gzipSync('input,expected\n'), gzipSync('Où ?,ici\n')]),
    },
  ])('is read when it is $name', async ({ file, body }) => {
    const { firstRows, faults } = await preview(await write(file, body));
    expect(faults).toEqual([]);
    expect(firstRows).toMatchObject([{ input: 'Où ?', expected: 'ici' }]);
  });

  it('can be opened again for a second pass', async () => {
    const path = await write('twice.csv', Buffer.from(text));
    expect(await preview(path)).toEqual(await preview(path));
  });

  it('is closed when reading stops early', async () => {
    const path = await write('large.csv', gzipSync(Buffer.alloc(4_000_000, 'x')));
    for await (const chunk of (await openDatasetFile(path)).chunks) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
  });
});

describe('a dataset file that cannot be read', () => {
  it.each([
    { name: 'is missing', make: () => join(folder, 'none.csv'), mentions: /none\.csv: no such file \(check the path/ },
    {
      name: 'lies below a file',
      make: async () => join(await write('f.csv', Buffer.from('x')), 'g.csv'),
      mentions: /no such file/,
    },
    { name: 'is a folder', make: () => folder, mentions: /this is a folder \(name a \.csv/ },
  ])('$name', async ({ make, mentions }) => {
    const error = await openDatasetFile(await make()).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(DatasetError);
    expect(String(error)).toMatch(mentions);
  });

  it.skipIf(process.getuid?.() === 0)('may not be read', async () => {
    const path = await write('secret.csv', Buffer.from(text));
    await chmod(path, 0o000);
    expect(String((await preview(path)).faults[0]?.message)).toContain('may not be read');
  });

  it.each([
    { name: 'cut off', body: gzipSync(text).subarray(0, 20) },
    { name: 'damaged', body: gzipSync(text).fill(7, 12, 20) },
  ])('is a gzip file that is $name', async ({ name, body }) => {
    const path = await write(`${name}.csv.gz`, body);
    const { faults } = await preview(path);
    expect(faults.map((fault) => fault.file)).toEqual([path]);
    expect(faults[0]?.message).toContain('damaged or cut off');
  });

  it('is larger than the limit', async () => {
    const path = await write('big.csv', Buffer.alloc(101, 'x'));
    await expect(openDatasetFile(path, 100)).rejects.toThrow(/larger than 100 bytes \(split/);
  });

  it('grows beyond the limit when it is unpacked', async () => {
    const path = await write('bomb.csv.gz', gzipSync(Buffer.alloc(5_000_000, 'x')));
    const { chunks } = await openDatasetFile(path, 1_000_000);
    await expect(drain(chunks)).rejects.toThrow(/larger than 1000000 bytes unpacked/);
  });

  it('unpacks what repeats itself as rows do, and nothing that was made to be a bomb', async () => {
    const noise = (n: number) =>
      Buffer.concat([...'abcd'].map((x) => createHash('sha512').update(`${x}${n}`).digest()));
    const mebibytes = Array.from({ length: 20 }, (_, n) => [
      ...Array.from({ length: 16 }, (__, at) => noise(n * 16 + at)),
      Buffer.alloc(1024 ** 2, 'x'),
    ]);
    // 20 MiB, 200 times its size; then any ratio where it is small; then a bomb.
    const rows = Buffer.concat(mebibytes.flat());
    await expect(drain(unpackDataset(inPieces(gzipSync(rows)), 'x'))).resolves.toBeUndefined();
    await expect(drain(unpackDataset(inPieces(gzipSync(Buffer.alloc(8 * 1024 ** 2))), 'x'))).resolves.toBeUndefined();
    await expect(drain(unpackDataset(inPieces(gzipSync(Buffer.alloc(9 * 1024 ** 2))), 'x'))).rejects.toThrow(
      'unpacks to more than 300 times its size',
    );
  });

  it('fails while it is unpacked: the failure is passed on', async () => {
    const failing = (async function* () {
      yield gzipSync(text).subarray(0, 15);
      throw new Error('connection lost');
    })();
    await expect(drain(unpackDataset(failing, 'x'))).rejects.toThrow('connection lost');
  });
});

const shared = process.env.ASSAY_SHARED ?? resolve(import.meta.dirname, '../../../../shared');
const hasData = existsSync(join(shared, 'data'));

describe.skipIf(!hasData)('real data (skipped where ../shared/data is absent)', () => {
  it.each([
    { file: 'gsm8k/test.jsonl', rows: 1319, first: 'Janet', options: {} },
    { file: 'gsm8k/example_model_solutions.jsonl.gz', rows: 1319, first: 'Janet', options: {} },
    {
      file: 'halueval-qa/qa_one_turn.jsonl',
      rows: 500,
      first: 'Which magazine',
      options: { columns: { expected: 'right_answer', contexts: 'knowledge' } },
    },
    {
      file: 'tau-airline/trajectories.jsonl.gz',
      rows: 120,
      first: 'You are',
      options: { columns: { input: 'instruction' } },
      givesIds: true,
    },
  ])('reads $file', async ({ file, rows, first, options, givesIds }) => {
    const read = await preview(join(shared, 'data', file), options as ReadDatasetOptions);
    if (givesIds === true) {
      // Thirty tasks, four trials each: the same input again has no id of its own.
      expect(read.faults).toHaveLength(90);
      return;
    }
    expect(read).toMatchObject({ rows, withoutInput: 0, faults: [] });
    expect(read.firstRows[0]?.input).toMatch(first);
  });

  it('loads a spreadsheet that an editor broke in one line, and keeps what stands in its unnamed column', async () => {
    const read = await preview(join(shared, 'data/csv-from-the-wild/hf_doc_qa_eval.csv'));
    expect(read).toMatchObject({ rows: 66, faults: [] });
    expect(read.warnings).toEqual([
      expect.stringMatching(/line 102, column 3: "64" stands in a column without a name/),
    ]);
  });

  it('reads a table of tickets, labels and priorities to metadata', async () => {
    const read = await preview(join(shared, 'data/csv-from-the-wild/support_triage.csv'));
    expect(read.faults).toEqual([]);
    expect(read.firstRows[0]).toMatchObject({ id: '1', metadata: { labels: 'Billing;RefundCancel', priority: 'P1' } });
  });

  it('names the same version for a file and its packed copy', async () => {
    const path = join(shared, 'data/gsm8k/test.jsonl');
    const packed = gzipSync(await readAll((await openDatasetFile(path)).chunks));
    const copy = await write(`${createHash('sha256').update(path).digest('hex')}.jsonl.gz`, packed);
    expect((await preview(copy)).version).toBe((await preview(path)).version);
  });
});

async function write(name: string, body: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, body);
  return path;
}

async function preview(path: string, options?: ReadDatasetOptions): Promise<DatasetPreview> {
  return previewDataset(await openDatasetFile(path), 3, options);
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 16_384) yield bytes.subarray(at, at + 16_384);
}

async function drain(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  await readAll(chunks);
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
