import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRequest } from '../../../lambdas/shared/http-request.ts';
import { basePathOf, httpEventOf } from '../../../lambdas/shared/rest-event.ts';
import { type RestCall, restEvent } from './rest-events.ts';

describe('a request through a REST API', () => {
  it('has the route of the table, whatever the stage is called', () => {
    expect(readRequest(restEvent('GET', '/api/projects/shop')).routeKey).toBe('GET /api/projects/{id}');
    expect(readRequest(restEvent('GET', '/api/projects/shop', { stage: 'api' })).routeKey).toBe(
      'GET /api/projects/{id}',
    );
  });

  it('has its parameters decoded once', () => {
    expect(readRequest(restEvent('GET', '/api/evals/shop%2Efaq')).parameters).toEqual({ id: 'shop.faq' });
    expect(readRequest(restEvent('GET', '/api/evals/shop%252Efaq')).parameters).toEqual({ id: 'shop%2Efaq' });
    expect(readRequest(restEvent('GET', '/api/evals/%zz')).parameters).toEqual({ id: '%zz' });
  });

  it.each<{ name: string; headers: NonNullable<RestCall['headers']>; value: string }>([
    { name: 'as it was written', headers: { Authorization: 'Bearer x' }, value: 'Bearer x' },
    { name: 'in lower case', headers: { authorization: 'Bearer x' }, value: 'Bearer x' },
    {
      name: 'in two spellings',
      headers: { Authorization: 'Bearer x', authorization: 'Bearer y' },
      value: 'Bearer x,Bearer y',
    },
    { name: 'twice', headers: { Authorization: ['Bearer x', 'Bearer y'] }, value: 'Bearer x,Bearer y' },
  ])('finds a header $name', ({ headers, value }) => {
    expect(readRequest(restEvent('GET', '/api/projects', { headers })).header('authorization')).toBe(value);
  });

  it('reads single headers where the gateway gives no lists', () => {
    const event = { ...restEvent('GET', '/api/projects', { headers: { 'X-One': 'a' } }), multiValueHeaders: null };
    expect(readRequest(event).header('x-one')).toBe('a');
  });

  it.each([
    { query: 'limit=5&failed_only=true', limit: '5', all: ['5'] },
    { query: 'limit=5&limit=6', limit: '5', all: ['5', '6'] },
    { query: 'limit=', limit: '', all: [''] },
    { query: 'limit=a%26b%3Dc%20%2B', limit: 'a&b=c +', all: ['a&b=c +'] },
    { query: '', limit: null, all: [] },
  ])('has the query $query', ({ query, limit, all }) => {
    const request = readRequest(restEvent('GET', '/api/projects', { query }));
    expect(request.query.get('limit')).toBe(limit);
    expect(request.query.getAll('limit')).toEqual(all);
  });

  it('has the very bytes of its body', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect(new Uint8Array(readRequest(restEvent('POST', '/api/projects', { body: bytes })).body)).toEqual(bytes);
    expect(readRequest(restEvent('POST', '/api/projects', { body: '{"ä":1}' })).body.toString('utf8')).toBe('{"ä":1}');
    expect(readRequest(restEvent('POST', '/api/projects')).body).toHaveLength(0);
    const text = { ...restEvent('POST', '/api/projects'), body: '{"ä":1}', isBase64Encoded: false };
    expect(readRequest(text).body.toString('utf8')).toBe('{"ä":1}');
  });

  it('is signed by IAM where the gateway names who signed it, and nowhere else', () => {
    const userArn = 'arn:aws:iam::111122223333:user/ci';
    expect(readRequest(restEvent('GET', '/api/projects', { userArn }))).toMatchObject({
      signedByIam: true,
      iamUser: userArn,
    });
    for (const event of [
      restEvent('GET', '/api/projects'),
      restEvent('GET', '/api/projects', { userArn: '' }),
      restEvent('GET', '/api/projects', { headers: { 'X-User-Arn': userArn, Authorization: 'AWS4-HMAC-SHA256 …' } }),
      { ...restEvent('GET', '/api/projects'), requestContext: { identity: { userArn: 7 } } },
      { ...restEvent('GET', '/api/projects'), requestContext: { authorizer: { iam: { userArn } } } },
      { ...restEvent('GET', '/api/projects'), requestContext: null },
    ]) {
      expect(readRequest(event)).toMatchObject({ signedByIam: false, iamUser: null });
    }
  });

  it('is never mistaken for one of format 2.0', () => {
    expect(httpEventOf({ ...restEvent('GET', '/api/projects'), routeKey: 'GET /api/runs/{id}' })).toBeNull();
    for (const event of [null, undefined, 1, 'GET', [], {}, { resource: '/api/projects' }, { httpMethod: 'GET' }]) {
      expect(httpEventOf(event)).toBeNull();
      expect(basePathOf(event)).toBe('');
    }
  });

  it('is a request or none, whatever is in it', () => {
    const fields = fc.record(
      Object.fromEntries(Object.keys(restEvent('GET', '/api/projects')).map((name) => [name, fc.jsonValue()])),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fields, (changes) => {
        const event = { ...restEvent('GET', '/api/projects'), ...changes };
        basePathOf(event);
        try {
          return readRequest(event).parameters !== undefined;
        } catch (error) {
          return error instanceof Error && error.name === 'HttpProblem';
        }
      }),
    );
  });
});

describe('what stands before a path', () => {
  it.each([
    { name: 'the stage', resource: '/api/evals/{id}', path: '/prod/api/evals/shop.faq', base: '/prod' },
    { name: 'nothing, at a domain of its own', resource: '/api/evals/{id}', path: '/api/evals/shop.faq', base: '' },
    { name: 'a base path of such a domain', resource: '/console', path: '/llm/assay/console', base: '/llm/assay' },
    { name: 'nothing that is known', resource: '/api/evals/{id}', path: '/x', base: '' },
  ])('is $name', ({ resource, path, base }) => {
    expect(basePathOf({ ...restEvent('GET', '/api/projects'), resource, requestContext: { path } })).toBe(base);
  });

  it('is nothing in an HTTP API', () => {
    expect(basePathOf({ routeKey: 'GET /api/projects', rawPath: '/api/projects' })).toBe('');
  });
});
