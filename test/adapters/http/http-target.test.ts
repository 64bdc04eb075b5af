import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type * as z from 'zod';
import { HttpTarget, type HttpTargetDeps } from '../../../src/adapters/http/http-target.ts';
import { createOutboundDispatcher, type OutboundOptions } from '../../../src/adapters/http/outbound-guard.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import { HttpTargetSchema } from '../../../src/core/schemas/target-config.ts';
import { describeTargetContract } from '../../contracts/target.ts';
import { makeRow } from '../../fixtures/make-row.ts';
import { createFakeNetwork } from './fake-network.ts';
import { type Respond, type StubServer, sendJson, startStubServer } from './stub-server.ts';

type Config = Partial<z.input<typeof HttpTargetSchema>>;
interface Setup extends Partial<Pick<HttpTargetDeps, 'priceUsage'>> {
  readonly secrets?: Record<string, string>;
  readonly policy?: Partial<OutboundOptions>;
  readonly random?: number;
  readonly now?: number;
}

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(cleanUps.splice(0).map((cleanUp) => cleanUp()));
});

const echo: Respond = (response, { body }) => sendJson(response, { answer: body });

async function serve(respond: Respond): Promise<StubServer> {
  const server = await startStubServer(respond);
  cleanUps.push(() => server.close());
  return server;
}

/** A target on loopback, with a clock whose sleeps take no time and are noted. */
function targetFor(url: string, config: Config = {}, setup: Setup = {}) {
  const slept: number[] = [];
  let now = setup.now ?? 0;
  const outbound = createOutboundDispatcher({
    loopback: true,
    allowedHosts: [],
    allowedCidrs: [],
    httpsOnly: false,
    ...setup.policy,
  });
  cleanUps.push(() => outbound.close());
  const parsed = HttpTargetSchema.parse({ url, response_path: 'answer', ...config });
  const target = new HttpTarget(
    { ...parsed, id: 'http' },
    {
      outbound,
      clock: {
        now: () => now,
        monotonicMs: () => performance.now(),
        sleep: async (ms, signal) => {
          slept.push(ms);
          now += ms;
          signal?.throwIfAborted();
        },
      },
      random: () => setup.random ?? 0,
      secrets: new Map(Object.entries(setup.secrets ?? {})),
      priceUsage: setup.priceUsage,
      where: 'targets.0',
    },
  );
  const ask = (fields: Parameters<typeof makeRow>[0] = {}, signal = new AbortController().signal) =>
    target.ask({ row: makeRow(fields), trial: 0, signal });
  return { target, ask, slept };
}

