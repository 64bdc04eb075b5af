import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelValue } from '../../../src/core/judging/ruling-values.ts';
import { SUPEREVAL_SCALES } from '../../../src/core/judging/scales.ts';
import type { EvalConfig } from '../../../src/core/schemas/eval.ts';
import type { Row } from '../../../src/core/schemas/row.ts';
import { resolvePolicy } from '../../../src/core/scoring/policy.ts';
import { ragGateFailures, ragGateOf } from '../../../src/core/scoring/rag-gate.ts';
import { decideRow } from '../../../src/core/scoring/row-outcome.ts';
import { scoringFor } from '../../../src/core/scoring/scoring-for.ts';
import { answered, evalConfig, judged, judgeFailed, row, spec, target, verdict } from './build.ts';

const scoring = scoringFor('rag');
const judgedRag = evalConfig({ type: 'rag' });
const plainRag = evalConfig({ type: 'rag', judges: [] });
const given = (text: string, fields: Partial<Row> = {}) =>
  answered(text, { expected: 'Paris', contexts: ['Paris is the capital.'], ...fields });

interface Case {
  readonly correctness: number;
  readonly faithfulness: number;
  readonly text?: string;
  readonly thresholds?: EvalConfig['thresholds'];
  readonly checks?: Row['checks'];
}

function decide({ correctness, faithfulness, text = 'Paris', thresholds = {}, checks = {} }: Case) {
  const config = { ...judgedRag, thresholds };
  const result = scoring.score(
    given(text, { checks }),
    [judged({ answer_correctness_score: correctness }), judged({ faithfulness_score: faithfulness })],
    config,
  );
  return { ...result, outcome: decideRow(result, resolvePolicy(config)) };
}

describe('composite of a RAG row', () => {
  it.each([
    { name: 'half each by default', correctness: 0.5, faithfulness: 1, thresholds: {}, composite: 0.75 },
    {
      name: 'weights as set',
      correctness: 0.5,
      faithfulness: 0.75,
      thresholds: { faithfulness_weight: 0.4, answer_correctness_weight: 0.6 },
      composite: 0.6,
    },
    {
      name: 'weights that do not sum to 1 stay within 0..1',
      correctness: 1,
      faithfulness: 1,
      thresholds: { faithfulness_weight: 0.6, answer_correctness_weight: 0.6 },
      composite: 1,
    },
    {
      name: 'weights of 3 and 1',
      correctness: 0,
      faithfulness: 1,
      thresholds: { faithfulness_weight: 3, answer_correctness_weight: 1 },
      composite: 0.75,
    },
    {
      name: 'a weight of 0 is honoured',
      correctness: 0,
      faithfulness: 1,
      thresholds: { answer_correctness_weight: 0 },
      composite: 1,
    },
    {
      name: 'weights too large to add',
      correctness: 0,
      faithfulness: 1,
      thresholds: { faithfulness_weight: Number.MAX_VALUE, answer_correctness_weight: Number.MAX_VALUE },
      composite: 0.5,
    },
  ])('$name', ({ composite, ...of }) => {
    const { scores, outcome } = decide(of);
    expect(scores.composite_score?.value).toBeCloseTo(composite, 9);
    expect(outcome.score).toBeCloseTo(composite, 9);
  });

  it('lies between its parts and is exactly 1 when both are', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const weight = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(share, share, weight, weight, (correctness, faithfulness, faithfulness_weight, other) => {
        const thresholds = { faithfulness_weight, answer_correctness_weight: other };
        const value = decide({ correctness, faithfulness, thresholds }).scores.composite_score?.value ?? -1;
        expect(value).toBeGreaterThanOrEqual(Math.min(correctness, faithfulness) - 1e-12);
        expect(value).toBeLessThanOrEqual(Math.max(correctness, faithfulness) + 1e-12);
        expect(decide({ correctness: 1, faithfulness: 1, thresholds }).scores.composite_score?.value).toBe(1);
      }),
    );
  });
});

