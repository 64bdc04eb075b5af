import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DeployedClient } from '../../src/cli/deployed-client.ts';
import { iamSigner } from '../../src/cli/iam-signature.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const APP = 'https://abc123.execute-api.eu-west-1.amazonaws.com';

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Uint8Array, text: string) => createHmac('sha256', key).update(text).digest();

/** Signature Version 4 as its specification puts it, for one request that was sent. */
function expectedSignature(url: URL, init: { method: string; headers: Headers; body: Uint8Array }, region: string) {
  const stamp = init.headers.get('x-amz-date') ?? '';
  const signedNames = /SignedHeaders=([^,]+)/.exec(init.headers.get('authorization') ?? '')?.[1] ?? '';
  const headers = signedNames.split(';').map((name) => `${name}:${init.headers.get(name) ?? url.host}\n`);
  // Every segment of the path is encoded once more: so for every service but S3.
  const path = url.pathname
    .split('/')
    .map((segment) => encodeURIComponent(segment))
    .join('/');
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&');
  const request = [init.method, path, query, headers.join(''), signedNames, sha256(init.body)].join('\n');
  const scope = `${stamp.slice(0, 8)}/${region}/execute-api/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', stamp, scope, sha256(request)].join('\n');
  const key = [stamp.slice(0, 8), region, 'execute-api', 'aws4_request'].reduce<Uint8Array>(
    (under, part) => hmac(under, part),
    Buffer.from(`AWS4${credentials.secretAccessKey}`),
  );
  return { scope, signature: hmac(key, text).toString('hex') };
}

describe('management calls of a stage with api.auth: iam', () => {
  const form = new FormData();
  form.set('file', new Blob(['input\n1\n']), 'a.csv');

  it.each([
    { name: 'a read with a query', method: 'GET' as const, path: '/api/evals/shop.faq/trend?last=12&a=%20b' },
    { name: 'JSON', path: '/api/projects', method: 'POST' as const, json: { id: 'shop', name: 'Läden' } },
    { name: 'a form', path: '/api/datasets/project/shop', method: 'POST' as const, form },
  ])('signs $name as the specification says, and sends what was signed', async ({ name: _, ...request }) => {
    const sent: { url: URL; method: string; headers: Headers; body: Uint8Array }[] = [];
    const client = new DeployedClient({
      url: APP,
      sign: iamSigner(APP, { credentials, env: {} }),
      fetch: async (url, init) => {
        const body = (init?.body as Uint8Array | undefined) ?? new Uint8Array();
        sent.push({
          url: new URL(String(url)),
          method: String(init?.method),
          headers: new Headers(init?.headers),
          body,
        });
        return Response.json({});
      },
    });
    await client.manage(request);
    const [call] = sent;
    if (call === undefined) throw new Error('nothing was sent');
    const { scope, signature } = expectedSignature(call.url, call, 'eu-west-1');
    expect(call.headers.get('authorization')).toMatch(
      new RegExp(`^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=.*, Signature=${signature}$`),
    );
    expect(call.headers.get('authorization')).not.toContain('Bearer');
  });

  it('takes the Region from the environment behind a domain of one’s own, and asks for it where nobody tells', () => {
    expect(() => iamSigner('https://assay.example.com', { credentials, env: {} })).toThrow(/Region.*AWS_REGION/s);
    expect(() =>
      iamSigner('https://assay.example.com', { credentials, env: { AWS_REGION: 'us-east-1' } }),
    ).not.toThrow();
  });
});
