import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { KnowledgeBaseTarget } from '../../../src/adapters/aws/knowledge-base-target.ts';
import { KnowledgeBaseTargetSchema } from '../../../src/core/schemas/target-config.ts';
import { describeTargetContract } from '../../contracts/target.ts';
import { makeRow } from '../../fixtures/make-row.ts';
import { type Answering, JsonStub, type StubReply } from '../json-stub.ts';
import { askRow, exception, TargetBench } from './target-bench.ts';

const BASE = { type: 'knowledge-base' as const, knowledge_base_id: 'KB12345678', model: 'us.amazon.nova-lite-v1:0' };
type Config = Partial<z.input<typeof KnowledgeBaseTargetSchema>>;
const bench = TargetBench.use();

function build(answering: Answering, config: Config = {}): KnowledgeBaseTarget {
  const parsed = KnowledgeBaseTargetSchema.parse({ ...BASE, ...config });
  return bench.keep(new KnowledgeBaseTarget({ ...parsed, id: 'kb' }, bench.deps(answering)));
}
const reply = (body: object): StubReply => ({ status: 200, body: { sessionId: 's', ...body } });
const cites = (...contents: object[]) => ({ retrievedReferences: contents.map((content) => ({ content })) });

it('asks the knowledge base and its model with the input', async () => {
  await askRow(
    build(() => reply({ output: { text: 'ok' } }), { region: 'eu-west-1' }),
    { input: { q: 'How long?' } },
  );
  const [request] = bench.stub.requests;
  expect(request?.path).toBe('/retrieveAndGenerate');
  expect(request?.headers.authorization).toContain('/eu-west-1/bedrock/aws4_request');
  expect(request?.body).toEqual({
    input: { text: '{"q":"How long?"}' },
    retrieveAndGenerateConfiguration: {
      type: 'KNOWLEDGE_BASE',
      knowledgeBaseConfiguration: { knowledgeBaseId: 'KB12345678', modelArn: 'us.amazon.nova-lite-v1:0' },
    },
  });
});

describe('the answer', () => {
  it.each([
    {
      name: 'cited passages, each once, in order',
      citations: [cites({ text: 'b' }, { text: 'a' }), cites({ text: 'b' })],
      contexts: ['b', 'a'],
    },
    {
      name: 'a row of a table',
      citations: [cites({ type: 'ROW', row: [{ columnName: 'days', columnValue: '30' }] })],
      contexts: ['{"days":"30"}'],
    },
    {
      name: 'no image and no blank text',
      citations: [cites({ type: 'IMAGE', byteContent: 'aGk=' }, { text: ' ' })],
      contexts: [],
    },
    { name: 'none without citations', citations: [], contexts: [] },
    { name: 'none where they are missing', citations: undefined, contexts: [] },
  ])('has as contexts: $name', async ({ citations, contexts }) => {
    expect(await askRow(build(() => reply({ output: { text: '30 days.' }, citations })))).toEqual({
      status: 'answered',
      answer: { text: '30 days.', contexts },
      latencyMs: 0,
      attempts: 1,
      usage: null,
      cost: { status: 'not_metered' },
    });
  });

  it.each([
    { name: 'a guardrail', body: { output: { text: 'No.' }, guardrailAction: 'INTERVENED' }, cause: 'refused' },
    { name: 'a reply without output', body: {}, cause: 'path-not-found' },
  ])('is missing after $name: $cause', async ({ body, cause }) => {
    const answer = await askRow(build(() => reply({ citations: [cites({ text: 'p' })], ...body })));
    expect(answer).toMatchObject({ status: 'failed', cause, answer: { contexts: ['p'] } });
  });
});

describe('failures', () => {
  it('throttled, then answered', async () => {
    const target = build((_, number) =>
      number === 0 ? exception('ThrottlingException', 429) : reply({ output: { text: 'ok' } }),
    );
    expect(await askRow(target)).toMatchObject({ status: 'answered', attempts: 2 });
  });

  it.each([
    { failure: exception('AccessDeniedException', 403), cause: 'http-status', attempts: 1 },
    { failure: exception('DependencyFailedException', 424), cause: 'crashed', attempts: 1 },
    { failure: exception('BadGatewayException', 502), cause: 'http-status', attempts: 3 },
    { failure: exception('ValidationException', 400), cause: 'http-status', attempts: 1 },
    { failure: null, cause: 'connection', attempts: 3 },
  ])('$failure.body.message is a $cause failure after $attempts calls', async ({ failure, cause, attempts }) => {
    expect(await askRow(build(() => failure))).toMatchObject({ status: 'failed', cause, attempts });
  });

  it('is a timeout when it takes too long', async () => {
    expect(await askRow(build(() => 'hang', { timeout_s: 0.05 }))).toMatchObject({ cause: 'timeout', latencyMs: 50 });
  });
});

describeTargetContract('KnowledgeBaseTarget', async () => {
  const stub = new JsonStub(({ body }) =>
    body.input.text === 'fail' ? exception('ValidationException', 400) : reply({ output: { text: 'fine' } }),
  );
  const endpoint = await stub.listen();
  const aws = { endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
  const config = { ...KnowledgeBaseTargetSchema.parse(BASE), id: 'kb' };
  return {
    target: new KnowledgeBaseTarget(config, { ...bench.deps(() => null), aws }),
    answers: { row: makeRow({ id: 'good' }), text: 'fine' },
    failing: makeRow({ id: 'bad', input: 'fail' }),
    dispose: () => stub.close(),
  };
});
