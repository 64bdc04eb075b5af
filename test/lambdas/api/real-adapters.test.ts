import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { DynamoRegistry } from '../../../src/adapters/aws/dynamo-registry.ts';
import { DynamoRowIndex } from '../../../src/adapters/aws/dynamo-row-index.ts';
import { objectKeys } from '../../../src/adapters/aws/object-keys.ts';
import { S3DatasetStore } from '../../../src/adapters/aws/s3-dataset-store.ts';
import { S3ResultParts } from '../../../src/adapters/aws/s3-result-parts.ts';
import { S3RunStore } from '../../../src/adapters/aws/s3-run-store.ts';
import { unpackDataset } from '../../../src/adapters/local/dataset-file.ts';
import type { IngestRequest } from '../../../src/core/schemas/ingest.ts';
import { ingestDataset } from '../../../src/use-cases/manage/ingest-dataset.ts';
import { LocalBuckets, LocalTables, ManualClock } from '../../adapters/aws/local-cloud.ts';
import { aResult } from '../../contracts/samples.ts';
import { evalNamed, TestApi } from './api.ts';

const tables = new LocalTables();
const buckets = new LocalBuckets();
afterAll(async () => {
  await tables.stop();
  await buckets.stop();
});

describe('the API on DynamoDB and S3', () => {
  it('takes a large file in parts, runs an eval on it and pages through its results', async () => {
    const clock = new ManualClock();
    const table = await tables.table(clock);
    const objects = await buckets.objects();
    const ingestions: IngestRequest[] = [];
    const stores = {
      registry: new DynamoRegistry(table, clock),
      rowIndex: new DynamoRowIndex(table),
      datasets: new S3DatasetStore(objects),
      parts: new S3ResultParts(objects),
      runs: (project: string) => new S3RunStore(objects, project),
    };
    const api = new TestApi({
      ...stores,
      clock,
      ingestion: { start: async (request) => void ingestions.push(request) },
      openReport: async (project, runId) => {
        const key = objectKeys.runFile(project, runId, 'report.html');
        return (await objects.readRange(key, 0, 1)) === null ? null : { url: await objects.presignGet(key, 60) };
      },
    });
    const { json: project } = await api.manage('POST', '/api/projects', { id: 'shop' });

    const file = gzipSync('input,expected\nHi,Hello\nBye,Goodbye\n');
    const uploads = '/api/datasets/project/shop/uploads';
    const { json: upload } = await api.manage('POST', uploads, { name: 'FAQ 2026.csv.gz', size: file.byteLength });
    const sent = await fetch(upload.parts[0].url, { method: 'PUT', body: new Uint8Array(file) });
    expect(sent.status).toBe(200);
    expect((await api.manage('POST', upload.complete_url)).status).toBe(202);
    for (const request of ingestions) await ingestDataset(request, { ...stores, clock, unpack: unpackDataset });
    const { json: dataset } = await api.manage('GET', '/api/datasets/shop.faq-2026');
    expect(dataset).toMatchObject({ status: 'ready', rows: 2, first_rows: [{ input: 'Hi' }, { input: 'Bye' }] });

    const config = evalNamed('faq', { dataset: dataset.id });
    expect((await api.manage('POST', '/api/evals/project/shop', config)).status).toBe(201);
    const headers = { 'x-webhook-secret': project.webhook_secret };
    const { json: gate } = await api.call('POST', '/api/runs/webhook/shop', { headers });
    expect((await api.call('GET', gate.status_url, { headers })).json.gate).toBe('pending');

    const runId: string = gate.runs[0].run_id;
    const run = await stores.registry.getRun(runId);
    const results = [0, 1, 2].map((index) =>
      aResult(index, { run_id: runId, output: 'x'.repeat(20_000), passed: index > 0 }),
    );
    const part = await stores.parts.write({ runId, project: 'shop', startedAt: run?.started_at ?? '' }, 0, results);
    await stores.rowIndex.put(runId, part, results);
    const path = `/api/datasets/runs/${runId}/results`;
    const first = await api.manage('GET', path, undefined, { query: 'limit=2' });
    const second = await api.manage('GET', path, undefined, {
      query: `limit=2&cursor=${encodeURIComponent(first.json.cursor)}`,
    });
    const items = [...first.json.items, ...second.json.items];
    expect(items.map(({ row_id, output }) => [row_id, output.length])).toEqual([
      ['row-0', 20_000],
      ['row-1', 20_000],
      ['row-2', 20_000],
    ]);
    expect((await api.manage('GET', path, undefined, { query: 'failed_only=true' })).json.items).toHaveLength(1);

    const report = `/api/runs/${runId}/report`;
    expect((await api.manage('GET', report)).status).toBe(404);
    await stores.runs('shop').write(runId, 'report.html', '<h1>Run</h1>');
    const page = await fetch((await api.manage('GET', report)).headers.location ?? '');
    expect([page.status, await page.text()]).toEqual([200, '<h1>Run</h1>']);
    expect((await api.manage('DELETE', '/api/datasets/shop.faq-2026')).status).toBe(204);
  });
});