describe('row gate', () => {
  it.each([
    { name: 'correct and faithful passes', correctness: 1, faithfulness: 1, failed: [] },
    {
      name: 'the literal text is missing',
      correctness: 1,
      faithfulness: 1,
      text: 'The capital of France',
      failed: ['require_contains'],
    },
    { name: 'correctness exactly at its minimum passes', correctness: 0.5, faithfulness: 0, failed: [] },
    {
      name: 'correctness below its minimum',
      correctness: 0,
      faithfulness: 1,
      failed: ['min_answer_correctness_score'],
    },
    {
      name: 'no minimum of correctness',
      correctness: 0,
      faithfulness: 1,
      thresholds: { min_answer_correctness_score: null },
      failed: [],
    },
    {
      name: 'faithfulness exactly at its minimum passes',
      correctness: 1,
      faithfulness: 0.75,
      thresholds: { min_faithfulness_score: 0.75 },
      failed: [],
    },
    {
      name: 'faithfulness below its minimum',
      correctness: 1,
      faithfulness: 0.5,
      thresholds: { min_faithfulness_score: 0.75 },
      failed: ['min_faithfulness_score'],
    },
    {
      name: 'contains is not required',
      correctness: 1,
      faithfulness: 1,
      text: 'x',
      thresholds: { require_contains: false },
      failed: [],
    },
    {
      name: 'the row does not require what the eval does',
      correctness: 0,
      faithfulness: 0,
      text: 'x',
      thresholds: { min_faithfulness_score: 1 },
      checks: { require_contains: false, min_answer_correctness_score: 0, min_faithfulness_score: 0 },
      failed: [],
    },
    {
      name: 'the row requires what the eval does not',
      correctness: 0.5,
      faithfulness: 0.5,
      text: 'x',
      thresholds: { require_contains: false },
      checks: { require_contains: true, min_answer_correctness_score: 1, min_faithfulness_score: 0.75 },
      failed: ['require_contains', 'min_answer_correctness_score', 'min_faithfulness_score'],
    },
  ])('$name', ({ failed, ...of }) => {
    const { outcome } = decide(of);
    expect(outcome).toMatchObject({ status: 'scored', passed: failed.length === 0, failedChecks: failed });
  });

  it('is part of the policy, defaults filled in', () => {
    expect(resolvePolicy(judgedRag).row_gate).toEqual({
      require_contains: true,
      min_answer_correctness_score: 0.5,
      min_faithfulness_score: null,
      faithfulness_weight: 0.5,
      answer_correctness_weight: 0.5,
    });
    expect(resolvePolicy(evalConfig({ type: 'qa' }))).not.toHaveProperty('row_gate');
  });

  it('decides stored scores again under another gate', () => {
    const { scores } = decide({ correctness: 0.5, faithfulness: 0.5 });
    expect(ragGateFailures(scores, ragGateOf({ min_faithfulness_score: 0.75 }), {})).toEqual([
      'min_faithfulness_score',
    ]);
  });
});

describe('without a judge', () => {
  it.each([
    { text: 'It is Paris', contains: 1 },
    { text: 'It is Rome', contains: 0 },
  ])('"$text": correctness is the text check, faithfulness is unverified and lifts nothing', ({ text, contains }) => {
    expect(scoring.questions(given(text), plainRag)).toEqual([]);
    const result = scoring.score(given(text), [], plainRag);
    expect(Object.fromEntries(Object.entries(result.scores).map(([name, score]) => [name, score.value]))).toEqual({
      composite_score: contains,
      contains_score: contains,
      answer_correctness_score: contains,
      faithfulness_score: 1,
    });
    expect(result.scores.faithfulness_score?.raw_label).toBe('unverified');
    expect(result.warnings).toEqual(['faithfulness is unverified: no judge is configured']);
    expect(decideRow(result, resolvePolicy(plainRag))).toMatchObject({ passed: contains === 1, score: contains });
  });
  it('never lets an unverified faithfulness reach a minimum, however it came there', () => {
    const { scores } = scoring.score(given('Paris'), [], plainRag);
    expect(ragGateFailures(scores, ragGateOf({ min_faithfulness_score: 0 }), {})).toEqual(['min_faithfulness_score']);
  });
});

