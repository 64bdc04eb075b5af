import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEval } from '../../../src/core/config/parse-eval.ts';
import type { JsonValue } from '../../../src/core/json.ts';
import { scorerFaults, scorerRowFaults, scorerScore } from '../../../src/core/scoring/assert-scoring.ts';
import { CHECK_NAMES } from '../../../src/core/scoring/checks/registry.ts';
import { checkFaults, expectedFaults, runCheck } from '../../../src/core/scoring/checks/run-check.ts';
import type { AnswerFacts, ExpressionResult } from '../../../src/core/scoring/checks/text-check.ts';
import { answered, evalConfig, row, spec } from './build.ts';

const rules = { text_match: 'normalized', word_boundary: false } as const;
const words = { ...rules, word_boundary: true } as const;

interface Case {
  readonly name: string;
  readonly check: string;
  readonly options?: Record<string, JsonValue>;
  readonly expected?: JsonValue;
  readonly answer: string;
  readonly facts?: AnswerFacts;
  readonly passed: boolean;
}
const run = ({ check, options, expected = null, answer, facts }: Omit<Case, 'name' | 'passed'>) =>
  runCheck(spec(check, options), answer, expected, rules, facts);

describe('starts-with and ends-with', () => {
  it.each<Case>([
    { name: 'folds case', check: 'starts-with', expected: 'yes', answer: 'YES, you can', passed: true },
    { name: 'trims the answer', check: 'starts-with', expected: 'Yes', answer: '\n  yes.', passed: true },
    { name: 'only at the start', check: 'starts-with', expected: 'yes', answer: 'oh yes', passed: false },
    {
      name: 'letter by letter on request',
      check: 'starts-with',
      options: { case_sensitive: true },
      expected: 'Yes',
      answer: 'yes',
      passed: false,
    },
    { name: 'at the end', check: 'ends-with', expected: 'Goodbye!', answer: 'So long. goodbye! ', passed: true },
    { name: 'a final full stop counts', check: 'ends-with', expected: 'goodbye', answer: 'Goodbye.', passed: false },
    { name: 'longer than the answer', check: 'ends-with', expected: 'goodbye', answer: 'bye', passed: false },
    { name: 'an empty answer', check: 'starts-with', expected: 'a', answer: '', passed: false },
  ])('$name', ({ passed, ...given }) => {
    expect(run(given).passed).toBe(passed);
  });

  it('with word_boundary takes no part of a word or number', () => {
    expect(runCheck(spec('starts-with'), 'Hamburg', 'ham', words).passed).toBe(false);
    expect(runCheck(spec('ends-with'), 'ends with 711', '11', words).passed).toBe(false);
    expect(runCheck(spec('ends-with'), 'ends with 11', '11', words).passed).toBe(true);
  });
});

describe('contains-all and contains-any', () => {
  it.each<Case>([
    { name: 'all of them', check: 'contains-all', expected: ['Paris', 'lyon'], answer: 'paris and Lyon', passed: true },
    { name: 'one missing', check: 'contains-all', expected: ['Paris', 'Lyon'], answer: 'Paris', passed: false },
    {
      name: 'a cell with a JSON list',
      check: 'contains-all',
      expected: '["Paris", "Lyon"]',
      answer: 'Lyon, Paris',
      passed: true,
    },
    { name: 'any of them', check: 'contains-any', expected: ['Paris', 'Lyon'], answer: 'lyon', passed: true },
    { name: 'none of them', check: 'contains-any', expected: ['Paris', 'Lyon'], answer: 'Nice', passed: false },
    { name: 'numbers as text', check: 'contains-any', expected: [42, 43], answer: 'it is 42', passed: true },
    {
      name: 'a value for all rows',
      check: 'contains-any',
      options: { value: ['sorry'] },
      answer: 'Sorry!',
      passed: true,
    },
  ])('$name', ({ passed, ...given }) => {
    expect(run(given).passed).toBe(passed);
  });

  it.each([
    { expected: 'Paris' },
    { expected: [] },
    { expected: ['a', ' '] },
    { expected: [null] },
    { expected: '{"a":1}' },
  ])('refuses $expected as a list', ({ expected }) => {
    expect(expectedFaults(spec('contains-all'), row({ expected }))[0]?.message).toMatch(/contains-all needs a list/);
  });
});

