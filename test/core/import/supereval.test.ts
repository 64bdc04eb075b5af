import { describe, expect, it } from 'vitest';
import { parseEval } from '../../../src/core/config/parse-eval.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import { readSuperevalBaseline, SuperevalOutcomes, superevalKey } from '../../../src/core/import/supereval-baseline.ts';
import { importSupereval, type SuperevalFolder } from '../../../src/core/import/supereval-dataset.ts';
import { superevalPrompt } from '../../../src/core/import/supereval-prompts.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { RowSchema } from '../../../src/core/schemas/row.ts';

const MODEL = 'us.amazon.nova-lite-v1:0';
const folder = (meta: JsonObject, extra: Partial<SuperevalFolder> = {}) =>
  importSupereval({ meta, name: 'folder', parent: 'datasets', firstCase: null, models: [MODEL], ...extra });
const faults = (meta: JsonObject, extra: Partial<SuperevalFolder> = {}) => {
  try {
    folder(meta, extra);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map((fault) => `${fault.field ?? ''}: ${fault.message}`);
    throw error;
  }
};

describe('dataset.json', () => {
  it.each<{ type: string; meta: JsonObject; extra: Partial<SuperevalFolder> }>([
    { type: 'qa', meta: { type: 'qa' }, extra: {} },
    { type: 'classification', meta: { type: 'classification', labels: ['a', 'b'] }, extra: {} },
    { type: 'instruction', meta: { type: 'instruction' }, extra: {} },
    { type: 'rag', meta: {}, extra: { parent: 'rag' } },
    { type: 'rag', meta: {}, extra: { firstCase: { input: { query: 'q', retrieved_contexts: [] } } } },
    { type: 'agent', meta: {}, extra: { parent: 'agents' } },
    { type: 'agent', meta: {}, extra: { firstCase: { input: { task: 't' } } } },
  ])('becomes an eval of type $type that parses', ({ type, meta, extra }) => {
    const { value, warnings } = folder({ id: 'ds_1', name: 'support-qa', author: 'x', created_at: '', ...meta }, extra);
    expect(warnings).toEqual([]);
    const config = parseEval(value);
    expect(config).toMatchObject({ type, name: 'support-qa', dataset: './cases.jsonl' });
    expect(config.targets).toMatchObject([{ type: 'bedrock', model: MODEL, id: 'bedrock' }]);
  });

  it('takes thresholds over, nulls as not set', () => {
    const thresholds = { pass_rate: 0.9, fail_on_regression: true, max_score_drop: null, max_cost_usd: 1 };
    expect(folder({ type: 'qa', thresholds }).value.thresholds).toEqual({
      pass_rate: 0.9,
      fail_on_regression: true,
      max_cost_usd: 1,
    });
  });

  it('makes a target of each model, named by it', () => {
    const { value } = folder({ type: 'qa' }, { models: ['bedrock:a.b-v1:0', 'c.d'] });
    expect(parseEval(value).targets.map((target) => [target.id, 'model' in target ? target.model : null])).toEqual([
      ['a-b-v1-0', 'a.b-v1:0'],
      ['c-d', 'c.d'],
    ]);
  });

  it('keeps a target and other keys of an eval that the file holds, and says that --model was not used', () => {
    const { value, warnings } = folder({ type: 'qa', target: { type: 'recorded' }, trials: 3 });
    expect(value).toMatchObject({ target: { type: 'recorded' }, trials: 3 });
    expect(value.targets).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });

  it.each<{ name: string; meta: JsonObject; fault: RegExp }>([
    {
      name: 'a threshold that is misspelt',
      meta: { type: 'qa', thresholds: { pas_rate: 1 } },
      fault: /unknown threshold "pas_rate"/,
    },
    { name: 'an unknown type', meta: { type: 'quiz' }, fault: /unknown type "quiz"/ },
    { name: 'no type and nothing that tells it', meta: {}, fault: /"type" is missing/ },
    { name: 'labels that are missing', meta: { type: 'classification' }, fault: /names its labels/ },
  ])('refuses $name', ({ meta, fault }) => {
    expect(faults(meta)[0]).toMatch(fault);
  });

  it.each([['anthropic:claude-3'], ['openai:gpt-4o'], ['openai:chat:gpt-4o']])(
    'refuses model %s, which is not on Bedrock',
    (model) => {
      expect(faults({ type: 'qa' }, { models: [model] })[0]).toMatch(/not on Amazon Bedrock/);
    },
  );

  it('takes Bedrock ids of those vendors', () => {
    const models = [
      'anthropic.claude-3-5-sonnet-20241022-v2:0',
      'openai.gpt-oss-20b-1:0',
      'arn:aws:bedrock:us-east-1:1:inference-profile/x',
    ];
    expect(faults({ type: 'qa' }, { models })).toEqual([]);
  });

  it('warns of a threshold that belongs to another type, as supereval passes over it', () => {
    const { value, warnings } = folder({ type: 'qa', thresholds: { min_tool_score: 1, pass_rate: 1 } });
    expect(value.thresholds).toEqual({ pass_rate: 1 });
    expect(warnings[0]).toMatch(/min_tool_score/);
  });
});

