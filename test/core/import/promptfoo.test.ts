import { describe, expect, it } from 'vitest';
import { parseEval } from '../../../src/core/config/parse-eval.ts';
import { importPromptfoo } from '../../../src/core/import/promptfoo.ts';
import { importAssert } from '../../../src/core/import/promptfoo-asserts.ts';
import { importProvider } from '../../../src/core/import/promptfoo-providers.ts';
import type { JsonObject, JsonValue } from '../../../src/core/json.ts';
import { scoringFor } from '../../../src/core/scoring/scoring-for.ts';

const CONFIG: JsonObject = {
  prompts: ['Answer in {{language}}: {{question}}'],
  providers: ['bedrock:us.amazon.nova-lite-v1:0'],
  tests: [{ vars: { language: 'English', question: 'q' }, assert: [{ type: 'icontains', value: 'a' }] }],
};
const load = (changes: JsonObject = {}) => importPromptfoo({ ...CONFIG, ...changes }, 'my config');
const test = (assert: JsonValue[], vars: JsonObject = { question: 'q' }): JsonObject => ({ vars, assert });

describe('asserts', () => {
  it.each<{ raw: JsonObject; made: object }>([
    {
      raw: { type: 'contains', value: 'A' },
      made: { check: 'contains', options: { case_sensitive: true }, value: 'A' },
    },
    { raw: { type: 'icontains', value: 'A' }, made: { check: 'contains', options: {}, value: 'A' } },
    { raw: { type: 'not-icontains', value: 'A' }, made: { check: 'not-contains', options: {} } },
    { raw: { type: 'equals', value: 'A' }, made: { check: 'exact', options: { case_sensitive: true } } },
    { raw: { type: 'equals', value: { a: 1 } }, made: { check: 'equals-json', value: { a: 1 } } },
    { raw: { type: 'not-icontains-any', value: ['a', 'b'] }, made: { check: 'not-contains-any', value: ['a', 'b'] } },
    { raw: { type: 'contains-all', value: 'a, b' }, made: { check: 'contains-all', value: ['a', 'b'] } },
    { raw: { type: 'is-json' }, made: { kind: 'alone', check: 'is-json', options: {} } },
    { raw: { type: 'levenshtein', value: 'A' }, made: { check: 'levenshtein', options: { max_distance: 5 } } },
    { raw: { type: 'cost', threshold: 0.01 }, made: { kind: 'alone', check: 'cost', options: { max_usd: 0.01 } } },
    {
      raw: { type: 'factuality', value: 'Paris' },
      made: { check: 'judge-rubric', value: expect.stringContaining('Paris') },
    },
    {
      raw: { type: 'context-faithfulness', threshold: 0.8 },
      made: { kind: 'metric', metric: 'faithfulness', floor: 0.8 },
    },
    { raw: { type: 'similar', value: 'x' }, made: { kind: 'refused' } },
    { raw: { type: 'not-context-recall', value: 'x' }, made: { kind: 'refused' } },
    { raw: { type: 'regex', value: '(?!x)' }, made: { kind: 'refused' } },
    { raw: { type: 'contains', value: 'x', weight: 0 }, made: { kind: 'refused' } },
    { raw: { type: 'contains', value: 'x', transform: 'output.trim()' }, made: { kind: 'refused' } },
    { raw: { type: 'contains' }, made: { kind: 'refused' } },
    { raw: { type: 'javascript', value: 'file://check.js' }, made: { kind: 'refused' } },
    { raw: { type: 'llm-rubric', value: 'x', threshold: 0.5 }, made: { kind: 'refused' } },
    { raw: { type: 'latency' }, made: { kind: 'refused' } },
  ])('$raw', ({ raw, made }) => {
    expect(importAssert(raw, raw.value ?? null)).toMatchObject(made);
  });
});

