import { describe, expect, it } from 'vitest';
import { ApiClient } from '../../src/console/api/client.ts';
import { failureOf, isPassing, toFailure } from '../../src/console/api/failure.ts';

function clientThat(answer: (url: string, init: RequestInit) => Response | Promise<Response>) {
  const sent: { url: string; init: RequestInit }[] = [];
  const send = async (url: string | URL | Request, init: RequestInit = {}) => {
    sent.push({ url: String(url), init });
    return answer(String(url), init);
  };
  return { sent, client: new ApiClient({ base: 'https://api.example', token: 't0ken', fetch: send as typeof fetch }) };
}
const failureFrom = (call: Promise<unknown>) => call.then(() => null, toFailure);

describe('the client', () => {
  it('sends the token in a header alone, follows no redirect, keeps nothing', async () => {
    const { client, sent } = clientThat(() => Response.json({ items: [] }));
    await client.evals('shop', 12);
    expect(sent[0]?.url).toBe('https://api.example/api/evals/project/shop?runs=12');
    expect(sent[0]?.init).toMatchObject({
      method: 'GET',
      headers: { authorization: 'Bearer t0ken' },
      redirect: 'error',
      credentials: 'omit',
      cache: 'no-store',
    });
  });

  it('keeps ids of any kind within one segment of the path', async () => {
    const { client, sent } = clientThat(() => Response.json({}));
    await client.run('../../x?y#z');
    await client.compare('a/b', '%2e%2e');
    expect(sent.map(({ url }) => url)).toEqual([
      'https://api.example/api/runs/..%2F..%2Fx%3Fy%23z',
      'https://api.example/api/runs/a%2Fb/compare/%252e%252e',
    ]);
  });

  it('asks for a row by any id', async () => {
    const { client, sent } = clientThat(() => Response.json({ items: [] }));
    await client.row('r-1', { rowId: 'a&b=ä 1', index: 0 });
    expect(new URL(sent[0]?.url ?? '').searchParams.get('row_id')).toBe('a&b=ä 1');
    expect(new URL(sent[0]?.url ?? '').searchParams.get('index')).toBe('0');
  });

  it('starts a run under the key that it is given', async () => {
    const { client, sent } = clientThat(() => Response.json({ runs: [] }));
    await client.startRun('shop.faq', { ref: 'main' }, 'key-1');
    expect(sent[0]?.init).toMatchObject({ method: 'POST', headers: { 'idempotency-key': 'key-1' } });
    expect(JSON.parse(String(sent[0]?.init.body))).toEqual({ ref: 'main', triggered_by: 'console' });
  });

  it.each([
    { name: 'no answer', answer: () => Promise.reject(new TypeError('Failed to fetch')), kind: 'offline' },
    { name: 'a page of somebody else', answer: () => new Response('<html>'), kind: 'broken' },
    {
      name: 'a gateway that gave up',
      answer: () => Response.json({ message: 'Service Unavailable' }, { status: 503 }),
      kind: 'unavailable',
    },
  ])('tells $name as $kind', async ({ answer, kind }) => {
    expect((await failureFrom(clientThat(answer).client.projects()))?.kind).toBe(kind);
  });

  it('tells a call that was given up as such', async () => {
    const abort = new AbortController();
    const { client } = clientThat(() => {
      abort.abort();
      throw new DOMException('aborted', 'AbortError');
    });
    await expect(client.projects(abort.signal)).rejects.toThrow('aborted');
  });
});

describe('a failure', () => {
  it.each([
    { status: 400, kind: 'refused' },
    { status: 401, kind: 'signed-out' },
    { status: 403, kind: 'forbidden' },
    { status: 404, kind: 'missing' },
    { status: 409, kind: 'refused' },
    { status: 413, kind: 'refused' },
    { status: 422, kind: 'refused' },
    { status: 429, kind: 'unavailable' },
    { status: 500, kind: 'broken' },
    { status: 502, kind: 'unavailable' },
    { status: 503, kind: 'unavailable' },
    { status: 504, kind: 'unavailable' },
  ])('of status $status is $kind', ({ status, kind }) => {
    expect(failureOf(status, '').kind).toBe(kind);
  });

  it('is told by the title and detail of the problem, with its faults', () => {
    const problem = {
      title: 'Unprocessable Entity',
      detail: 'field dataset: there is none',
      code: 'invalid-config',
      faults: [
        { field: 'dataset', message: 'there is none', fix: 'push it' },
        { message: 'odd' },
        { field: 'x' },
        null,
        'y',
      ],
    };
    const failure = failureOf(422, JSON.stringify(problem));
    expect(failure).toMatchObject({ title: problem.title, message: problem.detail, code: 'invalid-config' });
    expect(failure.faults).toEqual([
      { field: 'dataset', message: 'there is none', fix: 'push it' },
      { field: null, message: 'odd', fix: null },
    ]);
  });

  it.each(['', 'not json', 'null', '[]', '"text"', '{"title":7,"detail":"  ","faults":"none"}'])(
    'has words of its own when the body is %j',
    (body) => {
      const failure = failureOf(404, body);
      expect([failure.title, failure.message, failure.faults]).toEqual(['Not found', 'the server answered 404', []]);
    },
  );

  it('passes by itself when it is of the network or the service', () => {
    expect([503, 429, 404, 500, 401].map((status) => isPassing(failureOf(status, '')))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
