import { describe, expect, it } from 'vitest';
import { TestApi } from './api.ts';

const TARGET = {
  type: 'http',
  url: 'https://api.example.com/answer',
  method: 'POST',
  headers: { Authorization: 'Bearer {{secrets.SUPPORT_API_KEY}}' },
  body_template: { question: '{{input}}' },
  response_path: 'answer',
};
const CONFIG = {
  dataset_id: 'faq',
  target: TARGET,
  metrics: ['correctness', 'relevance', 'safety', 'rubric', 'latency'],
  rubric: 'Answers cite the policy.',
  latency_budget_ms: 3000,
  sample_size: 40,
  threshold: 0.8,
};
/** The body of Plainwright's reference, its placeholders filled in. */
const TEST = {
  module_id: 'm-1',
  name: 'Support bot answers',
  kind: 'eval',
  natural_language: 'The assistant answers the FAQ.',
  config: CONFIG,
};

async function post(test: unknown) {
  const api = new TestApi();
  await api.seed([]);
  return { api, answer: await api.manage('POST', '/api/evals/project/shop', test) };
}

describe("a test of Plainwright's", () => {
  it('is stored as an eval', async () => {
    const { api, answer } = await post(TEST);
    expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('support-bot-answers')]);
    expect(answer.json.config).toMatchObject({
      name: 'support-bot-answers',
      type: 'metrics',
      description: 'The assistant answers the FAQ.',
      dataset: 'faq',
      targets: [{ url: TARGET.url, headers: TARGET.headers, response_path: 'answer' }],
      metrics: CONFIG.metrics,
      latency_budget_ms: 3000,
      sample_size: 40,
      thresholds: { min_score: 0.8 },
      metadata: { module: 'm-1' },
      active: true,
    });
    expect(answer.json.warnings).toEqual([expect.stringMatching(/sample/)]);
    expect((await api.manage('GET', '/api/evals/shop.support-bot-answers')).json.config).toEqual(answer.json.config);
  });

  it.each([
    ['its dataset by project and name', { dataset_id: 'shop.faq' }, { dataset: 'faq' }],
    ['a threshold in percent', { threshold: 85 }, { thresholds: { min_score: 0.85 } }],
  ])('may give %s', async (_, config, stored) => {
    const { answer } = await post({ ...TEST, config: { ...CONFIG, ...config } });
    expect(answer.status).toBe(201);
    expect(answer.json.config).toMatchObject(stored);
  });

  it('is told of metrics that are not known', async () => {
    const { answer } = await post({ ...TEST, config: { ...CONFIG, metrics: [...CONFIG.metrics, 'corectness'] } });
    expect(answer.json.warnings).toContainEqual(expect.stringMatching(/corectness.*did you mean/));
  });

  it.each([
    ['another kind', { kind: 'e2e' }, {}, 'kind'],
    ['no dataset', {}, { dataset_id: undefined }, 'config.dataset_id'],
    ['a dataset that is not there', {}, { dataset_id: 'other' }, 'config.dataset_id'],
    ['a threshold that nobody can read', {}, { threshold: 1.5 }, 'config.threshold'],
    ['a password in its URL', {}, { target: { ...TARGET, url: 'https://u:hunter2@x.example/' } }, 'config.target.url'],
    ['no target', {}, { target: undefined }, 'config.target'],
  ])('is refused with %s', async (_, test, config, field) => {
    const { answer } = await post({ ...TEST, ...test, config: { ...CONFIG, ...config } });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(`"${field}"`);
    expect(answer.text).not.toContain('hunter2');
  });

  it('is not made twice', async () => {
    const { api } = await post(TEST);
    expect((await api.manage('POST', '/api/evals/project/shop', TEST)).status).toBe(409);
  });
});
