import fc from 'fast-check';
import { SECRET, signed } from '../api.ts';
import { type Described, type JsonSchema, OPERATIONS, operationOf, type Parameter } from './described.ts';
import { garbageBody, hostileText, nearlyJson } from './hostile.ts';
import { valuesOf } from './schema-values.ts';
import { type Ids, signedQuery, type World } from './world.ts';

/** Whose thing an id names; text stands for itself. */
type Named = { readonly of: 'shop' | 'bank' | 'nobody' } | { readonly text: string };
type Proof = 'owner' | 'writer' | 'reader' | 'webhook' | 'signed' | 'none' | 'wrong';

/** One call before it is known what ids its world has. */
export interface Draft {
  /** Its id: a case that fails is printed. */
  readonly operation: string;
  readonly proof: Proof;
  readonly wrongProof: string;
  readonly names: readonly Named[];
  /** Null: of each parameter the right one or none. */
  readonly query: string | null;
  readonly values: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly type: string | null;
  readonly flipBase64: boolean;
}

const mostly = <T>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<T>, weight = 5) =>
  fc.oneof({ arbitrary: right, weight }, { arbitrary: wrong, weight: 1 });

export interface DraftLimits {
  readonly operations?: readonly Described[];
  readonly proofs?: fc.Arbitrary<Proof>;
  /** Whose ids are asked for. */
  readonly names?: fc.Arbitrary<Named>;
}

/** Calls of every operation of the document: right ones, nearly right ones and garbage. */
export function drafts({ operations = OPERATIONS, proofs, names }: DraftLimits = {}): fc.Arbitrary<Draft> {
  return fc.constantFrom(...operations).chain((operation) => draftsOf(operation, proofs, names));
}

const anyName: fc.Arbitrary<Named> = fc.oneof(
  { arbitrary: fc.constant<Named>({ of: 'shop' }), weight: 6 },
  { arbitrary: fc.constantFrom<Named>({ of: 'bank' }, { of: 'nobody' }), weight: 1 },
  { arbitrary: hostileText.map((text): Named => ({ text })), weight: 1 },
);
const anyProof: fc.Arbitrary<Proof> = mostly(
  fc.constantFrom<Proof>('owner', 'writer', 'owner', 'webhook', 'signed'),
  fc.constantFrom<Proof>('reader', 'none', 'wrong'),
);

function draftsOf(operation: Described, proofs = anyProof, names: fc.Arbitrary<Named> = anyName): fc.Arbitrary<Draft> {
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  return fc.record({
    operation: fc.constant(operation.operationId),
    proof: proofs,
    wrongProof: fc.oneof(
      hostileText,
      hostileText.map((text) => `Bearer ${text}`),
    ),
    names: fc.tuple(...inPath.map(() => names)),
    query: mostly(fc.constant(null), hostileText),
    values: queryValues(operation.parameters.filter((parameter) => parameter.in === 'query')),
    headers: mostly(fc.constant({}), extraHeaders, 2),
    body: bodiesOf(operation),
    type: mostly(fc.constant(null), fc.oneof(hostileText, fc.constantFrom(...TYPES))),
    flipBase64: mostly(fc.constant(false), fc.constant(true), 12),
  });
}

const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  `multipart/form-data; boundary=${'b'.repeat(5_000)}`,
  'multipart/form-data; boundary="a\r\nb"',
  'application/x-www-form-urlencoded',
];
const extraHeaders: fc.Arbitrary<Record<string, string>> = fc.dictionary(
  fc.constantFrom(
    'idempotency-key',
    'x-github-delivery',
    'x-assay-delivery',
    'x-assay-timestamp',
    'x-assay-signature',
    'x-webhook-secret',
    'host',
    'x-forwarded-host',
    'accept',
    'content-encoding',
    'content-length',
    '__proto__',
  ),
  hostileText,
  { maxKeys: 3 },
);

function queryValues(parameters: readonly Parameter[]): fc.Arbitrary<Record<string, string>> {
  const value = ({ schema }: Parameter) => mostly(valuesOf(schema).map(String), hostileText, 3);
  const values = Object.fromEntries(parameters.map((parameter) => [parameter.name, value(parameter)]));
  return fc.record(values, { requiredKeys: [] }) as fc.Arbitrary<Record<string, string>>;
}

const bodies = new Map<string, fc.Arbitrary<string | Uint8Array | null>>();

function bodiesOf({ operationId, requestBody }: Described): fc.Arbitrary<string | Uint8Array | null> {
  const known = bodies.get(operationId);
  if (known !== undefined) return known;
  const made = makeBodies(requestBody);
  bodies.set(operationId, made);
  return made;
}

function makeBodies(requestBody: Described['requestBody']): fc.Arbitrary<string | Uint8Array | null> {
  const nothing = fc.constant(null);
  const [type, told] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (told === undefined) return mostly<string | Uint8Array | null>(nothing, garbageBody, 8);
  if (type === 'multipart/form-data') return mostly<string | Uint8Array | null>(forms, garbageBody);
  const examples = fc.constant(told.example);
  const values = valuesOf(told.schema as JsonSchema);
  return fc.oneof(
    { arbitrary: examples.map((example) => JSON.stringify(example)), weight: 3 },
    { arbitrary: values.map((value) => JSON.stringify(value)), weight: 3 },
    { arbitrary: nearlyJson(fc.oneof(examples, values)), weight: 5 },
    { arbitrary: garbageBody, weight: 2 },
    { arbitrary: nothing, weight: 1 },
  );
}