describe('equals-json', () => {
  it.each<Case>([
    {
      name: 'key order is free',
      check: 'equals-json',
      expected: '{"a":1,"b":[2]}',
      answer: '{ "b": [2], "a": 1.0 }',
      passed: true,
    },
    { name: 'list order counts', check: 'equals-json', expected: [1, 2], answer: '[2,1]', passed: false },
    { name: 'an extra key', check: 'equals-json', expected: { a: 1 }, answer: '{"a":1,"b":2}', passed: false },
    { name: 'null is no missing key', check: 'equals-json', expected: { a: null }, answer: '{}', passed: false },
    { name: 'true is not 1', check: 'equals-json', expected: { a: 1 }, answer: '{"a":true}', passed: false },
    {
      name: 'exactly at the tolerance',
      check: 'equals-json',
      options: { tolerance: 0.1 },
      expected: [1],
      answer: '[1.1]',
      passed: true,
    },
    {
      name: 'beyond the tolerance',
      check: 'equals-json',
      options: { tolerance: 0.1 },
      expected: [1],
      answer: '[1.11]',
      passed: false,
    },
    { name: 'an answer that is no JSON', check: 'equals-json', expected: [1], answer: 'one', passed: false },
    {
      name: 'JSON within a fence, extracted',
      check: 'equals-json',
      options: { extract: '(?s)```json(.*)```' },
      expected: [1],
      answer: 'Here:\n```json\n[1]\n```',
      passed: true,
    },
    {
      name: 'a __proto__ key is a key',
      check: 'equals-json',
      expected: '{"__proto__":1}',
      answer: '{}',
      passed: false,
    },
  ])('$name', ({ passed, ...given }) => {
    expect(run(given).passed).toBe(passed);
  });

  it('says where the values differ', () => {
    const { reason } = run({ check: 'equals-json', expected: { a: [{ b: 1 }] }, answer: '{"a":[{"b":2}]}' });
    expect(reason).toContain('$.a[0].b');
  });

  it('refuses an expected text that is no JSON', () => {
    expect(expectedFaults(spec('equals-json'), row({ expected: 'Paris' }))[0]?.message).toMatch(/is no JSON/);
  });

  it.each(['equals-json', 'is-json'])('%s survives an answer nested 100,000 deep', (check) => {
    const answer = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(run({ check, expected: '[]', answer }).passed).toBe(false);
  });
});

describe('is-json', () => {
  const schema = { type: 'object', required: ['city'], properties: { city: { type: 'string', minLength: 1 } } };
  it.each<Case>([
    { name: 'any JSON', check: 'is-json', answer: '"text"', passed: true },
    { name: 'no JSON', check: 'is-json', answer: 'text', passed: false },
    { name: 'an empty answer', check: 'is-json', answer: '', passed: false },
    { name: 'meets the schema', check: 'is-json', options: { schema }, answer: '{"city":"Rome"}', passed: true },
    { name: 'does not meet it', check: 'is-json', options: { schema }, answer: '{"city":7}', passed: false },
    { name: 'lacks what is required', check: 'is-json', options: { schema }, answer: '{}', passed: false },
  ])('$name', ({ passed, ...given }) => {
    expect(run(given).passed).toBe(passed);
  });

  it('does not look for repeats among 100,000 items, which would take minutes', () => {
    const answer = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => index));
    const options = { schema: { type: 'array', uniqueItems: true } };
    expect(run({ check: 'is-json', options, answer })).toMatchObject({ passed: false, isError: true });
    expect(run({ check: 'is-json', options, answer: '[1,2]' }).passed).toBe(true);
  });

  it('needs no expected answer', () => {
    expect(expectedFaults(spec('is-json'), row())).toEqual([]);
  });

  it.each([{ schema: { $ref: '#/nowhere' } }, { schema: { type: 'string', pattern: '(' } }])(
    'refuses the schema $schema with the configuration',
    (options) => {
      expect(checkFaults(spec('is-json', options as unknown as Record<string, JsonValue>), 0, [])[0]?.message).toMatch(
        /schema cannot be used/,
      );
    },
  );

  it.each<{ name: string; schema: JsonValue; answer: string; passed: boolean }>([
    {
      name: 'a pattern that fits',
      schema: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' },
      answer: '"AB-12"',
      passed: true,
    },
    {
      name: 'a pattern that does not',
      schema: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' },
      answer: '"ab-12"',
      passed: false,
    },
    {
      name: 'beside a format of its own',
      schema: { format: 'email', pattern: 'example' },
      answer: '"a@test.com"',
      passed: false,
    },
    {
      name: 'of a property',
      schema: { properties: { pattern: { pattern: '^x' } } },
      answer: '{"pattern":"y"}',
      passed: false,
    },
    { name: 'in data', schema: { enum: [{ pattern: '(?=x)' }] }, answer: '{"pattern":"(?=x)"}', passed: true },
    { name: 'of no text', schema: { pattern: '^x' }, answer: '7', passed: true },
    {
      name: 'that would run for minutes',
      schema: { pattern: '^(a+)+$' },
      answer: `"${'a'.repeat(5000)}b"`,
      passed: false,
    },
  ])('patterns: $name', ({ schema, answer, passed }) => {
    const options = { schema };
    expect(checkFaults(spec('is-json', options), 0, [])).toEqual([]);
    expect(run({ check: 'is-json', options, answer }).passed).toBe(passed);
  });

  it.each<[JsonValue]>([
    [{ pattern: '(?=x)' }],
    [{ patternProperties: { '^(a+)+$': {} } }],
    [{ patternProperties: { '(a|a)*b': {} } }],
  ])('refuses %j', (schema) => {
    expect(checkFaults(spec('is-json', { schema }), 0, [])[0]?.message).toMatch(/schema cannot be used/);
  });
});