describe('the request of an HttpTarget', () => {
  it('posts the rendered body as JSON', async () => {
    const server = await serve(echo);
    const { ask } = targetFor(`${server.url}/v1?x=1`, { body_template: { q: '{{input}}', n: 1 } });
    expect(await ask({ input: 'She said "hi"\n' })).toMatchObject({
      status: 'answered',
      answer: { text: '{"q":"She said \\"hi\\"\\n","n":1}' },
      attempts: 1,
      usage: null,
      cost: { status: 'not_metered' },
      latencyMs: expect.any(Number),
    });
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({ method: 'POST', url: '/v1?x=1' });
    expect(server.seen[0]?.headers['content-type']).toBe('application/json');
  });

  it('sends no body with GET', async () => {
    const server = await serve((response) => sendJson(response, { answer: 'ok' }));
    const { ask } = targetFor(`${server.url}/q?t={{input}}`, { method: 'GET' });
    expect(await ask({ input: 'a&b=c' })).toMatchObject({ answer: { text: 'ok' } });
    expect(server.seen[0]).toMatchObject({ method: 'GET', url: '/q?t=a%26b%3Dc', body: '' });
    expect(server.seen[0]?.headers['content-type']).toBeUndefined();
    expect(server.seen[0]?.headers['content-length']).toBeUndefined();
  });

  it('lets the configuration set any header once, whatever its case', async () => {
    const server = await serve(echo);
    const headers = { 'CONTENT-TYPE': 'application/vnd.api+json', 'User-Agent': 'mine', 'X-Row': '{{row.id}}' };
    await targetFor(server.url, { headers }).ask({ id: 'r9' });
    const names =
      server.seen[0]?.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()) ?? [];
    expect(new Set(names).size).toBe(names.length);
    expect(server.seen[0]?.headers).toMatchObject({
      'content-type': 'application/vnd.api+json',
      'user-agent': 'mine',
      'x-row': 'r9',
    });
  });

  it('trims the line break that ends a secret', async () => {
    const server = await serve(echo);
    const headers = { Authorization: 'Bearer {{secrets.KEY}}' };
    await targetFor(server.url, { headers }, { secrets: { KEY: 'demo-token-abc\n' } }).ask();
    expect(server.seen[0]?.headers.authorization).toBe('Bearer demo-token-abc');
  });

  it.each<{ name: string; secrets: Record<string, string>; says: string }>([
    { name: 'missing', secrets: { OTHER: 'v' }, says: 'NOT_THERE' },
    { name: 'empty', secrets: { NOT_THERE: '' }, says: 'NOT_THERE' },
    { name: 'only a line break', secrets: { NOT_THERE: '\n' }, says: 'NOT_THERE' },
    { name: 'broken over lines', secrets: { NOT_THERE: 'demo\r\nvalue' }, says: 'NOT_THERE' },
    { name: 'beyond Latin-1', secrets: { NOT_THERE: 'demo-値' }, says: 'NOT_THERE' },
  ])('refuses a secret that is $name before any request, by name', ({ secrets, says }) => {
    const headers = { Authorization: 'Bearer {{secrets.NOT_THERE}}' };
    const make = () => targetFor('http://127.0.0.1:1/', { headers }, { secrets });
    expect(make).toThrow(ConfigError);
    expect(make).toThrow(says);
    expect(make).not.toThrow(/demo/);
  });

  it('a row value with a line break in a header fails its row, unsent, and no other', async () => {
    const server = await serve(echo);
    const { ask } = targetFor(server.url, { headers: { 'X-Question': '{{input}}' } });
    const bad = await ask({ input: 'hi\r\nX-Admin: 1' });
    expect(bad).toMatchObject({ status: 'failed', cause: 'bad-request', attempts: 0, latencyMs: null });
    expect(bad).toHaveProperty('message', expect.stringContaining('input'));
    expect(await ask({ input: 'hi' })).toMatchObject({ status: 'answered' });
    expect(server.seen).toHaveLength(1);
  });

  it('a row without what the template names is a bad request that names it', async () => {
    const { ask } = targetFor('http://127.0.0.1:1/', { body_template: { c: '{{metadata.customer}}' } });
    const reply = await ask();
    expect(reply).toMatchObject({
      status: 'failed',
      cause: 'bad-request',
      message: expect.stringContaining('metadata.customer'),
    });
  });

  it.each([
    { name: 'an unknown variable', config: { body_template: { a: '{{customer_nam}}' } }, says: 'customer_nam' },
    { name: 'a path that is none', config: { response_path: 'a[' }, says: 'targets.0.response_path' },
    { name: 'a contexts path that is none', config: { contexts_path: 'a..b' }, says: 'targets.0.contexts_path' },
  ])('refuses $name before the first row', ({ config, says }) => {
    expect(() => targetFor('http://127.0.0.1:1/', config)).toThrow(says);
  });
});