const forms: fc.Arbitrary<string> = fc
  .tuple(
    mostly(fc.constant('file'), hostileText),
    mostly(fc.constant('faq.csv'), hostileText),
    mostly(fc.constantFrom('input,expected\nHi,Hello\n', '{"input":"x"}\n', '[{"input":1}]'), hostileText, 3),
    mostly(fc.constant('faq'), hostileText),
    mostly(fc.constant('{}'), hostileText),
  )
  .map(([field, fileName, text, name, columns]) => {
    const part = (head: string, value: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    return `${part(`name="${field}"; filename="${fileName}"`, text)}${part('name="name"', name)}${part('name="columns"', columns)}--b--\r\n`;
  });

const EXAMPLE_RUN = 'r-01JD0000000000000000000001';

export interface FuzzRequest {
  readonly event: object;
  /** Everything that was sent, as one text: an answer may say it again. */
  readonly sent: string;
}

/** The call as API Gateway hands it on. */
export function requestOf(draft: Draft, world: World, bank: Ids): FuzzRequest {
  const { proof, body, flipBase64 } = draft;
  const operation = operationOf(draft.operation);
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const parameters = Object.fromEntries(
    inPath.map(({ name }, at) => [name, idOf(operation, name, draft.names[at] ?? { of: 'shop' }, world, bank)]),
  );
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  // The example of the document names a run; here it is one that exists.
  const named = typeof body === 'string' ? body.replaceAll(EXAMPLE_RUN, world.shop.finished) : body;
  const bytes = named === null ? Buffer.alloc(0) : Buffer.from(named as string);
  const isBytes = typeof body === 'object' && body !== null;
  const isForm = operation.requestBody?.content['multipart/form-data'] !== undefined;
  const headers = {
    ...(isForm ? { 'content-type': 'multipart/form-data; boundary=b' } : {}),
    ...(draft.type === null ? {} : { 'content-type': draft.type }),
    ...draft.headers,
    ...proofOf(proof, draft, world, bytes.toString('utf8')),
  };
  const rawQueryString = draft.query ?? queryOf(draft, path, world);
  const event = {
    version: '2.0',
    routeKey: `${operation.method} ${operation.path}`,
    rawQueryString,
    headers,
    pathParameters: parameters,
    body: body === null ? undefined : isBytes !== flipBase64 ? bytes.toString('base64') : bytes.toString('utf8'),
    isBase64Encoded: isBytes || flipBase64,
  };
  const sent = [path, rawQueryString, decoded(rawQueryString), ...Object.values(headers), bytes.toString('utf8')];
  return { event, sent: sent.join('\n') };
}

function decoded(query: string): string {
  return [...new URLSearchParams(query)].flat().join('\n');
}

function queryOf({ operation, values }: Draft, path: string, { shop }: World): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (name === 'signature' || name === 'expires') continue;
    given.set(name, name === 'cursor' && value.length < 3 ? shop.cursor : value);
  }
  // Mostly a right link: its hostile ones have a test of their own.
  const isLink = operationOf(operation).parameters.some(({ name }) => name === 'signature');
  return isLink && (values.signature ?? '').length < 8 ? signedQuery(path) : given.toString();
}

function proofOf(proof: Proof, draft: Draft, { tokens }: World, body: string): Record<string, string> {
  const byWebhook = operationOf(draft.operation).security.some((way) => 'webhookSecret' in way);
  if (proof === 'none') return {};
  if (proof === 'wrong')
    return byWebhook ? { 'x-webhook-secret': draft.wrongProof } : { authorization: draft.wrongProof };
  if (byWebhook) return proof === 'signed' ? signed(body) : { 'x-webhook-secret': SECRET };
  const token = proof === 'webhook' || proof === 'signed' ? tokens.writer : tokens[proof];
  return { authorization: `Bearer ${token}` };
}

const NOBODY: Ids = {
  project: 'nope',
  qualified: 'nope.faq',
  finished: 'r-01JD0000000000000000000009',
  pending: 'r-01JD0000000000000000000009',
  gate: 'g-01JD0000000000000000000009',
  upload: `faq.csv.${'0'.repeat(32)}`,
  token: 'aaaaaaaaaaaaaaaa',
  cursor: '',
};

function idOf({ path, operationId }: Described, name: string, named: Named, { shop }: World, bank: Ids): string {
  if ('text' in named) return named.text;
  const ids = { shop, bank, nobody: NOBODY }[named.of];
  if (name === 'project') return ids.project;
  if (name === 'gateRunId') return ids.gate;
  if (name === 'uploadId') return ids.upload;
  if (path.startsWith('/api/tokens')) return ids.token;
  if (path.startsWith('/api/projects')) return ids.project;
  if (operationId === 'cancelRun') return ids.pending;
  if (/\/(runs|links)\/\{id\}/.test(path) || name === 'other') return ids.finished;
  return ids.qualified;
}