describe('an eval', () => {
  it('must hold every assert, as in promptfoo, and parses', () => {
    const { eval: value, rows, notImported } = load();
    expect(notImported).toEqual([]);
    const config = parseEval(value);
    expect(config).toMatchObject({
      name: 'my-config',
      type: 'qa',
      scorers: [{ check: 'contains', options: { value: 'a' } }],
    });
    expect(config.targets).toMatchObject([
      { type: 'bedrock', prompt: 'Answer in {{input.language}}: {{input.question}}' },
    ]);
    expect(scoringFor('qa').checkConfig(config)).toEqual([]);
    expect(rows).toEqual([
      {
        id: 'test-1',
        input: { language: 'English', question: 'q' },
        input_fields: { language: 'English', question: 'q' },
        metadata: {},
      },
    ]);
  });

  it('asks the one variable there is as the input', () => {
    const { eval: value, rows } = load({
      prompts: ['Say: {{question}}'],
      tests: [test([{ type: 'icontains', value: 'a' }])],
    });
    expect(rows[0]?.input).toBe('q');
    expect(value.targets).toMatchObject([{ prompt: 'Say: {{input}}' }]);
  });

  it('puts texts that differ into the rows; a test without the assert is not checked by it', () => {
    const { eval: value, rows } = load({
      tests: [
        test([
          { type: 'icontains', value: 'a' },
          { type: 'icontains', value: 'b' },
        ]),
        test([{ type: 'icontains', value: 'c' }]),
      ],
    });
    expect(value.scorers).toEqual([
      { contains: { from: 'metadata.assert_contains' } },
      { contains: { from: 'metadata.assert_contains_2' } },
    ]);
    expect(rows.map((row) => row.metadata)).toEqual([
      { assert_contains: 'a', assert_contains_2: 'b' },
      { assert_contains: 'c' },
    ]);
  });

  it('fills variables into the texts of asserts', () => {
    const { rows, notImported } = load({
      tests: [
        test([{ type: 'contains', value: '{{ question }}!' }], { question: 'q1' }),
        test(
          [
            { type: 'contains', value: '{{nowhere}}' },
            { type: 'contains', value: 'x' },
          ],
          { question: 'q2' },
        ),
      ],
    });
    expect(rows.map((row) => row.metadata)).toEqual([{ assert_contains: 'q1!' }, { assert_contains: 'x' }]);
    expect(notImported).toEqual([expect.stringMatching(/\{\{nowhere\}\} is no variable/)]);
  });

  it('asks each combination of listed values', () => {
    const { rows } = load({
      tests: [test([{ type: 'contains', value: 'x' }], { question: ['a', 'b'], language: ['x', 'y'] })],
    });
    expect(rows.map((row) => row.input)).toEqual([
      { question: 'a', language: 'x' },
      { question: 'a', language: 'y' },
      { question: 'b', language: 'x' },
      { question: 'b', language: 'y' },
    ]);
  });

  it('takes model-graded metrics as metrics, with their thresholds as floors and passages as contexts', () => {
    const {
      eval: value,
      rows,
      notImported,
    } = load({
      tests: [
        test(
          [
            { type: 'context-faithfulness', threshold: 0.8 },
            { type: 'context-recall', value: 'truth' },
          ],
          { question: 'q', context: ['p'] },
        ),
      ],
    });
    expect(value).toMatchObject({
      type: 'metrics',
      metrics: ['faithfulness', 'context_recall'],
      thresholds: { metric_floors: { faithfulness: 0.8 } },
    });
    expect(rows[0]).toMatchObject({ input: 'q', contexts: ['p'], expected: 'truth' });
    expect(notImported.some((note) => /means here/.test(note))).toBe(true);
    expect(() => parseEval(value)).not.toThrow();
  });

  it('leaves out a check of the answer alone that only some tests have', () => {
    const { eval: value, notImported } = load({
      tests: [test([{ type: 'is-json' }, { type: 'contains', value: 'x' }]), test([{ type: 'contains', value: 'x' }])],
    });
    expect(value.scorers).toEqual([{ contains: { case_sensitive: true, value: 'x' } }]);
    expect(notImported).toEqual([expect.stringMatching(/is-json: stands in 1 of 2 tests/)]);
  });

  it('leaves out a test that nothing scores', () => {
    const { rows, notImported } = load({
      tests: [test([{ type: 'similar', value: 'x' }]), test([{ type: 'contains', value: 'x' }])],
    });
    expect(rows).toHaveLength(1);
    expect(notImported).toContainEqual(expect.stringMatching(/test-1: left out/));
  });

  it('refuses a configuration that would score nothing', () => {
    expect(() => load({ tests: [test([{ type: 'similar', value: 'x' }])] })).toThrow(/nothing would be scored/);
    expect(() => load({ tests: [] })).toThrow(/no test/);
    expect(() => importPromptfoo([], 'x')).toThrow(/no object/);
  });

  it('takes the grader for the judge, and says so when it must take another', () => {
    const rubric = { tests: [test([{ type: 'llm-rubric', value: 'polite' }])] };
    expect(
      load({ ...rubric, defaultTest: { options: { provider: 'bedrock:amazon.nova-pro-v1:0' } } }).eval.judge,
    ).toEqual({ model: 'amazon.nova-pro-v1:0' });
    expect(load(rubric).notImported).toEqual([expect.stringMatching(/the grader/)]);
  });

  it('puts a placeholder where no provider could be taken over', () => {
    const { eval: value, notImported } = load({ providers: ['anthropic:messages:claude'] });
    expect(value.targets).toMatchObject([{ url: 'https://api.example.com/answer' }]);
    expect(notImported).toHaveLength(2);
  });
});