describe('the answer of an HttpTarget', () => {
  const respondWith =
    (
      body: string | Buffer,
      contentType = 'application/json',
      status = 200,
      more: Record<string, string> = {},
    ): Respond =>
    (response) => {
      response.writeHead(status, { ...(contentType === '' ? {} : { 'content-type': contentType }), ...more }).end(body);
    };

  it.each([
    { name: 'an object as canonical JSON', path: '$', body: '{"n":1, "answer":"ok"}', text: '{"answer":"ok","n":1}' },
    { name: 'plain text', path: '$', body: 'We open at 9.\n', type: 'text/plain', text: 'We open at 9.\n' },
    {
      name: 'plain text that looks like JSON',
      path: '$',
      body: '{"b":1,"a":2}',
      type: 'text/plain',
      text: '{"b":1,"a":2}',
    },
    { name: 'a JSON text', path: '$', body: '"hello"', text: 'hello' },
    { name: 'an empty body', path: '$', body: '', text: '' },
    { name: 'an empty text', path: 'answer', body: '{"answer":""}', text: '' },
    { name: 'a zero', path: 'answer', body: '{"answer":0}', text: '0' },
    { name: 'JSON without a content type', path: 'answer', body: '{"answer":"ok"}', type: '', text: 'ok' },
    { name: 'JSON called text', path: 'answer', body: '{"answer":"ok"}', type: 'text/plain', text: 'ok' },
    {
      name: 'problem JSON',
      path: 'answer',
      body: '{"answer":"ok"}',
      type: 'application/problem+json; charset=utf-8',
      text: 'ok',
    },
    { name: 'a byte order mark', path: 'answer', body: '\ufeff{"answer":"ok"}', text: 'ok' },
    {
      name: 'a named charset',
      path: '$',
      body: Buffer.from('Zürich', 'latin1'),
      type: 'text/plain; charset=ISO-8859-1',
      text: 'Zürich',
    },
    {
      name: 'a packed body',
      path: 'answer',
      body: gzipSync('{"answer":"ok"}'),
      more: { 'content-encoding': 'gzip' },
      text: 'ok',
    },
    { name: 'a created status', path: 'answer', body: '{"answer":"ok"}', status: 201, text: 'ok' },
  ])('reads $name', async ({ path, body, type, status, more, text }) => {
    const server = await serve(respondWith(body, type, status, more));
    expect(await targetFor(server.url, { response_path: path }).ask()).toMatchObject({
      status: 'answered',
      answer: { text },
    });
  });

  it.each([
    {
      name: 'a path that leads nowhere',
      path: 'data.reply',
      body: '{"data":{"answer":"ok"}}',
      cause: 'path-not-found',
      says: ['data.reply', 'answer'],
    },
    { name: 'a null', path: 'answer', body: '{"answer":null}', cause: 'path-not-found', says: ['null'] },
    { name: 'a null body', path: '$', body: 'null', cause: 'path-not-found', says: ['null'] },
    {
      name: 'an HTML page',
      path: 'answer',
      body: '<!doctype html><title>Sign in</title>',
      type: 'text/html',
      cause: 'not-json',
      says: ['text/html', 'JSON', 'Sign in'],
    },
    { name: 'cut JSON', path: '$', body: '{"answer":"o', cause: 'not-json', says: ['application/json'] },
    { name: 'an empty body where a path leads in', path: 'answer', body: '', cause: 'not-json', says: ['empty'] },
    {
      name: 'a 400 with an answer',
      path: 'answer',
      body: '{"answer":"Sorry"}',
      status: 400,
      cause: 'http-status',
      says: ['400', 'Sorry'],
    },
    { name: 'a 500', path: 'answer', body: 'x'.repeat(5000), status: 500, cause: 'http-status', says: ['500'] },
    { name: 'a 304', path: 'answer', body: '', status: 304, cause: 'http-status', says: ['304'] },
    {
      name: 'a redirect to nowhere',
      path: 'answer',
      body: '',
      status: 302,
      cause: 'http-status',
      says: ['302', 'location'],
    },
    {
      name: 'packed nonsense',
      path: 'answer',
      body: 'no gzip',
      more: { 'content-encoding': 'gzip' },
      cause: 'connection',
      says: ['unpacked'],
    },
  ])('$name is a target error', async ({ path, body, type, status, more, cause, says }) => {
    const server = await serve(respondWith(body, type, status, more));
    const reply = await targetFor(server.url, { response_path: path }).ask();
    expect(reply).toMatchObject({ status: 'failed', cause, attempts: 1 });
    const message = reply.status === 'failed' ? reply.message : '';
    expect(message.length).toBeLessThan(400);
    for (const text of says) expect(message).toContain(text);
  });

  it('takes an allowed status for an answer, without another try', async () => {
    const server = await serve((response) => sendJson(response, { answer: 'busy' }, 503));
    expect(await targetFor(server.url, { allowed_status: [503] }).ask()).toMatchObject({
      status: 'answered',
      attempts: 1,
    });
  });

  it('refuses an answer over the limit, declared, streamed or packed', async () => {
    const big = JSON.stringify({ answer: 'x'.repeat(5000) });
    const responds: Respond[] = [
      respondWith(big),
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        for (let at = 0; at < big.length; at += 100) response.write(big.slice(at, at + 100));
        response.end();
      },
      respondWith(gzipSync(big), 'application/json', 200, { 'content-encoding': 'gzip' }),
    ];
    for (const respond of responds) {
      const server = await serve(respond);
      const reply = await targetFor(server.url, {}, { policy: { maxResponseBytes: 2000 } }).ask();
      expect(reply).toMatchObject({ status: 'failed', cause: 'too-large', attempts: 1 });
    }
  });

  it('refuses a body that nests too deep to be walked, and reads brackets in texts as text', async () => {
    const deep = await serve(respondWith(`{"answer":${'['.repeat(100_000)}${']'.repeat(100_000)}}`));
    expect(await targetFor(deep.url).ask()).toMatchObject({ status: 'failed', cause: 'not-json' });
    const flat = JSON.stringify({ answer: `${'['.repeat(5000)}"\\` });
    const text = await serve(respondWith(flat));
    expect(await targetFor(text.url).ask()).toMatchObject({ status: 'answered' });
  });

  it('takes passages, steps, usage and cost', async () => {
    const server = await serve((response) =>
      sendJson(response, {
        answer: 'a',
        passages: ['p1', { text: 'p2' }],
        steps: [{ type: 'tool_call', tool_call: { name: 'search', arguments: { q: 1 } } }],
        model: 'm-1',
        usage: { prompt_tokens: 10, completion_tokens: 5 },
      }),
    );
    const priceUsage = vi.fn(() => ({ status: 'metered', usd: 0.5 }) as const);
    const config = { contexts_path: 'passages', trajectory_path: 'steps', usage_path: 'usage' };
    expect(await targetFor(server.url, config, { priceUsage }).ask()).toMatchObject({
      answer: { text: 'a', contexts: ['p1', 'p2'], trajectory: { steps: [{ type: 'tool_call' }] } },
      usage: { input: 10, output: 5, cache_read: 0, cache_write: 0 },
      cost: { status: 'metered', usd: 0.5 },
    });
    expect(priceUsage).toHaveBeenCalledWith('m-1', { input: 10, output: 5, cache_read: 0, cache_write: 0 });
  });
});

