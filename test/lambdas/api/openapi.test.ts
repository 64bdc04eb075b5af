import { readFileSync } from 'node:fs';
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { renderOpenApi } from '../../../lambdas/api/contract/openapi-document.ts';
import { ROUTES } from '../../../lambdas/routes.ts';
import { aResult } from '../../contracts/samples.ts';
import { type Answer, csv, SECRET, TestApi } from './api.ts';

interface Described {
  readonly operationId: string;
  readonly security: readonly Record<string, unknown>[];
  readonly parameters?: readonly { name: string; in: string; schema: Schema }[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: Schema; example: unknown }> };
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: Schema }> }>>;
}
const file = new URL('../../../schemas/openapi.json', import.meta.url);
const document = JSON.parse(renderOpenApi());
const operations = Object.entries(document.paths as Record<string, Record<string, Described>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ method: method.toUpperCase(), path, ...described })),
);
type Drawn = (typeof operations)[number];

/** Calls an operation as its document says, on things that exist. */
async function call(api: TestApi, { method, path, ...described }: Drawn, ids: Readonly<Record<string, string>>) {
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[`${path} ${name}`] ?? ids[name] ?? name);
  const wantsSecret = described.security.some((way) => 'webhookSecret' in way);
  const proof: Record<string, string> = wantsSecret ? { 'x-webhook-secret': SECRET } : {};
  const [type, content] = Object.entries(described.requestBody?.content ?? {})[0] ?? [];
  if (type === 'multipart/form-data' && content !== undefined) {
    const { file, name } = content.example as { file: string; name: string };
    return api.upload('shop', { file: csv(file), name });
  }
  if (described.parameters?.some(({ name }) => name === 'signature')) {
    const { json } = await api.manage('GET', `/api/runs/${ids.other}`);
    const [link, query] = (path.endsWith('/junit') ? json.junit_url : json.report_url).split('?');
    return api.call(method, link, { query });
  }
  const body = described.operationId === 'promoteBaseline' ? { run_id: ids.other } : content?.example;
  const query = described.operationId === 'readRow' ? { query: 'row_id=row-0' } : {};
  return api.manage(method, target, body, { headers: proof, ...query });
}

function faultsOf(schema: Schema, value: unknown): OutputUnit[] {
  return new Validator({ ...schema, components: document.components }, '2020-12', false).validate(value).errors;
}

async function answerOf(drawn: Drawn): Promise<Answer> {
  const api = new TestApi();
  await api.seed();
  const { runId, gateId } = await api.startRun();
  api.reports.set(runId, { url: 'https://bucket.example/report.html' });
  api.reports.set(`${runId} junit.xml`, { url: 'https://bucket.example/junit.xml' });
  await api.rowIndex.put(runId, 'part-00000000.jsonl.gz', [aResult(0)]);
  if (drawn.operationId !== 'cancelRun') await api.finishRun(runId);
  const token = await api.manage('POST', '/api/tokens', { name: 'ci' });
  const upload = await api.manage('POST', '/api/datasets/project/shop/uploads', { name: 'faq.csv', size: 10 });
  api.datasets.putPart(upload.json.parts[0].url, Buffer.from('input\nHiHo'));
  return call(api, drawn, {
    project: 'shop',
    '/api/projects/{id} id': 'shop',
    '/api/projects/{id}/webhook-secret id': 'shop',
    '/api/projects/{id}/secrets id': 'shop',
    '/api/projects/{id}/calibrations id': 'shop',
    '/api/runs/{id} id': runId,
    '/api/runs/{id}/report id': runId,
    '/api/runs/{id}/junit id': runId,
    '/api/runs/{id}/decide id': runId,
    '/api/runs/{id}/compact id': runId,
    '/api/runs/{id}/compare/{other} id': runId,
    '/console/{file} file': 'app.js',
    '/api/runs/{id}/row id': runId,
    other: runId,
    '/api/datasets/runs/{id}/results id': runId,
    '/api/tokens/{id} id': token.json.id,
    id: 'shop.faq',
    gateRunId: gateId,
    uploadId: upload.json.upload_id,
  });
}

describe('openapi.json', () => {
  it('is what the schemas of today make of it (scripts/build-schemas.ts)', () => {
    expect(readFileSync(file, 'utf8')).toBe(renderOpenApi());
  });

  it('is served to all', async () => {
    const { status, json } = await new TestApi().call('GET', '/openapi.json');
    expect(status).toBe(200);
    expect(json).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  });

  it('tells every call of the API and who may make it', () => {
    const schemes = { none: [], link: [], management: ['token'], webhook: ['webhookSecret', 'webhookSignature'] };
    const told = operations.map(({ method, path, operationId, security }) => [
      `${method} ${path}`,
      operationId,
      security.map((way) => Object.keys(way)[0]),
    ]);
    expect(told.sort()).toEqual(
      ROUTES.map(({ method, path, operation, auth }) => [`${method} ${path}`, operation, schemes[auth]]).sort(),
    );
  });

  it('refers to nothing that it lacks', () => {
    const refs = JSON.stringify(document).match(/"#\/components\/schemas\/\w+"/g) ?? [];
    const known = Object.keys(document.components.schemas).map((id) => `"#/components/schemas/${id}"`);
    expect(refs.filter((ref) => !known.includes(ref))).toEqual([]);
    expect(JSON.stringify(document)).not.toMatch(/__shared|"\$id"/);
  });

  it.each(operations.filter(({ requestBody }) => requestBody !== undefined))(
    '$operationId has an example that fits its schema',
    ({ requestBody }) => {
      for (const { schema, example } of Object.values(requestBody?.content ?? {}))
        expect(faultsOf(schema, example)).toEqual([]);
    },
  );

  it.each(operations)('$method $path answers as told', async (drawn) => {
    const answer = await answerOf(drawn);
    const told = drawn.responses[answer.status];
    expect(told, `${answer.status} ${answer.text}`).toBeDefined();
    const schema = told?.content?.['application/json']?.schema;
    if (schema === undefined) return;
    expect(answer.headers['content-type']).toBe('application/json');
    expect(faultsOf(schema, answer.json)).toEqual([]);
  });

  it.each(operations.filter(({ security }) => security.length > 0))(
    '$method $path refuses strangers with the problem it tells of',
    async ({ method, path, responses }) => {
      const { status, json, headers } = await new TestApi().call(method, path.replaceAll(/[{}]/g, ''));
      expect(status).toBe(401);
      const schema = responses.default?.content?.['application/problem+json']?.schema as Schema;
      expect(headers['content-type']).toBe('application/problem+json');
      expect(faultsOf(schema, json)).toEqual([]);
    },
  );
});