describe('levenshtein', () => {
  it.each<Case>([
    { name: '1 edit in 5 is 0.8', check: 'levenshtein', expected: 'Paris', answer: 'Parys', passed: true },
    { name: '2 edits in 5', check: 'levenshtein', expected: 'Paris', answer: 'Parts!', passed: false },
    {
      name: 'case does not count',
      check: 'levenshtein',
      options: { threshold: 1 },
      expected: 'Paris',
      answer: ' PARIS ',
      passed: true,
    },
    {
      name: 'most edits',
      check: 'levenshtein',
      options: { max_distance: 3 },
      expected: 'kitten',
      answer: 'sitting',
      passed: true,
    },
    {
      name: 'fewer allowed',
      check: 'levenshtein',
      options: { max_distance: 2 },
      expected: 'kitten',
      answer: 'sitting',
      passed: false,
    },
    { name: 'an empty answer', check: 'levenshtein', expected: 'a', answer: '', passed: false },
  ])('$name', ({ passed, ...given }) => {
    expect(run(given).passed).toBe(passed);
  });

  it('keeps the similarity: 3 edits of 7', () => {
    expect(run({ check: 'levenshtein', expected: 'kitten', answer: 'sitting' }).rawScore).toBeCloseTo(4 / 7, 12);
  });

  it('does not compare what would take minutes', () => {
    expect(run({ check: 'levenshtein', expected: 'a', answer: 'a'.repeat(1_000_000) })).toMatchObject({
      passed: false,
      isError: true,
    });
  });
});

