import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unpackDataset } from '../../../src/adapters/local/dataset-file.ts';
import { MemoryDatasetStore } from '../../../src/adapters/memory/memory-dataset-store.ts';
import { MemoryRegistry } from '../../../src/adapters/memory/memory-registry.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { ingestDataset } from '../../../src/use-cases/manage/ingest-dataset.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const request = { project: 'shop', dataset: 'faq', upload_id: 'faq.csv.1', file_name: 'faq.csv' };

const PART_BYTES = 8 * 1024 ** 2;

async function uploaded(content: string | Uint8Array) {
  const bytes = Buffer.from(content);
  const datasets = new MemoryDatasetStore();
  const registry = new MemoryRegistry();
  const { partUrls } = await datasets.openUpload('shop', 'faq.csv.1', bytes.byteLength);
  for (const [at, url] of partUrls.entries())
    datasets.putPart(url, bytes.subarray(at * PART_BYTES, (at + 1) * PART_BYTES));
  await datasets.completeUpload('shop', 'faq.csv.1');
  await registry.putDatasetVersion({
    project: 'shop',
    id: 'faq',
    version: '',
    status: 'processing',
    upload_id: 'faq.csv.1',
    rows: 0,
    without_input: 0,
    faults: [],
    created_at: '2026-11-30T10:00:00.000Z',
  });
  const unpack = (chunks: AsyncIterable<Uint8Array>, name: string) => unpackDataset(chunks, name);
  return { datasets, registry, clock: new VirtualClock(Date.UTC(2026, 10, 30, 11)), unpack };
}

describe('ingesting an upload', () => {
  it.each([
    { name: 'plain', content: 'input\nHi\n,\nBye\n' },
    { name: 'gzip', content: gzipSync('input\nHi\n,\nBye\n') },
  ])('makes a version of $name rows and forgets the upload', async ({ content }) => {
    const ports = await uploaded(content);
    const version = await ingestDataset(request, ports);
    expect(version).toMatchObject({ status: 'ready', rows: 2, upload_id: 'faq.csv.1' });
    expect(await ports.registry.getDataset('shop', 'faq')).toEqual(version);
    expect(await ports.registry.getDataset('shop', 'faq', 'faq.csv.1')).toEqual(version);
    expect(await ports.datasets.readUpload('shop', 'faq.csv.1')).toBeNull();
  });

  it.each(['input\nHi\n', 'id,input\n1,a\n1,b\n'])('may be asked for twice: %j', async (content) => {
    const ports = await uploaded(content);
    const first = await ingestDataset(request, ports);
    expect(await ingestDataset(request, ports)).toEqual(first);
  });

  const MIB = 1024 ** 2;
  const repeated = (text: string, bytes: number) => Buffer.alloc(bytes, text);
  it.each([
    {
      name: 'a gzip bomb of rows that are rows',
      content: gzipSync(Buffer.concat([Buffer.from('input\n'), repeated(`${'a'.repeat(999)}\n`, 20 * MIB)])),
      says: /unpacks to more than 300 times its size/,
    },
    {
      name: 'a gzip bomb in one line',
      content: gzipSync(repeated('a', 20 * MIB)),
      says: /unpacks to more than 300 times its size|header is longer/,
    },
    {
      name: 'a gzip bomb in a gzip',
      content: gzipSync(gzipSync(repeated('a\n', 20 * MIB))),
      says: /./,
    },
    {
      name: 'one line of 70 million characters',
      content: `{"input":"${'a'.repeat(70_000_000)}"}`,
      says: /64 million characters/,
    },
    {
      name: 'JSON of 5,000 levels',
      content: `{"input":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
      says: /nested deeper/,
    },
    { name: 'a header of a million names', content: `${'a,'.repeat(1_000_000)}input\n`, says: /./ },
    { name: 'bytes that are no UTF-8', content: Buffer.from([0x69, 0x0a, 0xff, 0xfe, 0xfd, 0x0a]), says: /UTF-8/ },
    { name: 'NUL bytes', content: Buffer.alloc(1_000), says: /./ },
  ])('refuses $name as a fault of the file, with nothing stored', async ({ content, says }) => {
    const ports = await uploaded(content);
    const startedAt = process.memoryUsage.rss();
    const { status, faults, rows } = await ingestDataset({ ...request, file_name: 'faq' }, ports);
    expect([status, rows]).toEqual(['invalid', 0]);
    expect(faults.join('\n')).toMatch(says);
    expect((await ports.registry.listDatasetVersions('shop', 'faq')).filter((one) => one.status === 'ready')).toEqual(
      [],
    );
    expect(process.memoryUsage.rss() - startedAt).toBeLessThan(700 * MIB);
  });

  it('keeps at most 100 faults, each of bounded length', async () => {
    const rows = Array.from({ length: 500 }, (_, index) => `${'x'.repeat(2_000)},${index}`);
    const ports = await uploaded(`max_steps,input\n${rows.join('\n')}\n`);
    const { status, faults } = await ingestDataset(request, ports);
    expect([status, faults.length]).toEqual(['invalid', 100]);
    expect(Math.max(...faults.map((fault) => fault.length))).toBeLessThanOrEqual(1_000);
  });

  it('is invalid when its upload expired', async () => {
    const ports = await uploaded('input\nHi\n');
    await ports.datasets.deleteUpload('shop', 'faq.csv.1');
    expect(await ingestDataset(request, ports)).toMatchObject({
      status: 'invalid',
      faults: [expect.stringContaining('the upload is gone')],
    });
  });

  it.each(['write', 'deleteUpload'] as const)('is finished by the next attempt when %s fails once', async (method) => {
    const ports = await uploaded('input\nHi\n');
    const real = ports.datasets[method].bind(ports.datasets) as (...args: unknown[]) => Promise<void>;
    let calls = 0;
    Object.assign(ports.datasets, {
      [method]: (...args: unknown[]) => {
        calls += 1;
        return calls === 1 ? Promise.reject(new StorageError('S3 is down')) : real(...args);
      },
    });
    await expect(ingestDataset(request, ports)).rejects.toThrow('S3 is down');
    expect(await ingestDataset(request, ports)).toMatchObject({ status: 'ready', rows: 1 });
    expect(await ports.datasets.readUpload('shop', 'faq.csv.1')).toBeNull();
  });

  it('is never invalid because of a store that fails', async () => {
    const ports = await uploaded('input\nHi\n');
    ports.datasets.readUpload = () => Promise.reject(new StorageError('S3 is down'));
    await expect(ingestDataset(request, ports)).rejects.toThrow(StorageError);
    expect(await ports.registry.getDataset('shop', 'faq', 'faq.csv.1')).toMatchObject({ status: 'processing' });
  });
});