describe('the attempts of an HttpTarget', () => {
  it('does not count throttles as retries, which are for faults', async () => {
    const statuses = [429, 502, 429, 503, 429, 429, 200];
    const server = await serve((response, _, index) => sendJson(response, { answer: 'ok' }, statuses[index]));
    expect(await targetFor(server.url, { retries: 2 }).ask()).toMatchObject({
      status: 'answered',
      attempts: 7,
      throttled: 4,
    });
  });

  it('takes 503 with a time to come back for a throttle, too', async () => {
    const server = await serve((response, _, index) =>
      index < 5 ? sendJson(response, {}, 503, { 'retry-after': '1' }) : sendJson(response, { answer: 'ok' }),
    );
    expect(await targetFor(server.url, { retries: 1 }).ask()).toMatchObject({ status: 'answered', throttled: 5 });
  });

  it('takes a 429 that is allowed as an answer for one', async () => {
    const server = await serve((response) => sendJson(response, { answer: 'busy' }, 429));
    const config = { allowed_status: [429] };
    expect(await targetFor(server.url, config).ask()).toMatchObject({ status: 'answered', attempts: 1, throttled: 0 });
  });

  it('sends nothing again with retries: 0, and spares the rows that come after', async () => {
    const server = await serve((response, _, index) => sendJson(response, { answer: 'ok' }, index === 0 ? 429 : 200));
    const { ask, slept } = targetFor(server.url, { retries: 0 });
    expect(await ask()).toMatchObject({ status: 'failed', cause: 'throttled', attempts: 1 });
    expect(slept).toEqual([]);
    expect(await ask()).toMatchObject({ status: 'answered', attempts: 1, throttled: 0 });
    expect(slept).not.toEqual([]);
  });

  it.each([429, 502, 503, 504])('tries %i again and counts the attempts', async (status) => {
    const server = await serve((response, _, index) => sendJson(response, { answer: 'ok' }, index < 2 ? status : 200));
    expect(await targetFor(server.url, { retries: 2 }).ask()).toMatchObject({ status: 'answered', attempts: 3 });
  });

  it.each([400, 401, 404, 408, 500, 501])('does not try %i again', async (status) => {
    const server = await serve((response) => sendJson(response, {}, status));
    expect(await targetFor(server.url).ask()).toMatchObject({ status: 'failed', cause: 'http-status', attempts: 1 });
  });

  it('gives up after the retries it was given, and 0 means 0', async () => {
    const server = await serve((response) => sendJson(response, {}, 503));
    expect(await targetFor(server.url, { retries: 1 }).ask()).toMatchObject({ cause: 'http-status', attempts: 2 });
    expect(await targetFor(server.url, { retries: 0 }).ask()).toMatchObject({ cause: 'http-status', attempts: 1 });
    expect(server.seen).toHaveLength(3);
  });

  it('gives a 429 that stays up when nobody was answered for the time of a row', async () => {
    const server = await serve((response) => sendJson(response, {}, 429));
    const { ask, slept } = targetFor(server.url, { timeout_s: 50, retries: 2 });
    const reply = await ask();
    expect(reply).toMatchObject({ status: 'failed', cause: 'throttled', message: expect.stringContaining('429') });
    expect(reply.throttled).toBe(reply.attempts);
    // As long as the row might have taken, 3 × 50 s, and no request in vain more often than every few seconds.
    const waited = slept.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThanOrEqual(150_000);
    expect(waited).toBeLessThan(155_000);
    expect(reply.attempts).toBeLessThan(20);
  });

  it.each([
    { name: 'seconds', header: '7', waits: 7000 },
    { name: 'a date', header: 'Thu, 01 Jan 1970 00:00:09 GMT', waits: 8000 },
    { name: 'a past date', header: 'Thu, 01 Jan 1970 00:00:00 GMT', waits: 0 },
    { name: 'more than a minute', header: '86400', waits: 60_000 },
    { name: 'nonsense', header: 'soon', waits: 0 },
    { name: 'a negative number', header: '-7', waits: 0 },
    { name: 'more than there is time', header: '1e9', waits: 0 },
    { name: 'a thousand million', header: '1000000000', waits: 60_000 },
  ])('waits as long as Retry-After says: $name', async ({ header, waits }) => {
    const server = await serve((response, _, index) =>
      index === 0 ? sendJson(response, {}, 429, { 'retry-after': header }) : sendJson(response, { answer: 'ok' }),
    );
    const { ask, slept } = targetFor(server.url, {}, { now: 1000 });
    expect(await ask()).toMatchObject({ status: 'answered', attempts: 2, throttled: 1 });
    const waited = slept.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThanOrEqual(waits);
    // One a second was sent: half of that is the pace after the throttle.
    expect(waited).toBeLessThanOrEqual(Math.max(waits, 2000));
  });

  it('backs off exponentially, by the share that chance gives', async () => {
    const server = await serve((response) => sendJson(response, {}, 503));
    const { ask, slept } = targetFor(server.url, { retries: 3 }, { random: 0.5 });
    await ask();
    expect(slept).toEqual([250, 500, 1000]);
  });

  it('tries a connection again that was reset', async () => {
    const server = await serve((response, _, index) => {
      if (index === 0) response.socket?.destroy();
      else sendJson(response, { answer: 'ok' });
    });
    expect(await targetFor(server.url).ask()).toMatchObject({ status: 'answered', attempts: 2 });
  });

  it('tries an answer again that broke off', async () => {
    const server = await serve((response, _, index) => {
      if (index > 0) sendJson(response, { answer: 'ok' });
      else {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"ans', () => response.socket?.destroy());
      }
    });
    expect(await targetFor(server.url).ask()).toMatchObject({ status: 'answered', attempts: 2 });
  });

  it('does not try a refused connection, an unknown host or a TLS fault again', async () => {
    const closed = await startStubServer(echo);
    await closed.close();
    const refused = await targetFor(closed.url).ask();
    expect(refused).toMatchObject({ cause: 'connection', attempts: 1, latencyMs: null });
    expect(refused).toHaveProperty('message', expect.stringContaining('ECONNREFUSED'));

    const network = createFakeNetwork({}, closed.port);
    const unknown = await targetFor('http://nowhere.example/', {}, { policy: network.options }).ask();
    expect(unknown).toMatchObject({
      cause: 'connection',
      attempts: 1,
      message: expect.stringContaining('nowhere.example'),
    });

    const server = await serve(echo);
    const tls = await targetFor(server.url.replace('http:', 'https:')).ask();
    expect(tls).toMatchObject({ cause: 'connection', attempts: 1 });
  });

  it('calls bytes that are no HTTP a connection fault', async () => {
    const tcp = createTcpServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end('SSH-2.0-OpenSSH_9.6\r\n'),
    );
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => new Promise((resolve) => tcp.close(resolve)));
    const { port } = tcp.address() as AddressInfo;
    expect(await targetFor(`http://127.0.0.1:${port}/`).ask()).toMatchObject({ cause: 'connection', attempts: 1 });
  });

  it('ends an attempt at its limit, which is then the latency, and does not try again', async () => {
    const server = await serve(() => {}); // never answers
    const reply = await targetFor(server.url, { timeout_s: 0.05 }).ask();
    expect(reply).toMatchObject({ status: 'failed', cause: 'timeout', latencyMs: 50, attempts: 1 });
  });

  it('holds the limit over the body, too', async () => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"answer":'); // and no more
    });
    expect(await targetFor(server.url, { timeout_s: 0.05 }).ask()).toMatchObject({ cause: 'timeout', latencyMs: 50 });
  });

  it('stops when the run stops: before, during and between attempts', async () => {
    const before = await targetFor('http://127.0.0.1:1/').ask({}, AbortSignal.abort());
    expect(before).toMatchObject({ status: 'failed', attempts: 0, message: expect.stringContaining('stopped') });

    const controller = new AbortController();
    const hanging = await serve(() => controller.abort());
    const during = await targetFor(hanging.url).ask({}, controller.signal);
    expect(during).toMatchObject({ status: 'failed', attempts: 1, message: expect.stringContaining('stopped') });

    const between = new AbortController();
    const busy = await serve((response) => {
      sendJson(response, {}, 503);
      response.once('finish', () => between.abort());
    });
    expect(await targetFor(busy.url).ask({}, between.signal)).toMatchObject({ status: 'failed', attempts: 1 });
    expect(busy.seen).toHaveLength(1);
  });

  it('sends fewer at once after the target throttled, and loses no row', async () => {
    let inFlight = 0;
    let most = 0;
    let throttledYet = false;
    const server = await serve((response, _, index) => {
      inFlight += 1;
      if (throttledYet) most = Math.max(most, inFlight);
      setImmediate(() => {
        inFlight -= 1;
        if (index < 8) sendJson(response, {}, 429);
        else sendJson(response, { answer: 'ok' });
        if (index === 7) throttledYet = true;
      });
    });
    const { ask } = targetFor(server.url, { retries: 3 });
    const replies = await Promise.all(Array.from({ length: 8 }, () => ask()));
    expect(replies.map((reply) => reply.status)).toEqual(Array.from({ length: 8 }, () => 'answered'));
    expect(most).toBeLessThan(8);
  });

  it('leaves no listener behind on the signal of the run', async () => {
    const server = await serve(echo);
    const { ask } = targetFor(server.url);
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await Promise.all(Array.from({ length: 20 }, () => ask({}, signal)));
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  });
});

