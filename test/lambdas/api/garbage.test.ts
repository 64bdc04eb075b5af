import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ROUTES, routeKey } from '../../../lambdas/routes.ts';
import { evalNamed, SECRET, signed, TestApi, TOKEN } from './api.ts';

// The description of the API is told to all.
const KEYS = ROUTES.filter(({ auth }) => auth !== 'none').map(routeKey);
const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('..', '.', '__proto__', 'constructor', '%00', '\ud800', '{{secrets.X}}', 'a'.repeat(10_000)),
);
/** The right value mostly, so that what lies behind it is reached. */
const mostly = <T>(right: T, wrong: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: fc.constant(right), weight: 4 }, { arbitrary: wrong, weight: 1 });

/** A body that its operation takes, before one value of it is made something else. */
const RIGHT_BODIES: Readonly<Record<string, Record<string, fc.JsonValue>>> = {
  startGateRun: { evals: ['faq'], ref: 'main', sha: 'abc', triggered_by: 'ci' },
  startRun: { ref: 'main', sha: 'abc', triggered_by: 'ci' },
  createProject: { id: 'bank', name: 'Bank', default_pass_mark: 0.9, default_judge: { type: 'lexical' } },
  putProject: { name: 'Shop', default_judge: null },
  rotateWebhookSecret: { keep_previous: false },
  setEvalState: { active: true, quarantined: false },
  promoteBaseline: { run_id: 'r-01JD0000000000000000000009', force: true, note: 'x' },
  createToken: { name: 'ci', projects: ['shop'], access: 'read', expires_in_days: 3 },
  openUpload: { name: 'faq.csv', size: 9_000_000 },
  completeUpload: { columns: { expected: 'x' } },
  createEval: { ...evalNamed('other'), thresholds: {}, judge: { type: 'lexical' } },
  putEval: { ...evalNamed('faq'), thresholds: {}, judge: { type: 'lexical' } },
};
const form = fc
  .tuple(mostly('file', nasty), nasty, mostly('input\nHi\n', nasty))
  .map(
    ([field, name, text]) =>
      `--b\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\n\r\n${text}\r\n--b--\r\n`,
  );
const anyBody = fc.oneof(fc.constant(''), nasty, fc.json(), form);
const query = fc.oneof(
  nasty,
  fc.constantFrom(
    '',
    'limit=100',
    'cursor=e30',
    'cursor=WzEsIngiLCJ5Il0',
    'last=%ff',
    'failed_only=1&failed_only=2',
    'version=1',
  ),
);
const extraHeaders = fc.record(
  {
    'content-type': mostly('multipart/form-data; boundary=b', nasty),
    'idempotency-key': nasty,
    'x-github-delivery': nasty,
  },
  { requiredKeys: [] },
);

interface Draft {
  readonly route: (typeof ROUTES)[number];
  readonly proof: 'right' | 'signature' | 'none';
  readonly parameters: Record<string, string>;
  readonly id: string;
  readonly more: Record<string, string>;
  /** Absent: the right body, with one value changed where `change` is given. */
  readonly body: string | null;
  readonly form: string;
  readonly change: { readonly key: number; readonly value: fc.JsonValue } | null;
  readonly rest: object;
}
const draft: fc.Arbitrary<Draft> = fc.record({
  route: fc.constantFrom(...ROUTES),
  proof: mostly('right' as const, fc.constantFrom('signature' as const, 'none' as const)),
  parameters: fc.record({ project: mostly('shop', nasty), uploadId: mostly(`faq.csv.${'0'.repeat(32)}`, nasty) }),
  id: mostly('', nasty),
  more: extraHeaders as fc.Arbitrary<Record<string, string>>,
  body: mostly<string | null>(null, anyBody),
  form,
  change: fc.option(fc.record({ key: fc.nat(12), value: fc.jsonValue() })),
  rest: fc.record({ rawQueryString: query, isBase64Encoded: mostly(false, fc.constant(true)) }, { requiredKeys: [] }),
});

function proofOf({ route, proof }: Draft): Record<string, string> {
  if (proof === 'none') return {};
  if (proof === 'signature') return signed('');
  return route.auth !== 'management' ? { 'x-webhook-secret': SECRET } : { authorization: `Bearer ${TOKEN}` };
}

function bodyOf({ route, body, form, change }: Draft): string | null {
  if (body !== null) return body;
  if (route.operation === 'putDataset') return form;
  const right = RIGHT_BODIES[route.operation];
  if (right === undefined) return null;
  const key = change === null ? undefined : Object.keys(right)[change.key];
  return JSON.stringify(key === undefined ? right : { ...right, [key]: change?.value });
}

function rightId(path: string, { runId }: { runId: string }): string {
  if (path.includes('/runs/')) return runId;
  return path.startsWith('/api/projects') ? 'shop' : 'shop.faq';
}

describe('whatever comes in', () => {
  it('is answered, and never with a failure of ours', async () => {
    const reached = new Set<string>();
    await fc.assert(
      fc.asyncProperty(draft, async (drawn) => {
        const { route, parameters, id, more, rest } = drawn;
        const body = bodyOf(drawn);
        const api = new TestApi();
        await api.seed();
        const run = await api.startRun();
        const pathParameters = { ...parameters, id: id || rightId(route.path, run), gateRunId: id || run.gateId };
        const headers = { ...more, ...proofOf(drawn) };
        const {
          status,
          text,
          headers: answered,
        } = await api.send({ routeKey: routeKey(route), headers, pathParameters, body, ...rest });
        expect(status === 501 || status < 500, `${status} ${text}`).toBe(true);
        // The console's pages are the only answers that are no JSON.
        if (text !== '' && (!route.path.startsWith('/console') || status >= 400)) JSON.parse(text);
        else if (text !== '') expect(answered['content-type']).toMatch(/^text\//);
        if (status < 300) reached.add(route.operation);
      }),
      { numRuns: 2_000, seed: 7 },
    );
    // The garbage gets far enough to be worth something.
    expect([...reached]).toEqual(
      expect.arrayContaining([
        'startGateRun',
        'readGate',
        'createProject',
        'putEval',
        'putDataset',
        'openUpload',
        'listResults',
        'startRun',
      ]),
    );
  });

  it('is answered when it is no request at all', async () => {
    const api = new TestApi();
    const anything = fc.anything();
    const request = fc.record({
      routeKey: fc.constantFrom(...KEYS),
      headers: anything,
      pathParameters: anything,
      body: anything,
      requestContext: anything,
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, request), async (event) => {
        expect([400, 401, 404]).toContain((await api.send(event)).status);
      }),
      { numRuns: 500 },
    );
  });
});
