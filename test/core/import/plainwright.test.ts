import { describe, expect, it } from 'vitest';
import { parseEval } from '../../../src/core/config/parse-eval.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import { importPlainwright, isPlainwrightTest } from '../../../src/core/import/plainwright-test.ts';
import type { JsonObject, JsonValue } from '../../../src/core/json.ts';

const test = (config: JsonObject = {}, extra: JsonObject = {}): JsonObject => ({
  module_id: 'm-7',
  name: 'Support bot answers',
  kind: 'eval',
  natural_language: 'Answers the FAQ.',
  config: {
    dataset_id: 'd-1',
    target: { type: 'http', url: 'https://api.example.com/answer', body_template: { question: '{{input}}' } },
    ...config,
  },
  ...extra,
});
const load = (value: JsonObject) => importPlainwright(value, { dataset: '/data/faq.csv' });
const messages = (value: JsonObject, dataset: string | undefined = '/data/faq.csv') => {
  try {
    importPlainwright(value, { dataset });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map((fault) => fault.message);
    throw error;
  }
};

describe('a test of Plainwright', () => {
  it('is an eval of type metrics under its own rules', () => {
    const { value, warnings } = load(
      test({
        metrics: ['correctness', 'safety', 'rubric', 'latency'],
        rubric: 'Short.',
        latency_budget_ms: 3000,
        threshold: 0.8,
      }),
    );
    expect(warnings).toEqual([]);
    expect(parseEval(value)).toMatchObject({
      name: 'support-bot-answers',
      type: 'metrics',
      description: 'Answers the FAQ.',
      dataset: '/data/faq.csv',
      metrics: ['correctness', 'safety', 'rubric', 'latency'],
      rubric: 'Short.',
      latency_budget_ms: 3000,
      time_budget_s: 270,
      thresholds: { min_score: 0.8 },
      metadata: { module: 'm-7' },
      targets: [{ type: 'http', retries: 0, body_template: { question: '{{input}}' } }],
    });
  });

  it('has the documented defaults', () => {
    const config = parseEval(load(test()).value);
    expect([config.metrics, config.thresholds, config.concurrency]).toEqual([['correctness', 'relevance'], {}, 4]);
  });

  it.each<{ threshold: JsonValue; mark: number }>([
    { threshold: 0.85, mark: 0.85 },
    { threshold: 85, mark: 0.85 },
    { threshold: 1, mark: 1 },
    { threshold: 100, mark: 1 },
    { threshold: 2, mark: 0.02 },
    { threshold: 0, mark: 0 },
  ])('threshold $threshold is $mark', ({ threshold, mark }) => {
    expect(load(test({ threshold })).value.thresholds).toEqual({ min_score: mark });
  });

  it.each<[JsonValue]>([[1.5], [1.0001], [100.5], [850], [-0.1], ['0.85'], [true], [[]]])(
    'refuses the threshold %j',
    (threshold) => {
      expect(messages(test({ threshold }))[0]).toMatch(/threshold/);
    },
  );

  it('ignores unknown metric names and says so', () => {
    const { value, warnings } = load(test({ metrics: ['correctness', 'corectness', 'tone'] }));
    expect(value.metrics).toEqual(['correctness']);
    expect(warnings).toEqual([
      expect.stringMatching(/"corectness".*did you mean "correctness"/),
      expect.stringMatching(/"tone" is not known and was ignored/),
    ]);
  });

  it('refuses a list of which nothing is left', () => {
    expect(messages(test({ metrics: ['tone'] }))[0]).toMatch(/no known metric is left/);
  });

  it('warns when the sample may be another one', () => {
    expect(load(test({ sample_size: 40 })).warnings[0]).toMatch(/sample/);
    expect(load(test({ sample_size: 40 }, { id: 't-1' }))).toMatchObject({
      value: { sample_seed: 't-1' },
      warnings: [],
    });
    expect(load(test({ sample_size: 40, sample_seed: 's' })).warnings).toEqual([]);
  });

  it('names the flag for a dataset that Plainwright keeps', () => {
    expect(() => importPlainwright(test(), {})).toThrow(/"d-1" is kept by Plainwright.*--dataset/);
  });

  it.each([
    { name: 'another kind', value: test({}, { kind: 'conversation' }), message: /kind "conversation"/ },
    { name: 'no target', value: test({ target: null }), message: /"target" is missing/ },
    { name: 'a name of signs only', value: test({}, { name: '!?' }), message: /name/ },
  ])('refuses $name', ({ value, message }) => {
    expect(messages(value)[0]).toMatch(message);
  });

  it('is told apart from an eval of ours', () => {
    expect(isPlainwrightTest(test())).toBe(true);
    expect(isPlainwrightTest({ name: 'a', type: 'qa', dataset: 'a.csv', config: {} })).toBe(false);
    expect(isPlainwrightTest([])).toBe(false);
  });
});