describe('the redirects of an HttpTarget', () => {
  const redirect =
    (status: number, location: string): Respond =>
    (response, { url, body }) => {
      if (url === '/final') sendJson(response, { answer: `final:${body}` });
      else response.writeHead(status, { location }).end();
    };

  it.each([
    { status: 307, method: 'POST', body: '{"message":"Hi"}' },
    { status: 308, method: 'POST', body: '{"message":"Hi"}' },
    { status: 301, method: 'GET', body: '' },
    { status: 302, method: 'GET', body: '' },
    { status: 303, method: 'GET', body: '' },
  ])('follows $status within the origin as $method', async ({ status, method, body }) => {
    const server = await serve(redirect(status, '/final'));
    expect(await targetFor(`${server.url}/a`).ask()).toMatchObject({ answer: { text: `final:${body}` }, attempts: 1 });
    expect(server.seen[1]).toMatchObject({ method, body });
    expect(server.seen[1]?.headers['content-type']).toBe(method === 'GET' ? undefined : 'application/json');
  });

  it('follows three redirects and not a fourth', async () => {
    const hops =
      (count: number): Respond =>
      (response, { url }) => {
        const at = Number(url.slice(1));
        if (at === count) sendJson(response, { answer: 'ok' });
        else response.writeHead(307, { location: `/${at + 1}` }).end();
      };
    const three = await serve(hops(3));
    expect(await targetFor(`${three.url}/0`).ask()).toMatchObject({ status: 'answered' });
    const four = await serve(hops(4));
    expect(await targetFor(`${four.url}/0`).ask()).toMatchObject({ cause: 'blocked', attempts: 1 });
    expect(four.seen).toHaveLength(4);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.5/admin',
    'https://api.example.com/answer',
    'http://api.example.com:8080/answer',
    'http://other.example.com/answer',
    '//evil.example.com/x',
    'file:///etc/passwd',
    'data:application/json,{"answer":"ok"}',
    'http://user:pw@api.example.com/x',
    'http://[',
  ])('sends nothing to %s', async (location) => {
    const server = await serve(redirect(307, location));
    const dns = {
      'api.example.com': ['93.184.215.14'],
      'other.example.com': ['93.184.215.15'],
      'evil.example.com': ['8.8.8.8'],
    };
    const network = createFakeNetwork(dns, server.port);
    const headers = { Authorization: 'Bearer {{secrets.KEY}}' };
    const { ask } = targetFor(
      'http://api.example.com/answer',
      { headers },
      {
        policy: { ...network.options, loopback: false },
        secrets: { KEY: 'demo-secret-7788' },
      },
    );
    const reply = await ask();
    expect(reply).toMatchObject({ status: 'failed', cause: 'blocked', attempts: 1 });
    expect(network.connectedTo).toEqual(['93.184.215.14']);
    expect(server.seen).toHaveLength(1);
  });

  it('checks the name again when a redirect needs a new socket', async () => {
    const server = await serve((response) => response.writeHead(307, { location: '/b', connection: 'close' }).end());
    const network = createFakeNetwork({ 'rebind.example': [['93.184.215.14'], ['127.0.0.1']] }, server.port);
    const { ask } = targetFor('http://rebind.example/a', {}, { policy: { ...network.options, loopback: false } });
    expect(await ask()).toMatchObject({ cause: 'blocked', attempts: 1 });
    expect(server.seen).toHaveLength(1);
  });
});