describe('judge calls', () => {
  it('are two, one on correctness without the passages, one on faithfulness without the expected answer', () => {
    const questions = scoring.questions(given('Paris', { input: 'Capital?' }), judgedRag);
    expect(questions).toMatchObject([
      { promptId: 'rag', input: 'Capital?', expected: 'Paris', answer: 'Paris', contexts: null },
      { promptId: 'rag', expected: null, answer: 'Paris', contexts: ['Paris is the capital.'] },
    ]);
    expect(questions.map(({ asks }) => asks.map((ask) => [ask.name, ask.kind === 'label' && ask.labels]))).toEqual([
      [['answer_correctness_score', ['incorrect', 'partially correct', 'correct']]],
      [['faithfulness_score', ['none', 'some', 'approximately half', 'most', 'all']]],
    ]);
  });
  it('show the passages of the answer rather than those of the row', () => {
    const found = { ...given('Paris'), answer: { text: 'Paris', contexts: ['found'] } };
    expect(scoring.questions(found, judgedRag)[1]?.contexts).toEqual(['found']);
  });
  it('are spared where nothing was retrieved: nothing supports the answer', () => {
    const none = { ...given('Paris'), answer: { text: 'Paris', contexts: [] } };
    expect(scoring.questions(none, judgedRag)).toHaveLength(1);
    const { scores } = scoring.score(none, [judged({ answer_correctness_score: 1 })], judgedRag);
    expect(scores.faithfulness_score).toMatchObject({ status: 'scored', value: 0 });
    expect(scores.composite_score?.value).toBe(0.5);
  });
  it('keep raw label and integer', () => {
    const label = verdict(0.5, { rawLabel: 'partially correct', rawScore: 1, scale: [0, 2] });
    const { scores } = scoring.score(
      given('Paris'),
      [judged({ answer_correctness_score: label }), judged({ faithfulness_score: 1 })],
      judgedRag,
    );
    expect(scores.answer_correctness_score).toMatchObject({
      value: 0.5,
      raw_label: 'partially correct',
      raw_score: 1,
      scale: [0, 2],
      in_row_score: false,
    });
  });
  it.each([0, 1])('that fail (call %i) make the row a judge error, never a 0', (failing) => {
    const judgements = [judged({ answer_correctness_score: 1 }), judged({ faithfulness_score: 1 })];
    judgements[failing] = judgeFailed('throttled');
    const result = scoring.score(given('Paris'), judgements, judgedRag);
    expect(result.scores.composite_score?.status).toBe('unscored');
    expect(decideRow(result, resolvePolicy(judgedRag), judgements)).toMatchObject({
      status: 'judge_error',
      cause: 'throttled',
      passed: false,
    });
  });
});

describe('further metrics', () => {
  const config = evalConfig({ type: 'rag', metrics: ['context_precision', 'faithfulness'] });
  it('are asked after the signals, stored, and enter neither score nor gate', () => {
    const questions = scoring.questions(given('Paris'), config);
    expect(questions.map(({ promptId }) => promptId)).toEqual(['rag', 'rag', 'metrics']);
    const result = scoring.score(
      given('Paris'),
      [
        judged({ answer_correctness_score: 1 }),
        judged({ faithfulness_score: 1 }),
        judged({ context_precision: 0, faithfulness: 0.25 }),
      ],
      config,
    );
    expect(result.scores).toMatchObject({ context_precision: { value: 0 }, faithfulness: { value: 0.25 } });
    expect(decideRow(result, resolvePolicy(config))).toMatchObject({ passed: true, score: 1 });
  });
  it('that do not apply do not count; that fail make the row a judge error', () => {
    const signals = [judged({ answer_correctness_score: 1 }), judged({ faithfulness_score: 1 })];
    const absent = scoring.score(
      given('x'),
      [...signals, judged({ context_precision: 1, faithfulness: null })],
      config,
    );
    expect(decideRow(absent, resolvePolicy(config)).status).toBe('scored');
    const failed = scoring.score(given('x'), [...signals, judgeFailed()], config);
    expect(decideRow(failed, resolvePolicy(config)).status).toBe('judge_error');
  });
});

