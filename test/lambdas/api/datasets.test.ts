import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { csv, evalNamed, TestApi } from './api.ts';

const ROWS = 'input,expected\nHi,Hello\nBye,Goodbye\n';

async function withProject(): Promise<TestApi> {
  const api = new TestApi();
  await api.manage('POST', '/api/projects', { id: 'shop' });
  return api;
}

describe('a small dataset', () => {
  it('is ready when its upload is answered', async () => {
    const api = await withProject();
    const { status, json, headers } = await api.upload('shop', { file: csv(ROWS), name: 'Support FAQ' });
    expect(status).toBe(201);
    expect(json).toMatchObject({ id: 'shop.support-faq', name: 'support-faq', status: 'ready', rows: 2, faults: [] });
    expect(json.version).toMatch(/^[0-9a-f]{64}$/);
    expect(headers.location).toBe('/api/datasets/shop.support-faq');
    const read = await api.manage('GET', '/api/datasets/shop.support-faq');
    expect(read.json.first_rows).toMatchObject([{ input: 'Hi', expected: 'Hello' }, { input: 'Bye' }]);
    expect(read.json.versions).toMatchObject([{ version: json.version, status: 'ready', rows: 2 }]);
  });

  it.each([
    { name: 'a CSV file', file: csv(ROWS) },
    { name: 'a gzip of it', file: new File([new Uint8Array(gzipSync(ROWS))], 'faq.csv.gz') },
    {
      name: 'JSONL',
      file: new File(['{"input":"Hi","expected":"Hello"}\n{"input":"Bye","expected":"Goodbye"}'], 'x.jsonl'),
    },
    {
      name: 'JSON without a telling name',
      file: new File(['[{"input":"Hi","expected":"Hello"},{"input":"Bye","expected":"Goodbye"}]'], 'x'),
    },
  ])('has the version of its rows as $name', async ({ file }) => {
    const api = await withProject();
    const { json } = await api.upload('shop', { file, name: 'faq' });
    expect(json.version).toBe((await api.upload('shop', { file: csv(ROWS), name: 'same' })).json.version);
  });

  it('with the same content again is the same version', async () => {
    const api = await withProject();
    const first = await api.upload('shop', { file: csv(ROWS), name: 'faq' });
    const again = await api.upload('shop', { file: csv(ROWS), name: 'faq' });
    expect([again.status, again.json]).toEqual([200, first.json]);
    expect((await api.manage('GET', '/api/datasets/shop.faq')).json.versions).toHaveLength(1);
  });

  it('with an older content again has it as its newest version', async () => {
    const api = await withProject();
    const old = await api.upload('shop', { file: csv(ROWS), name: 'faq' });
    await api.clock.run(api.clock.sleep(1_000));
    const second = await api.upload('shop', { file: csv(`${ROWS}Yes,No\n`), name: 'faq' });
    await api.clock.run(api.clock.sleep(1_000));
    const back = await api.upload('shop', { file: csv(ROWS), name: 'faq' });
    expect(second.json.version).not.toBe(old.json.version);
    expect([back.status, back.json.version]).toEqual([201, old.json.version]);
    expect((await api.manage('GET', '/api/datasets/shop.faq')).json.version).toBe(old.json.version);
  });

  it('is refused with every fault, and nothing is stored', async () => {
    const api = await withProject();
    const file = csv('id,input,max_steps\n1,Hi,many\n2,Bye,2\n2,See,2\n');
    const { status, json } = await api.upload('shop', { file, name: 'faq' });
    expect([status, json.code]).toEqual([422, 'invalid-dataset']);
    expect(json.faults).toHaveLength(2);
    expect(json.faults[0]).toMatchObject({ file: 'faq.csv', line: 2 });
    expect((await api.manage('GET', '/api/datasets/shop.faq')).status).toBe(404);
  });

  it('takes the column that decides', async () => {
    const api = await withProject();
    const file = csv('input,answer,ground_truth\nHi,a,b\n');
    expect((await api.upload('shop', { file, name: 'faq' })).status).toBe(422);
    const columns = '{"expected":"ground_truth"}';
    expect((await api.upload('shop', { file, name: 'faq', columns })).status).toBe(201);
    const { json } = await api.manage('GET', '/api/datasets/shop.faq');
    expect(json.first_rows[0].expected).toBe('b');
  });

  it.each([
    { name: 'no rows', fields: { file: csv('input\n') }, status: 422, code: 'invalid-dataset' },
    { name: 'an empty file', fields: { file: csv('') }, status: 422, code: 'invalid-dataset' },
    {
      name: 'damaged gzip',
      fields: { file: new File([new Uint8Array([0x1f, 0x8b, 1, 2])], 'x.gz') },
      status: 422,
      code: 'invalid-dataset',
    },
    { name: 'no file', fields: { name: 'faq' }, status: 400, code: 'invalid-body' },
    { name: 'a file that is a text field', fields: { file: ROWS }, status: 400, code: 'invalid-body' },
    { name: 'a name without letters', fields: { file: csv(ROWS), name: '日本語' }, status: 400, code: 'invalid-name' },
    { name: 'a name of dots', fields: { file: csv(ROWS), name: '../..' }, status: 400, code: 'invalid-name' },
    { name: 'columns that are no JSON', fields: { file: csv(ROWS), columns: 'x' }, status: 400, code: 'invalid-body' },
    {
      name: 'a gzip bomb',
      fields: { file: new File([new Uint8Array(gzipSync(Buffer.alloc(70 * 1024 * 1024, 'a')))], 'x.csv.gz') },
      status: 422,
      code: 'invalid-dataset',
    },
    {
      name: 'more than 4 MB',
      fields: { file: csv('x'.repeat(4 * 1024 * 1024 + 20_000)) },
      status: 413,
      code: 'too-large',
    },
  ])('is refused with $name', async ({ fields, status, code }) => {
    const api = await withProject();
    const answer = await api.upload('shop', Object.fromEntries(Object.entries(fields)));
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it('names where larger files go', async () => {
    const api = await withProject();
    const { json } = await api.upload('shop', { file: csv('x'.repeat(5 * 1024 * 1024)) });
    expect(json.detail).toContain('/api/datasets/project/shop/uploads');
  });

  it.each([
    { type: 'text/csv', body: ROWS, status: 415 },
    { type: '', body: ROWS, status: 415 },
    { type: 'multipart/form-data', body: 'x', status: 415 },
    { type: 'multipart/form-data; boundary=x', body: '', status: 400 },
    {
      type: 'multipart/form-data; boundary=x',
      body: '--x\r\nContent-Disposition: form-data; name="file"',
      status: 400,
    },
    { type: 'multipart/form-data; boundary=', body: 'x', status: 400 },
    { type: `multipart/form-data; boundary=${'x'.repeat(5_000)}`, body: 'x', status: 400 },
  ])('is refused as $type $body', async ({ type, body, status }) => {
    const api = await withProject();
    const answer = await api.manage('POST', '/api/datasets/project/shop', undefined, {
      headers: { 'content-type': type },
      body,
    });
    expect(answer.status).toBe(status);
  });

  it('takes 4 MB', async () => {
    const api = await withProject();
    const row = `"${'q'.repeat(1_000)} #"`;
    const lines = Array.from({ length: 4_000 }, (_, index) => row.replace('#', String(index)));
    const { status, json } = await api.upload('shop', { file: csv(`input\n${lines.join('\n')}\n`), name: 'faq' });
    expect([status, json.rows]).toEqual([201, 4_000]);
  });

  it('is gone with its rows when deleted', async () => {
    const api = await withProject();
    const { json } = await api.upload('shop', { file: csv(ROWS), name: 'faq' });
    expect((await api.manage('DELETE', '/api/datasets/shop.faq')).status).toBe(204);
    expect((await api.manage('GET', '/api/datasets/shop.faq')).status).toBe(404);
    expect((await api.manage('DELETE', '/api/datasets/shop.faq')).status).toBe(404);
    expect(await api.datasets.read('shop', 'faq', json.version)).toBeNull();
  });

  it('is listed by its newest version', async () => {
    const api = await withProject();
    for (const name of ['faq', 'billing']) await api.upload('shop', { file: csv(ROWS), name });
    const { json } = await api.manage('GET', '/api/datasets/project/shop');
    expect(json.items).toMatchObject([{ id: 'shop.billing', rows: 2 }, { id: 'shop.faq' }]);
  });
});

describe('a large dataset', () => {
  const size = Buffer.byteLength(ROWS);

  async function open(api: TestApi, name = 'faq.csv', bytes = size) {
    return (await api.manage('POST', '/api/datasets/project/shop/uploads', { name, size: bytes })).json;
  }

  it('is sent in parts of 8 MiB', async () => {
    const api = await withProject();
    const { parts, part_bytes, dataset } = await open(api, 'faq.csv', 20 * 1024 * 1024);
    expect([dataset, part_bytes]).toEqual(['shop.faq', 8_388_608]);
    expect(parts.map((part: { number: number }) => part.number)).toEqual([1, 2, 3]);
  });

  it('is processed after its upload is complete', async () => {
    const api = await withProject();
    const { parts, complete_url } = await open(api);
    api.datasets.putPart(parts[0].url, Buffer.from(ROWS));
    const complete = await api.manage('POST', complete_url);
    expect(complete.status).toBe(202);
    expect(complete.json).toMatchObject({ id: 'shop.faq', status: 'processing', status_url: '/api/datasets/shop.faq' });
    await api.ingestAll();
    const { json } = await api.manage('GET', '/api/datasets/shop.faq');
    expect(json).toMatchObject({ status: 'ready', rows: 2 });
    expect(json.versions).toHaveLength(1);
    const direct = await api.upload('shop', { file: csv(ROWS), name: 'direct' });
    expect(json.version).toBe(direct.json.version);
    const again = await api.manage('POST', complete_url);
    expect([again.status, again.json.status]).toEqual([202, 'ready']);
    expect(api.ingestions).toEqual([]);
  });

  it('tells its faults when it cannot be read', async () => {
    const api = await withProject();
    const bad = 'id,input\n1,Hi\n1,Bye\n';
    const { parts, complete_url } = await open(api, 'faq.csv', Buffer.byteLength(bad));
    api.datasets.putPart(parts[0].url, Buffer.from(bad));
    await api.manage('POST', complete_url);
    await api.ingestAll();
    const { json } = await api.manage('GET', '/api/datasets/shop.faq');
    expect(json).toMatchObject({ status: 'invalid', version: '', first_rows: [] });
    expect(json.faults[0]).toMatch(/^faq\.csv, line 3.*duplicate id "1"/);
  });

  it('does not take the place of a ready version while it is invalid', async () => {
    const api = await withProject();
    const ready = await api.upload('shop', { file: csv(ROWS), name: 'faq' });
    const { parts, complete_url } = await open(api, 'faq', 1);
    api.datasets.putPart(parts[0].url, Buffer.from('x'));
    await api.manage('POST', complete_url);
    await api.ingestAll();
    const { json } = await api.manage('GET', '/api/datasets/shop.faq');
    expect(json.version).toBe(ready.json.version);
    expect(json.versions.map(({ status }: { status: string }) => status).sort()).toEqual(['invalid', 'ready']);
  });

  it('names the parts that are missing', async () => {
    const api = await withProject();
    const { complete_url } = await open(api);
    const { status, json } = await api.manage('POST', complete_url);
    expect([status, json.code]).toEqual([422, 'invalid-dataset']);
    expect(json.detail).toContain('part 1 of the upload is missing');
    expect(api.ingestions).toEqual([]);
  });

  it.each([0, -1, 1.5, 10 * 1024 ** 3 + 1, 'x', null])('has no size of %j', async (bytes) => {
    const api = await withProject();
    const body = { name: 'faq', size: bytes };
    const { status } = await api.manage('POST', '/api/datasets/project/shop/uploads', body);
    expect([400, 422]).toContain(status);
  });

  it.each([
    'x',
    '..',
    'faq.csv.',
    `faq.csv.${'0'.repeat(31)}`,
    `faq.exe.${'0'.repeat(32)}`,
    '%2e%2e',
    `../x.csv.${'0'.repeat(32)}`,
  ])('has no upload %j', async (uploadId) => {
    const api = await withProject();
    const routeKey = 'POST /api/datasets/project/{project}/uploads/{uploadId}/complete';
    const headers = { authorization: 'Bearer first-token' };
    const { status } = await api.send({ routeKey, headers, pathParameters: { project: 'shop', uploadId } });
    expect(status).toBe(404);
  });

  it('keeps an upload of one project from another', async () => {
    const api = await withProject();
    await api.manage('POST', '/api/projects', { id: 'bank' });
    const { parts, complete_url } = await open(api);
    api.datasets.putPart(parts[0].url, Buffer.from(ROWS));
    const { status } = await api.manage('POST', complete_url.replace('/shop/', '/bank/'));
    expect(status).toBe(422);
    expect(api.ingestions).toEqual([]);
  });

  it('may be named by an eval while it is processed', async () => {
    const api = await withProject();
    const { parts, complete_url } = await open(api);
    api.datasets.putPart(parts[0].url, Buffer.from(ROWS));
    await api.manage('POST', complete_url);
    expect((await api.manage('POST', '/api/evals/project/shop', evalNamed('faq'))).status).toBe(201);
  });
});
