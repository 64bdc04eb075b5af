import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { stepFunctionsHandle } from '../../../src/adapters/aws/clients.ts';
import { LambdaDatasetIngestion } from '../../../src/adapters/aws/lambda-dataset-ingestion.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { ManualClock } from './local-cloud.ts';

const request = { project: 'shop', dataset: 'faq', upload_id: 'faq.csv.1', file_name: 'faq.csv' };
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };

function ingestion(replies: (Response | Error)[]) {
  const sent: { url: string; init: RequestInit }[] = [];
  const clock = new ManualClock();
  const start = () =>
    new LambdaDatasetIngestion({
      functionName: 'assay-ingest',
      account: stepFunctionsHandle({ region: 'eu-west-1', credentials }),
      clock,
      fetch: async (url, init = {}) => {
        sent.push({ url: String(url), init });
        const reply = replies.shift() ?? new Error('no more replies');
        if (reply instanceof Error) throw reply;
        return reply;
      },
    }).start(request);
  return { sent, clock, start };
}

const accepted = () => new Response(null, { status: 202 });

describe('handing an upload to Lambda', () => {
  it('invokes the function without waiting, signed for it', async () => {
    const { sent, start } = ingestion([accepted()]);
    await start();
    const [{ url, init }] = sent as [(typeof sent)[0]];
    expect(url).toBe('https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/assay-ingest/invocations');
    const headers = init.headers as Record<string, string>;
    expect(headers['x-amz-invocation-type']).toBe('Event');
    expect(JSON.parse(String(init.body))).toEqual(request);
    expect(headers.authorization).toBe(authorizationOf(headers, String(init.body)));
  });

  it.each([
    { name: 'throttling', first: new Response('slow down', { status: 429 }) },
    { name: 'a failure of the service', first: new Response('', { status: 503 }) },
    { name: 'a broken connection', first: new TypeError('fetch failed') },
  ])('tries again after $name', async ({ first }) => {
    const { sent, clock, start } = ingestion([first, accepted()]);
    await start();
    expect([sent.length, clock.waits.length]).toEqual([2, 1]);
  });

  it('gives up after four attempts', async () => {
    const { sent, start } = ingestion(Array.from({ length: 9 }, () => new Response('down', { status: 500 })));
    await expect(start()).rejects.toThrow(StorageError);
    expect(sent).toHaveLength(4);
  });

  it('does not repeat what was refused', async () => {
    const { sent, start } = ingestion([new Response('{"Message":"no such function"}', { status: 404 })]);
    await expect(start()).rejects.toThrow('HTTP 404 {"Message":"no such function"}');
    expect(sent).toHaveLength(1);
  });
});

/** Signature Version 4, worked out here from its description. */
function authorizationOf(headers: Record<string, string>, body: string): string {
  const date = headers['x-amz-date'] ?? '';
  const scope = `${date.slice(0, 8)}/eu-west-1/lambda/aws4_request`;
  const names = Object.keys(headers)
    .filter((name) => name !== 'authorization')
    .sort();
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const canonical = [
    'POST',
    '/2015-03-31/functions/assay-ingest/invocations',
    '',
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = [date.slice(0, 8), 'eu-west-1', 'lambda', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  return `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
}