describe('providers', () => {
  const make = (id: string, config: JsonObject, prompt = '{{question}}') => {
    const made = importProvider({ id, label: null, config }, { text: prompt, label: null }, 'question');
    return made.ok ? made.value : made;
  };

  it('an HTTP API with a body as text', () => {
    const config = {
      url: 'https://api.example.com/{{env.STAGE}}',
      body: '{"q": {{prompt | dump}}, "n": 1}',
      headers: { 'X-Key': '{{env.MY_KEY}}' },
      transformResponse: 'json.choices[0].message.content',
    };
    expect(make('http', config)).toEqual({
      target: {
        type: 'http',
        url: 'https://api.example.com/{{secrets.STAGE}}',
        method: 'POST',
        response_path: 'choices[0].message.content',
        headers: { 'X-Key': '{{secrets.MY_KEY}}' },
        body_template: { q: '{{input}}', n: 1 },
      },
      notes: [],
    });
  });

  it('a response parser that is code is left to the user', () => {
    expect(make('https://x.example.com', { transformResponse: '(json) => json.a.trim()' })).toMatchObject({
      target: { response_path: '$', method: 'GET' },
      notes: [expect.stringMatching(/transformResponse/)],
    });
  });

  it('an OpenAI-compatible server, with messages from the prompt', () => {
    const prompt = '[{"role":"system","content":"Help."},{"role":"user","content":"{{question}}"}]';
    expect(
      make('openai:chat:gpt-4o', { apiBaseUrl: 'http://localhost:11434/v1/', temperature: 0 }, prompt),
    ).toMatchObject({
      target: {
        url: 'http://localhost:11434/v1/chat/completions',
        body_template: {
          model: 'gpt-4o',
          temperature: 0,
          messages: [
            { role: 'system', content: 'Help.' },
            { role: 'user', content: '{{input}}' },
          ],
        },
      },
    });
  });

  it.each([
    ['anthropic:messages:x', '{{question}}'],
    ['openai:embedding:x', '{{question}}'],
    ['bedrock:x', '{% if a %}x{% endif %}'],
    ['bedrock:x', '{{ question | upper }}'],
  ])('refuses %s with the prompt %s', (id, prompt) => {
    expect(make(id, {}, prompt)).toMatchObject({ ok: false });
  });
});
