import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setLogSink } from '../../lambdas/shared/log.ts';
import { dynamoHandle } from '../../src/adapters/aws/clients.ts';
import { DEV_TABLE } from '../../src/dev/dev-ports.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../src/dev/emulators/local-account.ts';
import { JsonStub } from '../adapters/json-stub.ts';
import { Cloud, qaEval, qaRows } from './support/cloud.ts';

const KEY = 'tk/s3cr3t+"quoted"&<x>=';
const basic = Buffer.from(`user:${KEY}`).toString('base64');

/** What a careless service may say about the key it was given. */
const ECHOES: readonly { status?: number; body: unknown }[] = [
  { body: { answer: `your key is ${KEY}` } },
  { body: { answer: { headers: { authorization: `Bearer ${KEY}` } } } },
  { status: 500, body: { error: `bad key ${KEY}` } },
  { status: 401, body: { html: `no access for ${KEY.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}` } },
  { body: { answer: `${Buffer.from(`Bearer ${KEY}`).toString('base64')} ${encodeURIComponent(KEY)}` } },
  { body: { answer: JSON.stringify({ inner: JSON.stringify({ KEY }) }) } },
  { body: { answer: `Basic ${basic}` } },
  { body: { other: KEY } },
  { status: 500, body: `${' '.repeat(19_990)}${KEY}` },
];
/** Forms that stand whole wherever the key was said. */
const FORMS = [
  KEY,
  JSON.stringify(KEY).slice(1, -1),
  encodeURIComponent(KEY),
  KEY.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  KEY.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  Buffer.from(`Bearer ${KEY}`).toString('base64').slice(12, -4),
  basic.slice(8, -4),
  KEY.slice(0, 9),
];

describe('secrets of a deployed run', () => {
  let cloud: Cloud;
  let project: string;
  const target = new JsonStub(({ body }) => ({
    status: 200,
    body: {},
    ...ECHOES[Number(String(body.question).split(' ')[1]) % ECHOES.length],
  }));
  let url: string;
  const logged: string[] = [];
  beforeAll(async () => {
    url = await target.listen();
    const folder = await mkdtemp(join(tmpdir(), 'assay-secrets-'));
    await writeFile(join(folder, '.env'), `TARGET_KEY='${KEY}'\n`);
    cloud = await Cloud.start({ folder, secretsFolder: folder, env: {} });
    setLogSink((level, record) => void logged.push(JSON.stringify({ level, ...record })));
    project = await cloud.project();
    await cloud.putDataset(project, 'faq', qaRows(ECHOES.length * 2));
  });
  afterAll(async () => {
    await cloud.stop();
    await target.close();
  });

  const asking = (secret: string) =>
    qaEval(url, {
      targets: [
        {
          url,
          headers: { Authorization: `Bearer {{secrets.${secret}}}` },
          body_template: { question: '{{input}}' },
          response_path: 'answer',
          retries: 0,
        },
      ],
    });

  it('stand nowhere but in the requests, however a target says them again', async () => {
    await cloud.putEval(project, asking('TARGET_KEY'));
    const { runId, started } = await cloud.run(project);
    expect(target.requests).toHaveLength(ECHOES.length * 2);
    expect(target.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);

    const texts = new Map<string, string>([['log', logged.join('\n')]]);
    for (const { key } of await cloud.stack.ports.objects.list('')) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of (await cloud.stack.ports.objects.read(key)) ?? []) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      texts.set(key, (key.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
    }
    const account = { region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS, endpoint: cloud.stack.dynamoUrl };
    const { client } = await dynamoHandle(account)();
    texts.set('items', JSON.stringify((await client.send(new ScanCommand({ TableName: DEV_TABLE }))).Items));
    for (const name of readdirSync(join(cloud.folder, 'executions'), { recursive: true, encoding: 'utf8' })) {
      if (name.endsWith('.json')) texts.set(name, readFileSync(join(cloud.folder, 'executions', name), 'utf8'));
    }
    const paths = [`/api/runs/${runId}`, `/api/datasets/runs/${runId}/results`, `/api/evals/${project}.faq`];
    for (const path of paths) texts.set(path, JSON.stringify((await cloud.call('GET', path)).body));
    texts.set('gate', JSON.stringify(await cloud.gate(project, started)));

    const names = [...texts.keys()];
    for (const file of ['report.html', 'junit.xml', 'summary.json', 'part-00000000.jsonl.gz'])
      expect(names.some((name) => name.endsWith(file))).toBe(true);
    const leaks = [...texts].flatMap(([name, text]) =>
      FORMS.filter((form) => text.includes(form)).map((form) => `${name}: ${form}`),
    );
    expect(leaks).toEqual([]);
    expect(texts.get(`/api/datasets/runs/${runId}/results`)).toContain('[redacted]');
  });

  it('that are missing stop a run before its first request, by name', async () => {
    const asked = target.requests.length;
    await cloud.putEval(project, asking('NO_SUCH_KEY'));
    const { gate } = await cloud.run(project);
    expect(gate.gate).toBe('error');
    expect(gate.reasons.join()).toMatch(/secret NO_SUCH_KEY is missing/);
    expect(JSON.stringify(gate)).not.toContain(KEY.slice(0, 9));
    expect(target.requests).toHaveLength(asked);
  });
});
