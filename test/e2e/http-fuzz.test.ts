import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_TEXTS } from '../lambdas/api/fuzz/hostile.ts';
import { Cloud, qaEval, qaRows } from './support/cloud.ts';

/** As in test/lambdas/api/fuzz.test.ts: ASSAY_FUZZ_RUNS and ASSAY_FUZZ_SEED change it. */
const RUNS = Number(process.env.ASSAY_FUZZ_RUNS ?? 400);
const SEED = Number(process.env.ASSAY_FUZZ_SEED ?? 20_261_130);
const SENTINEL = 'zq7-of-bank-only';
const INSIDE =
  /\bat [\w.<>]+ \(|node_modules|node:internal|\/(work|tmp|home)\/|\.ts:\d|arn:aws|dynamo|amazonaws|Exception|TypeError/i;

const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
/** One segment of a path, as bytes may spell it. */
const segment = fc.oneof(
  fc.constantFrom(
    'api',
    'projects',
    'evals',
    'runs',
    'project',
    'datasets',
    'bank',
    'bank.faq',
    'p1',
    'p1.faq',
    'results',
  ),
  fc.constantFrom(...HOSTILE_TEXTS.filter((text) => text.length < 300)).map(encoded),
  fc.constantFrom(
    'bank%2Efaq',
    'p1%2F..%2Fbank',
    '%62ank',
    'bank%00',
    'p1%23bank',
    '%2e%2e',
    '..',
    '.',
    '',
    '%',
    '%zz',
    'bank;a=b',
  ),
  fc.constantFrom(
    '%ff%fe',
    '%c0%ae%c0%ae',
    'BANK',
    'bank%20',
    '%252e%252e',
    'p1%2ffaq',
    '*',
    '@',
    'a:b',
    '\\',
    '\u00e9',
  ),
);
const path = fc.oneof(
  fc.constantFrom('/api/projects', '/api/projects/p1', '/api/evals/p1.faq', '/api/datasets/p1.faq', '/openapi.json'),
  fc.array(segment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
  segment.map((id) => `/api/projects/${id}`),
  segment.map((id) => `/api/evals/${id}`),
  segment.map((id) => `/api/datasets/${id}`),
  segment.map((id) => `/api/links/${id}/report?expires=1796637600&signature=${'A'.repeat(43)}`),
  segment.map((id) => `/api/projects/p1/../${id}`),
  fc.constantFrom(
    '*',
    '//',
    '//evil.example/api/projects',
    'http://evil.example/api/projects',
    '/api//projects',
    '/api/projects/',
    '?',
    '/?%',
  ),
);
const header = fc.oneof(
  fc.constantFrom(
    'X-A: b',
    'Host: evil.example',
    'Content-Type: application/json',
    'Expect: 100-continue',
    'Cookie: a=b; c',
  ),
  fc.constantFrom(
    'Content-Length: 5',
    'Transfer-Encoding: chunked',
    'X-Http-Method-Override: DELETE',
    'Connection: upgrade',
  ),
  fc.constantFrom(
    `X-Long: ${'a'.repeat(20_000)}`,
    'X-Fold: a\r\n b',
    'X-Nul: a\u0000b',
    'X Space: a',
    ': empty',
    'X-Latin: \u00ff',
  ),
  fc.constantFrom('Idempotency-Key: \u00e9', 'Authorization: Bearer x', 'Range: bytes=0-', 'Accept-Encoding: gzip, br'),
);
const request = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'get', 'FOO'),
  path,
  headers: fc.array(header, { maxLength: 3 }),
  body: fc.constantFrom('', '{}', 'x', '{"evals":["faq"]}', '5\r\nhello\r\n0\r\n\r\n', 'zz\r\n'),
});

describe('whatever bytes come in at the door', () => {
  let cloud: Cloud;
  let token: string;
  beforeAll(async () => {
    cloud = await Cloud.start();
    await cloud.project();
    await cloud.expect(201, 'POST', '/api/projects', { id: 'bank', name: SENTINEL });
    for (const project of ['p1', 'bank']) {
      await cloud.putDataset(project, 'faq', qaRows(1));
      await cloud.putEval(
        project,
        qaEval('https://bot.example.com/answer', { description: SENTINEL.repeat(Number(project === 'bank')) }),
      );
    }
    ({ token } = await cloud.expect(201, 'POST', '/api/tokens', { name: 'writer', projects: ['p1'] }));
  });
  afterAll(() => cloud.stop());

  it(
    'is answered by no failure of ours, tells nothing of the inside and nothing of another project',
    async () => {
      const { port } = new URL(cloud.stack.url);
      const reached = new Set<number>();
      await fc.assert(
        fc.asyncProperty(request, async ({ method, path, headers, body }) => {
          const length = body === '' ? [] : [`Content-Length: ${body.length}`];
          const lines = [
            `${method} ${path} HTTP/1.1`,
            'Host: localhost',
            `Authorization: Bearer ${token}`,
            ...headers,
            ...length,
          ];
          const answer = await send(Number(port), `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`);
          const status = Number(/^(?:HTTP\/1\.1 100 Continue\s+)?HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? Number.NaN);
          // Nothing at all: the rest of the request is waited for, or the line was closed on what is no HTTP.
          const isNothing = /^(HTTP\/1\.1 100 Continue\s*)?$/.test(answer);
          expect(isNothing || (status >= 200 && status < 500), answer.slice(0, 300)).toBe(true);
          expect(answer).not.toContain(SENTINEL);
          const isFile = answer.includes('text/html') || answer.includes('javascript') || answer.includes('"openapi"');
          if (!isFile) expect(INSIDE.exec(answer)?.[0]).toBeUndefined();
          reached.add(status);
        }),
        { numRuns: RUNS, seed: SEED },
      );
      expect([...reached]).toEqual(expect.arrayContaining([200, 400, 404]));
      expect((await cloud.call('GET', '/api/evals/bank.faq')).status).toBe(200);
    },
    60_000 + RUNS * 200,
  );
});

/** Everything that comes back until the line is closed. */
function send(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    // A body that never comes is waited for.
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on('data', (chunk) => {
      answer += chunk.toString('utf8');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}
