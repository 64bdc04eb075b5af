import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { s3Handle } from '../../../src/adapters/aws/clients.ts';
import { S3DatasetStore } from '../../../src/adapters/aws/s3-dataset-store.ts';
import { S3Objects } from '../../../src/adapters/aws/s3-objects.ts';
import { S3ResultParts } from '../../../src/adapters/aws/s3-result-parts.ts';
import { S3RunStore } from '../../../src/adapters/aws/s3-run-store.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { RUN } from '../../contracts/result-parts.ts';
import { bytesOf } from '../../contracts/run-store.ts';
import { aResult, RUN_ID } from '../../contracts/samples.ts';
import { FaultProxy } from './fault-proxy.ts';
import { LocalBuckets, local } from './local-cloud.ts';

const buckets = new LocalBuckets();
let proxy: FaultProxy;
let objects: S3Objects;
let store: S3RunStore;
let parts: S3ResultParts;

const SLOW_DOWN = { status: 503, body: '<Error><Code>SlowDown</Code><Message>slow down</Message></Error>' };
const BROKEN = { status: 500, body: '<Error><Code>InternalError</Code><Message>broken</Message></Error>' };

beforeEach(async () => {
  proxy = new FaultProxy((await buckets.settings()).endpoint);
  const s3 = s3Handle({ ...local(await proxy.start()), maxAttempts: 3 });
  objects = new S3Objects({ bucket: await buckets.newBucket(), s3 });
  store = new S3RunStore(objects, 'shop');
  parts = new S3ResultParts(objects);
});
afterEach(() => proxy.stop());
afterAll(buckets.stop);

describe('S3 that fails', () => {
  it.each([
    { name: 'a 503', fault: SLOW_DOWN },
    { name: 'a 500', fault: BROKEN },
    { name: 'a lost reply', fault: 'after' as const },
    { name: 'a broken connection', fault: 'before' as const },
  ])('once, by $name, is not noticed', async ({ fault }) => {
    proxy.plan = ({ number }) => (number % 2 === 1 ? fault : undefined);
    await parts.write(RUN, 0, [aResult(0)]);
    expect(await parts.read(RUN, 0)).toEqual([aResult(0)]);
    await store.write(RUN_ID, 'rows.jsonl', '{"a":1}\n');
    expect(await store.readLines(RUN_ID, 'rows.jsonl', { offset: 0, count: 1 })).toEqual(['{"a":1}']);
  });

  it('for good is a StorageError that names the call and the object', async () => {
    proxy.plan = () => BROKEN;
    const write = store.write(RUN_ID, 'summary.json', '{}');
    await expect(write).rejects.toThrow(StorageError);
    await expect(write).rejects.toThrow(/PutObject of s3:\/\/assay-\d+\/runs\/shop\/r-.*summary\.json: InternalError/);
    await expect(store.read(RUN_ID, 'summary.json')).rejects.toThrow(StorageError);
    await expect(parts.reader(RUN).read(RUN_ID)[Symbol.asyncIterator]().next()).rejects.toThrow(StorageError);
  });

  it('in the middle of a reply is a StorageError, not a short file', async () => {
    await store.write(RUN_ID, 'report.html', 'x'.repeat(200_000));
    proxy.plan = () => 'mid-body';
    const chunks = await store.read(RUN_ID, 'report.html');
    await expect(bytesOf(chunks ?? none())).rejects.toThrow(StorageError);
    await expect(store.readLines(RUN_ID, 'report.html', { offset: 0, count: 1 })).rejects.toThrow(StorageError);
  });

  it('in the middle of a part leaves the old object and takes the pieces away', async () => {
    await store.write(RUN_ID, 'rows.jsonl', 'old\n');
    proxy.plan = ({ url }) => (url.includes('partNumber=2') ? BROKEN : undefined);
    await expect(store.write(RUN_ID, 'rows.jsonl', Buffer.alloc(20 * 1_048_576))).rejects.toThrow(StorageError);
    expect(proxy.calls.some(({ method, url }) => method === 'DELETE' && url.includes('uploadId='))).toBe(true);
    proxy.plan = () => undefined;
    expect(await store.readLines(RUN_ID, 'rows.jsonl', { offset: 0, count: 2 })).toEqual(['old']);
  });

  it('with a part that vanishes or is damaged says which', async () => {
    const name = await parts.write(RUN, 0, [aResult(0)]);
    const key = (await objects.list('results/'))[0]?.key ?? '';
    expect(key).toBe(`results/dt=2026-11-30/project=shop/run=${RUN_ID}/${name}`);
    const whole = await bytesOf((await objects.read(key)) ?? none());
    expect([...whole.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
    await objects.write(key, whole.subarray(0, whole.byteLength - 9), 'application/gzip');
    await expect(parts.read(RUN, 0)).rejects.toThrow(name);
    const read = async () => {
      for await (const part of parts.reader(RUN).read(RUN_ID)) await bytesOf(part);
    };
    await expect(read()).rejects.toThrow(StorageError);
    await expect(read()).rejects.toThrow(name);
  });
});

describe('what S3 is asked', () => {
  it('is a few ranges for a few lines of a large file', async () => {
    await store.write(RUN_ID, 'rows.jsonl', `${'x'.repeat(1_023)}\n`.repeat(20_000));
    const before = proxy.calls.length;
    const lines = await store.readLines(RUN_ID, 'rows.jsonl', { offset: 1_024 * 1_000, count: 100 });
    expect(lines).toHaveLength(100);
    expect(proxy.calls.length - before).toBe(1);
  });

  it('is a PUT of exactly the announced bytes, without a checksum of nothing', async () => {
    const { partUrls } = await new S3DatasetStore(objects).openUpload('shop', 'u-1', 9 * 1_048_576);
    const url = new URL(partUrls[1] ?? '');
    expect(url.pathname.endsWith('/uploads/shop/u-1/part-00002')).toBe(true);
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host');
    expect(url.searchParams.get('X-Amz-Expires')).toBe('3600');
    expect([...url.searchParams.keys()].filter((name) => /checksum/i.test(name))).toEqual([]);
  });

  it('never leaves a folder, whatever an id holds', async () => {
    for (const id of ['..', '../other', 'a/b', '', '.', 'é']) {
      await expect(store.read(id, 'summary.json')).rejects.toThrow(StorageError);
      await expect(new S3DatasetStore(objects).delete('shop', id)).rejects.toThrow(StorageError);
    }
    expect(proxy.calls).toEqual([]);
  });
});

async function* none(): AsyncGenerator<Uint8Array> {
  // nothing
}