describe('rouge', () => {
  // the cat sat on the mat / the cat lay on the mat: 5 of 6 words in order, 3 of 5 bigrams.
  const expected = 'The cat sat on the mat.';
  const answer = 'the cat lay on the mat';
  it.each<{ check: string; options: Record<string, JsonValue>; raw: number }>([
    { check: 'rouge-l', options: {}, raw: 5 / 6 },
    { check: 'rouge-n', options: {}, raw: 5 / 6 },
    { check: 'rouge-n', options: { n: 2 }, raw: 3 / 5 },
  ])('$check $options is $raw', ({ check, options, raw }) => {
    expect(run({ check, options, expected, answer }).rawScore).toBeCloseTo(raw, 12);
  });

  it.each<Case>([
    {
      name: 'passes at the threshold',
      check: 'rouge-n',
      options: { n: 2, threshold: 0.6 },
      expected,
      answer,
      passed: true,
    },
    { name: 'fails below it', check: 'rouge-n', options: { n: 2, threshold: 0.61 }, expected, answer, passed: false },
    { name: 'an empty answer is 0', check: 'rouge-l', expected, answer: '', passed: false },
    {
      name: 'an answer of one word has no bigram',
      check: 'rouge-n',
      options: { n: 2 },
      expected,
      answer: 'cat',
      passed: false,
    },
    {
      name: 'scripts without blanks',
      check: 'rouge-l',
      options: { threshold: 0.6 },
      expected: '東京都',
      answer: '東京です',
      passed: false,
    },
    {
      name: 'punctuation does not count',
      check: 'rouge-l',
      options: { threshold: 1 },
      expected: 'Yes, sir!',
      answer: 'yes sir',
      passed: true,
    },
  ])('$name', ({ passed, ...given }) => {
    expect(run(given).passed).toBe(passed);
  });

  it('refuses an expected text shorter than a gram', () => {
    expect(expectedFaults(spec('rouge-n', { n: 3 }), row({ expected: 'two words' }))).toHaveLength(1);
  });

  it('does not compare an answer of 100,000 words', () => {
    expect(run({ check: 'rouge-l', expected, answer: 'word '.repeat(100_000) })).toMatchObject({
      passed: false,
      isError: true,
    });
  });
});

describe('cost, latency and javascript', () => {
  const ruled = (passed: boolean): ExpressionResult => ({ status: 'ruled', passed, reason: 'r' });
  it.each<Case>([
    {
      name: 'exactly at the cost',
      check: 'cost',
      options: { max_usd: 0.01 },
      answer: '',
      facts: { costUsd: 0.01 },
      passed: true,
    },
    {
      name: 'above it',
      check: 'cost',
      options: { max_usd: 0.01 },
      answer: '',
      facts: { costUsd: 0.011 },
      passed: false,
    },
    {
      name: 'an unknown cost never passes',
      check: 'cost',
      options: { max_usd: 1 },
      answer: '',
      facts: { costUsd: null },
      passed: false,
    },
    {
      name: 'nor its negation',
      check: 'not-cost',
      options: { max_usd: 1 },
      answer: '',
      facts: { costUsd: null },
      passed: false,
    },
    {
      name: 'exactly at the time',
      check: 'latency',
      options: { max_ms: 100 },
      answer: '',
      facts: { latencyMs: 100 },
      passed: true,
    },
    {
      name: 'too late',
      check: 'latency',
      options: { max_ms: 100 },
      answer: '',
      facts: { latencyMs: 101 },
      passed: false,
    },
    { name: 'an unknown time never passes', check: 'latency', options: { max_ms: 100 }, answer: '', passed: false },
    {
      name: 'an expression that holds',
      check: 'javascript',
      options: { value: 'true' },
      answer: '',
      facts: { expression: ruled(true) },
      passed: true,
    },
    {
      name: 'one that does not',
      check: 'javascript',
      options: { value: 'false' },
      answer: '',
      facts: { expression: ruled(false) },
      passed: false,
    },
    { name: 'one that was never run', check: 'javascript', options: { value: 'true' }, answer: '', passed: false },
    {
      name: 'one that broke',
      check: 'not-javascript',
      options: { value: 'x' },
      answer: '',
      facts: { expression: { status: 'error', message: 'x is not defined' } },
      passed: false,
    },
  ])('$name', ({ passed, ...given }) => {
    expect(run(given).passed).toBe(passed);
  });

  it('refuses a cost limit on a target that does not report cost', () => {
    const faults = scorerFaults(evalConfig({ type: 'qa', scorers: [spec('cost', { max_usd: 1 })] }), true);
    expect(faults.map((fault) => fault.message)).toEqual(['what target http costs is not metered']);
  });
});