describe('prompts', () => {
  it.each([
    { type: 'qa', own: 'Expert: {{query}}', prompt: 'Expert: {{input.query}}' },
    { type: 'qa', own: 'Expert: {{ query }}', prompt: 'Expert: {{input.query}}' },
    { type: 'instruction', own: '{{instruction}} {{document}}', prompt: '{{input.instruction}} {{input.document?}}' },
    { type: 'rag', own: '{contexts}\n{query}', prompt: '{{contexts}}\n{{input.query}}' },
  ] as const)('$own', ({ type, own, prompt }) => {
    expect(superevalPrompt(type, [], own)).toEqual({ prompt });
  });

  it.each(['', 'no placeholder', '{{query}}{% if document %}x{% endif %}'])('refuses %j', (own) => {
    expect(superevalPrompt('qa', [], own)).toHaveProperty('fault');
  });
});

describe('baseline.json', () => {
  const row = (fields: object) => RowSchema.parse({ id: 'tc', index: 0, input: 'x', ...fields });

  // First 16 hex of SHA-256 over Python's json.dumps(vars, sort_keys=True, ensure_ascii=False).
  it.each<{ fields: JsonObject; key: string }>([
    { fields: { query: 'What is the maximum size of an SQS message?' }, key: '8b523da248317056' },
    { fields: { text: 'Ärger "mit" der Rechnung\n€ 5' }, key: '8f59c24923380526' },
    { fields: { instruction: 'Summarise', document: 'a\u2028b\tc/d\u007f' }, key: 'e21c94cbba848bda' },
  ])('knows the case $key again', ({ fields, key }) => {
    expect(superevalKey({ input: '', input_fields: fields })).toBe(key);
  });

  it('leaves an absent document out of the key', () => {
    const key = (fields: JsonObject) => superevalKey({ input: '', input_fields: fields });
    expect(key({ instruction: 'a', document: null })).toBe(key({ instruction: 'a' }));
    expect(key({ instruction: 'a', document: '' })).toBe(key({ instruction: 'a' }));
  });

  const baseline: JsonObject = {
    run_id: 'run_1',
    cases: [
      { key: '8b523da248317056', passed: true, score: 1 },
      { case_id: 'atc_1', passed: false, composite_score: 0.62 },
      { key: 'ffffffffffffffff', passed: true, score: 1 },
    ],
  };

  it('matches rows by input or by id, and keeps what no row matches as removed', () => {
    const read = readSuperevalBaseline(baseline);
    if ('fault' in read) throw new Error(read.fault);
    const outcomes = new SuperevalOutcomes(read);
    const query = 'What is the maximum size of an SQS message?';
    expect(outcomes.of(row({ id: 'a', input: query, input_fields: { query } }))).toMatchObject({
      row_id: 'a',
      passed: true,
      score: 1,
    });
    expect(outcomes.of(row({ id: 'atc_1' }))).toMatchObject({ row_id: 'atc_1', passed: false, score: 0.62 });
    expect(outcomes.of(row({ id: 'new', input_fields: { query: 'new' } }))).toBeNull();
    expect(outcomes.removed()).toMatchObject([{ row_id: 'ffffffffffffffff', passed: true }]);
  });

  it.each([
    [null],
    [{}],
    [{ run_id: 'r', cases: [{}] }],
    [{ run_id: 'r', cases: [{ key: 'k', passed: true, score: 7 }] }],
  ])('says what is wrong with %j', (value) => {
    expect(readSuperevalBaseline(value)).toHaveProperty('fault');
  });
});
