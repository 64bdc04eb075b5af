import { afterEach, describe, expect, it } from 'vitest';
import { setLogSink } from '../../lambdas/shared/log.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { type LocalHttpApi, startHttpApi } from '../../src/dev/http-server.ts';
import { type LambdaHandler, LambdaHost } from '../../src/dev/lambda-host.ts';

setLogSink(() => {});

describe('the local HTTP API', () => {
  let api: LocalHttpApi | undefined;
  afterEach(() => api?.close());

  async function start(handler: LambdaHandler, timeoutMs = 5_000): Promise<string> {
    const host = new LambdaHost({ api: { handler, timeoutMs } }, systemClock);
    api = await startHttpApi({ host, port: 0, now: () => new Date() });
    return api.url;
  }

  it('answers with status, headers, cookies and the bytes of the function', async () => {
    const url = await start(async () => ({
      statusCode: 201,
      headers: { 'Content-Type': 'image/png', 'X-Count': 3 },
      cookies: ['a=1', 'b=2'],
      body: Buffer.from([0, 255, 1]).toString('base64'),
      isBase64Encoded: true,
    }));
    const reply = await fetch(`${url}/api/projects`);
    expect(reply.status).toBe(201);
    expect(reply.headers.get('content-type')).toBe('image/png');
    expect(reply.headers.get('x-count')).toBe('3');
    expect(reply.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect([...new Uint8Array(await reply.arrayBuffer())]).toEqual([0, 255, 1]);
  });

  it('a result without a status is the body of a 200', async () => {
    const reply = await fetch(`${await start(async () => ({ hello: 'world' }))}/api/projects`);
    expect([reply.status, await reply.json()]).toEqual([200, { hello: 'world' }]);
  });

  it('an empty answer and a redirect arrive as they are', async () => {
    const url = await start(async (event) =>
      (event as { routeKey: string }).routeKey.startsWith('DELETE')
        ? { statusCode: 204, headers: {}, body: '' }
        : { statusCode: 302, headers: { location: 'http://elsewhere/' }, body: '' },
    );
    expect((await fetch(`${url}/api/runs/r-1`, { method: 'DELETE' })).status).toBe(204);
    const reply = await fetch(`${url}/api/runs/r-1/report`, { redirect: 'manual' });
    expect([reply.status, reply.headers.get('location')]).toEqual([302, 'http://elsewhere/']);
  });

  it('answers in the words of API Gateway when there is no route, no answer in time, or the function fails', async () => {
    const url = await start(async (event) => {
      const { rawPath } = event as { rawPath: string };
      if (rawPath.endsWith('/slow')) await new Promise(() => {});
      throw new Error('secret detail');
    }, 50);
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    expect((await fetch(`${url}/api/evals/slow`)).status).toBe(503);
    const failed = await fetch(`${url}/api/evals/x`);
    expect([failed.status, await failed.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
  });

  it.each([
    { bytes: 4_000_000, status: 200 },
    { bytes: 5_000_000, status: 413 }, // more than 6 MB as base64
    { bytes: 12 * 1024 * 1024, status: 413 }, // more than API Gateway takes
  ])('a body of $bytes bytes: $status', async ({ bytes, status }) => {
    let received = 0;
    const url = await start(async (event) => {
      received = Buffer.from((event as { body: string }).body, 'base64').byteLength;
      return {};
    });
    const headers = { 'content-type': 'application/octet-stream' };
    const reply = await fetch(`${url}/api/projects`, { method: 'POST', headers, body: Buffer.alloc(bytes) });
    expect(reply.status).toBe(status);
    if (status === 200) expect(received).toBe(bytes);
  });
});