it('with Bedrock’s scales asks its further qualities in one more call, stored beside the rest', () => {
  const config = evalConfig({ type: 'rag', judge_scales: 'bedrock' });
  const questions = scoring.questions(given('Paris'), config);
  expect(questions.map(({ asks }) => asks.length)).toEqual([1, 1, 7]);
  const beside = {
    'answer.relevance': 1,
    'answer.following_instructions': null,
    'answer.style': 1,
    'answer.readability': 1,
    'answer.harmfulness': verdict(1, { higherIsBetter: false }),
    'answer.stereotyping': verdict(0, { higherIsBetter: false }),
    'answer.refusal': verdict(0, { higherIsBetter: false }),
  };
  const judgements = [judged({ answer_correctness_score: 1 }), judged({ faithfulness_score: 1 }), judged(beside)];
  const result = scoring.score(given('Paris'), judgements, config);
  expect(result.scores['answer.harmfulness']).toMatchObject({ value: 1, higher_is_better: false, in_row_score: false });
  expect(result.scores['answer.following_instructions']).toMatchObject({ cause: 'not-applicable' });
  expect(decideRow(result, resolvePolicy(config))).toMatchObject({ status: 'scored', score: 1, passed: true });
});

describe('configuration', () => {
  it.each([
    { name: 'nothing', change: {}, fields: [] },
    {
      name: 'both weights 0',
      change: { thresholds: { faithfulness_weight: 0, answer_correctness_weight: 0 } },
      fields: ['thresholds.faithfulness_weight'],
    },
    {
      name: 'a minimum of faithfulness without a judge',
      change: { judges: [], thresholds: { min_faithfulness_score: 0.75 } },
      fields: ['thresholds.min_faithfulness_score'],
    },
    {
      name: 'even a minimum of 0 without a judge',
      change: { judges: [], thresholds: { min_faithfulness_score: 0 } },
      fields: ['thresholds.min_faithfulness_score'],
    },
    { name: 'metrics without a judge', change: { judges: [], metrics: ['faithfulness' as const] }, fields: ['judge'] },
    { name: 'require_judge without one', change: { judges: [], require_judge: true }, fields: ['require_judge'] },
    { name: 'scorers of its own', change: { scorers: [spec('contains')] }, fields: ['scorers'] },
    {
      name: 'a threshold of agents',
      change: { thresholds: { min_tool_score: 1 } },
      fields: ['thresholds.min_tool_score'],
    },
  ])('faults of $name: $fields', ({ change, fields }) => {
    expect(scoring.checkConfig({ ...judgedRag, ...change }).map(({ field }) => field)).toEqual(fields);
  });

  it.each([
    { name: 'contexts and expected', fields: { expected: 'x', contexts: ['p'] }, faults: [] },
    { name: 'no contexts', fields: { expected: 'x' }, faults: ['contexts'] },
    { name: 'an empty list, which says that nothing was found', fields: { expected: 'x', contexts: [] }, faults: [] },
    { name: 'a blank expected answer', fields: { expected: ' ', contexts: ['p'] }, faults: ['expected'] },
  ])('row with $name: $faults', ({ fields, faults }) => {
    expect(scoring.checkRow(row(fields), judgedRag).map(({ field }) => field)).toEqual(faults);
  });
  it('needs no contexts in the row when every target brings its own', () => {
    const brings = { ...judgedRag, targets: [target('a', { contexts_path: 'p' })] };
    expect(scoring.checkRow(row({ expected: 'x' }), brings)).toEqual([]);
    const one = { ...brings, targets: [...brings.targets, target('b')] };
    expect(scoring.checkRow(row({ expected: 'x' }), one)).toHaveLength(1);
  });
  it('refuses a row minimum of faithfulness that no judge could measure', () => {
    const strict = row({ expected: 'x', contexts: ['p'], checks: { min_faithfulness_score: 0.5 } });
    expect(scoring.checkRow(strict, plainRag)).toMatchObject([{ field: 'checks.min_faithfulness_score' }]);
    expect(scoring.checkRow(strict, judgedRag)).toEqual([]);
  });
});

it('reads the golden values of the two scales', () => {
  const values = (scale: { labels: readonly string[] }) => scale.labels.map((_, at) => labelValue(at, scale.labels));
  expect(values(SUPEREVAL_SCALES.correctness)).toEqual([0, 0.5, 1]);
  expect(values(SUPEREVAL_SCALES.faithfulness)).toEqual([0, 0.25, 0.5, 0.75, 1]);
});
