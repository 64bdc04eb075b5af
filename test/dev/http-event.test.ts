import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { matchRoute, toHttpEvent } from '../../src/dev/http-event.ts';

describe('matchRoute', () => {
  it.each([
    { path: '/api/gates/g-1', key: '/api/gates/{gateRunId}', parameters: { gateRunId: 'g-1' } },
    { path: '/api/datasets/project/p1', key: '/api/datasets/project/{project}', parameters: { project: 'p1' } },
    { path: '/api/evals/a%20b', key: '/api/evals/{id}', parameters: { id: 'a b' } },
    { path: '/api/gates/..%2F..%2Fsecrets', key: '/api/gates/{gateRunId}', parameters: { gateRunId: '../../secrets' } },
    { path: '/api/gates/%zz', key: '/api/gates/{gateRunId}', parameters: { gateRunId: '%zz' } },
  ])('$path is $key', ({ path, key, parameters }) => {
    const matched = matchRoute('GET', path);
    expect(matched?.route.path).toBe(key);
    expect(matched?.parameters).toEqual(parameters);
  });

  it('prefers a literal segment to a variable one, wherever they stand in the table', () => {
    const routes = [
      { method: 'GET', path: '/api/{kind}/x', auth: 'webhook', operation: 'a' },
      { method: 'GET', path: '/api/runs/{id}', auth: 'webhook', operation: 'b' },
      { method: 'GET', path: '/api/runs/x', auth: 'webhook', operation: 'c' },
    ] as const;
    expect(matchRoute('GET', '/api/runs/x', routes)?.route.operation).toBe('c');
    expect(matchRoute('GET', '/api/runs/y', routes)?.route.operation).toBe('b');
    expect(matchRoute('GET', '/api/evals/x', routes)?.route.operation).toBe('a');
  });

  it.each([
    ['POST', '/api/gates/g-1'],
    ['GET', '/'],
    ['GET', '/api/gates/'],
    ['GET', '/api/gates/g-1/'],
    ['GET', '/api/gates/g-1/more'],
    ['GET', '/api//gates'],
  ])('%s %s is none', (method, path) => {
    expect(matchRoute(method, path)).toBeNull();
  });
});

describe('toHttpEvent', () => {
  function event(request: Partial<IncomingMessage>, body = '') {
    const whole = { method: 'POST', url: '/api/projects', headers: {}, httpVersion: '1.1', socket: {}, ...request };
    const matched = matchRoute('POST', '/api/projects');
    if (matched === null) throw new Error('no route');
    return toHttpEvent(whole as unknown as IncomingMessage, Buffer.from(body), matched, new Date(0));
  }

  it('has format 2.0, lower-case headers, cookies apart and repeated queries joined', () => {
    const headers = { 'x-webhook-secret': 's', cookie: 'a=1; b=2', 'set-cookie': ['x', 'y'] };
    expect(event({ url: '/api/projects?a=1&b=2&a=3', headers })).toMatchObject({
      version: '2.0',
      routeKey: 'POST /api/projects',
      rawPath: '/api/projects',
      rawQueryString: 'a=1&b=2&a=3',
      queryStringParameters: { a: '1,3', b: '2' },
      headers: { 'x-webhook-secret': 's', 'set-cookie': 'x,y' },
      cookies: ['a=1', 'b=2'],
      requestContext: { http: { method: 'POST', path: '/api/projects' }, stage: '$default' },
    });
    expect(event({ headers }).headers).not.toHaveProperty('cookie');
  });

  it('leaves out what is not there', () => {
    const plain = event({});
    for (const field of ['body', 'cookies', 'queryStringParameters', 'pathParameters'])
      expect(plain).not.toHaveProperty(field);
    expect(plain.isBase64Encoded).toBe(false);
  });

  it.each([
    ['application/json', false],
    ['application/json; charset=utf-8', false],
    ['application/problem+json', false],
    ['text/csv', false],
    [undefined, false],
    ['multipart/form-data; boundary=x', true],
    ['application/x-www-form-urlencoded', true],
    ['application/octet-stream', true],
  ])('a body of type %s is base64: %s', (type, isBase64Encoded) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const made = event({ headers }, 'bödy');
    expect(made.isBase64Encoded).toBe(isBase64Encoded);
    expect(Buffer.from(made.body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString()).toBe('bödy');
  });
});