describe('the outbound rules of an HttpTarget', () => {
  it.each(['http://192.168.1.1/x', 'http://localhost:3000/x', 'ftp://api.example.com/', 'api.example.com/x'])(
    'refuses %s before any row, naming the field',
    async (url) => {
      const { target, ask } = targetFor(url, {}, { policy: { loopback: false } });
      await expect(target.check()).rejects.toBeInstanceOf(ConfigError);
      await expect(target.check()).rejects.toThrow('targets.0.url');
      if (url.startsWith('http')) expect(await ask()).toMatchObject({ cause: 'blocked', attempts: 0, latencyMs: null });
    },
  );

  it('checks a URL whose row values are still unknown, and one that a secret holds', async () => {
    const base = targetFor('{{secrets.BASE}}/q?t={{input}}', {}, { secrets: { BASE: 'http://10.0.0.1' } });
    await expect(base.target.check()).rejects.toBeInstanceOf(ConfigError);
    const fine = targetFor('http://127.0.0.1:8080/{{input}}');
    await expect(fine.target.check()).resolves.toBeUndefined();
  });
});

describe('secrets of an HttpTarget', () => {
  const KEY = 'demo-secret-7788/+="';
  const headers = { Authorization: 'Bearer {{secrets.KEY}}' };
  const body_template = { message: '{{input}}', key: '{{secrets.KEY}}' };

  it('are in no failure that echoes them', async () => {
    const spellings = [KEY, JSON.stringify(KEY), encodeURIComponent(KEY), Buffer.from(`u:${KEY}`).toString('base64')];
    for (const spelling of spellings) {
      const server = await serve((response) => response.writeHead(401).end(`invalid credential: Bearer ${spelling}`));
      const reply = await targetFor(server.url, { headers }, { secrets: { KEY } }).ask();
      expect(reply).toMatchObject({
        cause: 'http-status',
        message: expect.stringContaining('HTTP 401: invalid credential'),
      });
      expect(JSON.stringify(reply)).not.toContain(JSON.stringify(spelling).slice(1, -1));
    }
  });

  it('are in no answer that echoes them', async () => {
    const server = await serve((response, request) =>
      sendJson(response, {
        answer: `you sent ${request.headers.authorization}`,
        docs: [request.body],
        steps: [{ type: 'thought', content: request.body }],
      }),
    );
    const config = { headers, body_template, contexts_path: 'docs', trajectory_path: 'steps' };
    const reply = await targetFor(server.url, config, { secrets: { KEY } }).ask();
    expect(reply.status).toBe('answered');
    expect(JSON.stringify(reply)).not.toContain('7788');
  });

  it('expand in the configuration only: no row can print one', async () => {
    const server = await serve(echo);
    const { ask } = targetFor(
      server.url,
      { body_template: { message: '{{input}}' } },
      { secrets: { KEY: 'canary-4711' } },
    );
    const hostile = fc.array(fc.constantFrom('{{secrets.KEY}}', '{{', '}}', 'secrets.KEY', '{{input}}', ' ', 'x'), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(hostile, async (parts) => {
        const input = parts.join('');
        const reply = await ask({ input });
        expect(reply).toMatchObject({ answer: { text: JSON.stringify({ message: input }) } });
      }),
      { numRuns: 50 },
    );
    expect(server.seen.filter(({ body }) => body.includes('canary-4711'))).toEqual([]);
  });

  it('are in no key, message or connection failure', async () => {
    const { target, ask } = targetFor(
      'https://{{secrets.KEY}}.invalid/',
      {},
      {
        secrets: { KEY: 'demo-host-7788' },
        policy: createFakeNetwork({}, 1).options,
      },
    );
    await target.check();
    const reply = await ask();
    expect(reply).toMatchObject({ cause: 'connection' });
    expect(JSON.stringify(reply)).not.toContain('7788');
    expect(JSON.stringify(target)).not.toContain('7788');
  });
});

describeTargetContract('HttpTarget', async () => {
  const server = await serve((response, { body }) => {
    if (body.includes('fail')) response.writeHead(500).end('canary-value-1');
    else sendJson(response, { answer: 'ok' });
  });
  const { target } = targetFor(
    server.url,
    { headers: { 'x-key': '{{secrets.KEY}}' } },
    { secrets: { KEY: 'canary-value-1' } },
  );
  return {
    target,
    answers: { row: makeRow({ input: 'fine' }), text: 'ok' },
    failing: makeRow({ input: 'fail' }),
    canary: 'canary-value-1',
    dispose: async () => {},
  };
});