describe('negation', () => {
  const optionsOf: Record<string, Record<string, JsonValue>> = {
    latency: { max_ms: 100 },
    cost: { max_usd: 0.5 },
    javascript: { value: 'true' },
    'is-json': { schema: { type: ['array', 'number', 'string'] } },
    'equals-json': { tolerance: 0.5 },
    numeric: { tolerance: 1 },
  };
  const text = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('42', '[1]', 'yes', 'Yes.', '', ' ', '"a"', '60%', 'ΟΔΟΣ'),
  );
  const expected = fc.oneof(
    text,
    fc.integer(),
    fc.array(text, { maxLength: 3 }),
    fc.constantFrom('["yes", "no"]', '[1]', null),
  );

  it.each(CHECK_NAMES)('not-%s passes exactly where the check fails, and never on an error', (name) => {
    fc.assert(
      fc.property(text, expected, fc.integer({ min: 0, max: 200 }), fc.boolean(), (answer, wanted, amount, holds) => {
        const [check, negation] = [spec(name, optionsOf[name]), spec(`not-${name}`, optionsOf[name])];
        if (expectedFaults(check, row({ expected: wanted })).length > 0) {
          expect(expectedFaults(negation, row({ expected: wanted }))).not.toEqual([]);
          return;
        }
        const facts: AnswerFacts = {
          latencyMs: amount,
          costUsd: amount / 200,
          expression: holds
            ? { status: 'ruled', passed: amount > 100, reason: '' }
            : { status: 'error', message: 'broke' },
        };
        const [plain, negated] = [check, negation].map((one) => runCheck(one, answer, wanted, rules, facts));
        expect(negated?.isError).toBe(plain?.isError);
        expect(negated?.passed).toBe(plain?.isError === true ? false : !plain?.passed);
      }),
    );
  });

  it('does not turn an extract that found nothing into a pass', () => {
    const options = { extract: 'Answer: (.+)' };
    expect(runCheck(spec('not-contains', options), 'nothing here', 'Answer: x', rules)).toMatchObject({
      passed: false,
      isError: true,
    });
  });

  it.each([
    { scorers: [{ not: 'contains' }] },
    { scorers: ['not-contains'] },
    { scorers: [{ not: { contains: {} } }] },
    { scorers: [{ 'not-contains': {} }] },
  ])('is written $scorers', ({ scorers }) => {
    const file = { name: 'a', type: 'qa', dataset: 'a.csv', target: { url: 'https://example.com' }, scorers };
    expect(parseEval(file).scorers).toEqual([{ name: 'not-contains', check: 'not-contains', options: {} }]);
  });

  it('knows no double negation', () => {
    expect(checkFaults(spec('not-not-contains'), 0, [])[0]?.message).toMatch(/unknown check/);
  });
});

describe('where the expected text comes from', () => {
  const config = evalConfig({ type: 'qa' });
  it('value stands for all rows and wins over expected', () => {
    const score = scorerScore(
      spec('contains', { value: 'policy' }),
      answered('the policy', { expected: 'x' }),
      undefined,
      config,
    );
    expect(score).toMatchObject({ status: 'scored', value: 1 });
  });

  it('from reads a column of the row', () => {
    const given = spec('contains', { from: 'metadata.must_mention' });
    const fields = { metadata: { must_mention: 'Lyon' } };
    expect(scorerScore(given, answered('to Lyon', fields), undefined, config)).toMatchObject({ value: 1 });
    expect(scorerScore(given, answered('to Paris', fields), undefined, config)).toMatchObject({ value: 0 });
  });

  it('a row without it is not checked, and needs no expected answer', () => {
    const given = spec('contains', { from: 'metadata.must_mention' });
    expect(scorerRowFaults(given, row(), config)).toEqual([]);
    expect(scorerScore(given, answered('x'), undefined, config)).toMatchObject({
      status: 'unscored',
      cause: 'not-applicable',
    });
  });

  it.each<{ name: string; options: Record<string, JsonValue>; message: RegExp }>([
    { name: 'value and from together', options: { value: 'a', from: 'metadata.b' }, message: /both value and from/ },
    { name: 'a from that leads nowhere', options: { from: 'answer' }, message: /from names where/ },
    { name: 'a blank value', options: { value: ' ' }, message: /value is empty/ },
    { name: 'an option that is misspelt', options: { vlaue: 'a' }, message: /has no option "vlaue"/ },
  ])('refuses $name', ({ options, message }) => {
    expect(checkFaults(spec('contains', options), 0, [])[0]?.message).toMatch(message);
  });

  it('refuses a pattern given as value with the configuration', () => {
    expect(checkFaults(spec('regex', { value: '(?=x)' }), 0, [])[0]?.message).toMatch(/pattern .* is invalid/);
  });
});
