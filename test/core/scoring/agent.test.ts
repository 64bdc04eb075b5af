import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import type { EvalConfig } from '../../../src/core/schemas/eval.ts';
import type { Row } from '../../../src/core/schemas/row.ts';
import { scored } from '../../../src/core/schemas/score.ts';
import type { Trajectory, TrajectoryStep } from '../../../src/core/schemas/trajectory.ts';
import { efficiencyOf } from '../../../src/core/scoring/agent-efficiency.ts';
import { agentComposite, agentGateFailures, agentGateOf } from '../../../src/core/scoring/agent-gate.ts';
import { hasArguments, scoreTools, type ToolCall, toolCallsOf } from '../../../src/core/scoring/agent-tools.ts';
import type { AnsweredRow, Judgement } from '../../../src/core/scoring/eval-scoring.ts';
import { resolvePolicy } from '../../../src/core/scoring/policy.ts';
import { decideRow } from '../../../src/core/scoring/row-outcome.ts';
import { scoringFor } from '../../../src/core/scoring/scoring-for.ts';
import { evalConfig, judged, judgeFailed, row, spec, target, verdict } from './build.ts';

const scoring = scoringFor('agent');
const plain = evalConfig({ type: 'agent', judges: [], targets: [target('http', { trajectory_path: 'steps' })] });
const withJudge = { ...plain, judges: evalConfig({ type: 'agent' }).judges };

const call = (name: string, args: JsonObject = {}, error?: string): TrajectoryStep => ({
  type: 'tool_call',
  tool_call: { name, arguments: args, ...(error === undefined ? {} : { error }) },
});
const thought = (content: string): TrajectoryStep => ({ type: 'thought', content });
const final = (content: string): TrajectoryStep => ({ type: 'answer', content });

/** An agent's work on a row; its answer as targets hand it on. */
function acted(trajectory: Trajectory | undefined, fields: Partial<Row> = {}, text?: string): AnsweredRow {
  const last = trajectory?.final_answer ?? trajectory?.steps.findLast((step) => step.type === 'answer')?.content;
  const answer = trajectory === undefined ? { text: text ?? '' } : { text: text ?? last ?? '', trajectory };
  return { row: row(fields), answer, latencyMs: 1 };
}

function run(given: AnsweredRow, config: EvalConfig = plain, judgements: readonly Judgement[] = []) {
  const result = scoring.score(given, judgements, config);
  return { ...result, outcome: decideRow(result, resolvePolicy(config), judgements) };
}
const answerOf = (given: AnsweredRow, config?: EvalConfig, judgements?: readonly Judgement[]) =>
  run(given, config, judgements).scores.answer_score;

describe('answer_score', () => {
  const said = (text: string, fields: Partial<Row>) => acted({ steps: [final(text)] }, fields);
  it.each([
    { name: 'contains by default', text: 'The result is 42.', expected: '42', match: undefined, value: 1 },
    { name: 'contains folds case', text: 'DONE', expected: 'done', match: 'contains', value: 1 },
    { name: 'exact trims and folds', text: ' Done ', expected: 'done', match: 'exact', value: 1 },
    { name: 'exact wants all of it', text: 'Done.', expected: 'done', match: 'exact', value: 0 },
    { name: 'regex on the raw answer', text: 'id AB-12', expected: '[A-Z]{2}-\\d+', match: 'regex', value: 1 },
    { name: 'regex keeps case', text: 'id ab-12', expected: '[A-Z]{2}-\\d+', match: 'regex', value: 0 },
    { name: 'a number expected', text: 'It is 42', expected: 42, match: undefined, value: 1 },
    { name: 'nothing expected is not checked', text: 'anything', expected: null, match: undefined, value: 1 },
    { name: 'nothing expected and no rubric is not judged', text: 'x', expected: null, match: 'llm_judge', value: 1 },
  ] as const)('$name', ({ text, expected, match, value }) => {
    const checks = match === undefined ? {} : { answer_match: match };
    expect(answerOf(said(text, { expected, checks }))?.value).toBe(value);
  });

  it.each([
    { name: 'from final_answer', trajectory: { steps: [final('no')], final_answer: '42' }, text: '', value: 1 },
    { name: 'from the last answer step', trajectory: { steps: [final('no'), final('42')] }, text: '', value: 1 },
    { name: 'from the target’s answer', trajectory: { steps: [thought('hm')] }, text: '42', value: 1 },
    { name: 'of a target without a trajectory', trajectory: undefined, text: '42', value: 1 },
    { name: 'that is empty', trajectory: { steps: [], final_answer: '' }, text: '', value: 0 },
  ])('takes the final answer $name', ({ trajectory, text, value }) => {
    expect(answerOf(acted(trajectory, { expected: '42' }, text))?.value).toBe(value);
  });
  it('is 0 with a reason when there is no final answer, and no judge is asked', () => {
    const silent = acted({ steps: [thought('42')] }, { expected: '42', checks: { answer_match: 'llm_judge' } });
    expect(answerOf(silent)).toMatchObject({ status: 'scored', value: 0, reason: 'no final answer' });
    expect(scoring.questions(silent, withJudge).flatMap(({ asks }) => asks.map((ask) => ask.name))).toEqual([
      'reasoning.faithfulness',
      'reasoning.logical_coherence',
    ]);
    expect(run(silent).outcome).toMatchObject({ status: 'scored', passed: false, failedChecks: ['min_answer_score'] });
  });

  describe('by llm_judge', () => {
    const checks = { answer_match: 'llm_judge' as const };
    const asked = acted(undefined, { input: 'How much?', expected: '42', checks }, 'The result is 42.');
    const labels = {
      'answer.correctness': verdict(0.5, { rawLabel: 'partially correct', rawScore: 1, scale: [0, 2] }),
      'answer.completeness': verdict(1),
      'answer.helpfulness': verdict(0.75, { rawLabel: 'helpful', rawScore: 3, scale: [0, 4] }),
    };
    const three = Object.entries(labels).map(([name, value]) => judged({ [name]: value }));

    it('asks three questions, one label each', () => {
      const questions = scoring.questions(asked, withJudge);
      expect(questions.map(({ asks }) => asks.map(({ name }) => name))).toEqual(Object.keys(labels).map((n) => [n]));
      expect(questions[0]).toMatchObject({
        promptId: 'agent',
        input: 'How much?',
        expected: '42',
        answer: 'The result is 42.',
      });
    });
    it('is their mean; label and integer are kept, and the parts enter nothing', () => {
      const { scores } = run(asked, withJudge, three);
      expect(scores.answer_score).toMatchObject({ value: 0.75, in_row_score: false });
      expect(scores['answer.correctness']).toMatchObject({
        value: 0.5,
        raw_label: 'partially correct',
        raw_score: 1,
        scale: [0, 2],
        in_row_score: false,
      });
    });
    it.each([0, 1, 2])('is a judge error when sub-metric %i failed', (failing) => {
      const judgements = three.map((given, at) => (at === failing ? judgeFailed('timeout') : given));
      const { outcome, scores } = run(asked, withJudge, judgements);
      expect(scores.answer_score?.status).toBe('unscored');
      expect(outcome).toMatchObject({ status: 'judge_error', cause: 'timeout', passed: false, score: null });
    });
    it('without a judge falls back to contains, and says so', () => {
      const { scores, warnings } = run(asked);
      expect(scores.answer_score?.value).toBe(1);
      expect(scores.answer_score?.reason).toContain('fell back to contains');
      expect(warnings).toEqual(['llm_judge fell back to contains: no judge is configured']);
    });
    it('judges on the rubric where no answer is expected', () => {
      const byRubric = acted(undefined, { rubric: 'Names a price', checks }, '42 EUR');
      expect(scoring.questions(byRubric, withJudge)[0]).toMatchObject({ expected: null, rubric: 'Names a price' });
      expect(answerOf(byRubric, withJudge, three)?.value).toBe(0.75);
    });
    it('refuses a rubric that no judge could apply', () => {
      const byRubric = row({ rubric: 'Names a price', checks });
      expect(scoring.checkRow(byRubric, plain)).toMatchObject([{ field: 'checks.answer_match' }]);
      expect(scoring.checkRow(byRubric, withJudge)).toEqual([]);
    });
    it('uses Bedrock’s labels and its further qualities on request', () => {
      const questions = scoring.questions(asked, { ...withJudge, judge_scales: 'bedrock' });
      expect(questions.map(({ asks }) => asks.length)).toEqual([1, 1, 1, 7]);
      expect(questions[2]?.asks[0]).toMatchObject({ name: 'answer.helpfulness', labels: { length: 7 } });
    });
  });
});

describe('tool_score', () => {
  it('is the share of checks that hold, all kinds together', () => {
    const trajectory = { steps: [call('lookup', { id: 8 }), call('delete_all')] };
    const checks = {
      must_call: ['lookup', 'answer'],
      must_not_call: ['delete_all'],
      must_call_with: [{ tool: 'lookup', args: { id: 7 } }],
    };
    const { scores, failedChecks } = run(acted(trajectory, { checks }));
    expect(scores.tool_score).toMatchObject({ value: 0.25, raw_score: 1, scale: [0, 4] });
    expect(failedChecks).toEqual([
      'min_tool_score',
      'must_call: answer',
      'must_not_call: delete_all',
      'must_call_with: lookup {"id":7}',
    ]);
  });
  it.each([
    { name: 'no checks', checks: {}, calls: ['x'], value: 1 },
    { name: 'empty lists', checks: { must_call: [], must_not_call: [], must_call_with: [] }, calls: ['x'], value: 1 },
    {
      name: 'a forbidden tool called five times',
      checks: { must_not_call: ['x'], must_call: ['x'] },
      calls: ['x', 'x', 'x', 'x', 'x'],
      value: 0.5,
    },
    { name: 'a check listed twice', checks: { must_call: ['a', 'a', 'x'] }, calls: ['x'], value: 1 / 3 },
    { name: 'names are exact', checks: { must_call: ['X'] }, calls: ['x'], value: 0 },
    { name: 'no calls at all', checks: { must_not_call: ['x'] }, calls: [], value: 1 },
  ])('$name: $value', ({ checks, calls, value }) => {
    expect(
      scoreTools(
        calls.map((name) => ({ name, arguments: {} })),
        checks,
      ).score.value,
    ).toBeCloseTo(value, 12);
  });
  it.each<{ name: string; wanted: JsonObject; given: JsonObject; holds: boolean }>([
    {
      name: 'key order is free',
      wanted: { q: 's3', opt: { a: 1, b: 2 } },
      given: { opt: { b: 2, a: 1 }, q: 's3' },
      holds: true,
    },
    { name: '1 is 1.0', wanted: { n: 1 }, given: { n: 1.0 }, holds: true },
    { name: '1 is not "1"', wanted: { n: 1 }, given: { n: '1' }, holds: false },
    { name: 'true is not 1', wanted: { n: true }, given: { n: 1 }, holds: false },
    { name: 'null is not missing', wanted: { n: null }, given: {}, holds: false },
    { name: 'null is null', wanted: { n: null }, given: { n: null }, holds: true },
    { name: 'further keys are allowed', wanted: { q: 's3' }, given: { q: 's3', limit: 10 }, holds: true },
    { name: 'a key is missing', wanted: { q: 's3', limit: 10 }, given: { q: 's3' }, holds: false },
    { name: 'nothing asked is any call', wanted: {}, given: { q: 1 }, holds: true },
    {
      name: 'within a value nothing may be added',
      wanted: { o: { a: 1 } },
      given: { o: { a: 1, b: 2 } },
      holds: false,
    },
    { name: 'order within lists counts', wanted: { l: [1, 2] }, given: { l: [2, 1] }, holds: false },
    { name: 'inherited names are missing', wanted: { constructor: null }, given: {}, holds: false },
  ])('must_call_with: $name', ({ wanted, given, holds }) => {
    expect(hasArguments(given, wanted)).toBe(holds);
  });
  it('compares arguments that are beyond the range of JSON without breaking', () => {
    const args = '{"n": 1e999}';
    const step: TrajectoryStep = { type: 'tool_call', tool_call: { name: 'a', arguments: args } };
    const checks = { must_call_with: [{ tool: 'a', args: { n: 1 } }] };
    expect(run(acted({ steps: [step] }, { checks })).scores.tool_score?.value).toBe(0);
  });
  it('wants every argument in one call', () => {
    const calls = [call('book', { a: 1 }), call('book', { b: 2 })];
    const checks = { must_call_with: [{ tool: 'book', args: { a: 1, b: 2 } }] };
    expect(run(acted({ steps: calls }, { checks })).scores.tool_score?.value).toBe(0);
  });
  it('counts calls that failed, calls as JSON text and calls by name alone; observations only repeat', () => {
    const steps: TrajectoryStep[] = [
      call('a', {}, 'boom'),
      { type: 'tool_call', tool_call: { name: 'b', arguments: '{"x":1}' } },
      { type: 'tool_call', content: ' c ' },
      { type: 'observation', content: '1', tool_call: { name: 'b' } },
    ];
    expect(toolCallsOf({ steps })).toEqual([
      { name: 'a', arguments: {} },
      { name: 'b', arguments: { x: 1 } },
      { name: 'c', arguments: {} },
    ]);
  });
  it('holds nothing where nobody knows what was called', () => {
    const { scores, outcome } = run(acted(undefined, { checks: { must_not_call: ['rm'], max_tool_calls: 3 } }, 'done'));
    expect(scores.tool_score).toMatchObject({ status: 'scored', value: 0 });
    expect(scores.tool_score?.reason).toContain('no trajectory');
    expect(outcome.failedChecks).toEqual([
      'min_tool_score',
      'must_not_call: rm',
      'max_tool_calls: unknown of at most 3',
    ]);
  });
  it('names no check that failed within what the minimum allows', () => {
    const given = acted({ steps: [call('a')] }, { checks: { must_call: ['a', 'b'] } });
    const lenient = { ...plain, thresholds: { min_tool_score: 0.5 } };
    const { outcome, scores } = run(given, lenient);
    expect(outcome).toMatchObject({ passed: true, failedChecks: [] });
    expect(scores.tool_score?.reason).toContain('must_call: b');
  });
  it('stays within 0..1 and never grows by adding a forbidden call', () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const calls = fc.array(
      names.map((name): ToolCall => ({ name, arguments: {} })),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(
        calls,
        fc.array(names, { maxLength: 4 }),
        fc.array(names, { maxLength: 4 }),
        (made, must, mustNot) => {
          const checks = { must_call: must, must_not_call: mustNot };
          const value = scoreTools(made, checks).score.value ?? -1;
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
          const [forbidden] = mustNot.filter((name) => !must.includes(name));
          if (forbidden === undefined) return;
          const more = scoreTools([...made, { name: forbidden, arguments: {} }], checks).score.value ?? 2;
          expect(more).toBeLessThanOrEqual(value);
        },
      ),
    );
  });
});

describe('max_tool_calls', () => {
  const two = { steps: [call('a'), thought('x'), call('a')] };
  it.each([
    { most: 2, failed: [] },
    { most: 1, failed: ['max_tool_calls: 2 of at most 1'] },
    { most: 0, failed: ['max_tool_calls: 2 of at most 0'] },
  ])('$most', ({ most, failed }) => {
    expect(run(acted(two, { checks: { max_tool_calls: most } })).outcome).toMatchObject({
      passed: failed.length === 0,
      failedChecks: failed,
    });
  });
});

describe('efficiency_score', () => {
  it.each([
    { steps: 1, max: 5, value: 1 },
    { steps: 5, max: 5, value: 0 },
    { steps: 3, max: 5, value: 0.5 },
    { steps: 7, max: 5, value: 0 },
    { steps: 0, max: 5, value: 1 },
    { steps: 1, max: 1, value: 1 },
    { steps: 0, max: 1, value: 1 },
    { steps: 2, max: 1, value: 0 },
    { steps: 4, max: undefined, value: 1 },
    { steps: 500, max: 500, value: 0 },
  ])('of $steps steps with at most $max is $value', ({ steps, max, value }) => {
    expect(efficiencyOf(steps, max)).toBe(value);
  });
  it('counts steps of every type', () => {
    const steps = [thought('a'), call('b'), { type: 'observation' as const, content: 'c' }, final('d')];
    const { scores } = run(acted({ steps }, { checks: { max_steps: 7 } }));
    expect(scores.efficiency_score).toMatchObject({ value: 0.5, raw_score: 4 });
  });
  it('does not gate, unless it has a minimum', () => {
    const slow = acted({ steps: [thought('a'), final('b')] }, { checks: { max_steps: 2 } });
    expect(run(slow).outcome.passed).toBe(true);
    const strict = run(slow, { ...plain, thresholds: { min_efficiency_score: 0.5 } });
    expect(strict.outcome).toMatchObject({ passed: false, failedChecks: ['min_efficiency_score'] });
  });
  it('does not apply where the steps are unknown, and then reaches no minimum', () => {
    const unknown = acted(undefined, { checks: { max_steps: 3, min_efficiency_score: 0 } }, 'x');
    const { scores, outcome } = run(unknown);
    expect(scores.efficiency_score).toMatchObject({ status: 'unscored', cause: 'not-applicable' });
    expect(outcome).toMatchObject({ status: 'scored', failedChecks: ['min_efficiency_score'] });
  });
});

describe('reasoning_score', () => {
  const worked = acted({ steps: [thought('2 + 2'), final('4')] }, { expected: '4' });
  const two = (faithfulness: number, coherence: number) => [
    judged({ 'reasoning.faithfulness': faithfulness }),
    judged({ 'reasoning.logical_coherence': coherence }),
  ];
  it('is asked in two calls that show the steps and not the expected answer', () => {
    const questions = scoring.questions(worked, withJudge);
    expect(questions.map(({ asks }) => asks.map(({ name }) => name))).toEqual([
      ['reasoning.faithfulness'],
      ['reasoning.logical_coherence'],
    ]);
    expect(questions[0]).toMatchObject({ expected: null, answer: '4' });
    expect(questions[0]?.steps).toBe('1. thought\n  2 + 2\n2. answer\n  4');
  });
  it('is their mean, and without a minimum never fails', () => {
    const { scores, outcome } = run(worked, withJudge, two(0.5, 0));
    expect(scores.reasoning_score?.value).toBe(0.25);
    expect(outcome.passed).toBe(true);
  });
  it.each([
    { minimum: 0.25, passed: true },
    { minimum: 0.26, passed: false },
  ])('of 0.25 against $minimum passes: $passed', ({ minimum, passed }) => {
    const config = { ...withJudge, thresholds: { min_reasoning_score: minimum } };
    expect(run(worked, config, two(0.5, 0)).outcome.passed).toBe(passed);
  });
  it('is not there without a judge', () => {
    expect(scoring.questions(worked, plain)).toEqual([]);
    expect(run(worked).scores).not.toHaveProperty('reasoning_score');
  });
  it.each([
    { name: 'no trajectory', given: acted(undefined, {}, 'x') },
    { name: 'no steps', given: acted({ steps: [], final_answer: 'x' }) },
  ])('does not apply with $name, and then reaches no minimum', ({ given }) => {
    expect(scoring.questions(given, withJudge)).toEqual([]);
    expect(run(given, withJudge).outcome).toMatchObject({ status: 'scored', passed: true, score: 1 });
    const strict = { ...withJudge, thresholds: { min_reasoning_score: 0 } };
    expect(run(given, strict).outcome.failedChecks).toEqual(['min_reasoning_score']);
  });
});

describe('composite', () => {
  const scoresOf = (values: Record<string, number>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [`${name}_score`, scored(value, 'r')]));
  it.each<{ name: string; values: Record<string, number>; value: number }>([
    {
      name: 'without reasoning the others share its weight',
      values: { answer: 0.5, tool: 1, efficiency: 0.5 },
      value: 0.7352941176470589,
    },
    { name: 'with all four', values: { answer: 1, tool: 1, efficiency: 0, reasoning: 0.5 }, value: 0.875 },
    { name: 'of a perfect run without a judge', values: { answer: 1, tool: 1, efficiency: 1 }, value: 1 },
  ])('$name', ({ values, value }) => {
    expect(agentComposite(scoresOf(values), agentGateOf({})).value).toBeCloseTo(value, 12);
  });
  it('is the row score and gates nothing', () => {
    const config = { ...plain, thresholds: { answer_weight: 0, tool_weight: 0, efficiency_weight: 1 } };
    const slow = acted({ steps: [thought('a'), final('b')] }, { checks: { max_steps: 2 } });
    expect(run(slow, config).outcome).toMatchObject({ score: 0, passed: true });
  });
  it('that has nothing to weigh is no score', () => {
    const config = { ...plain, thresholds: { answer_weight: 0, tool_weight: 0 } };
    const unknown = acted(undefined, { checks: { max_steps: 2 } }, 'x');
    expect(run(unknown, config).outcome).toMatchObject({ status: 'judge_error', cause: 'nothing-applicable' });
  });
});

describe('row gate', () => {
  it('has the defaults of SCORING in the policy', () => {
    expect(resolvePolicy(plain).row_gate).toEqual({
      min_answer_score: 0.8,
      min_tool_score: 1,
      min_reasoning_score: null,
      min_efficiency_score: null,
      answer_weight: 0.4,
      tool_weight: 0.4,
      efficiency_weight: 0.05,
      reasoning_weight: 0.15,
    });
  });
  it.each([
    { answer: 0.8, gate: {}, checks: {}, failed: [] },
    { answer: 0.7999999, gate: {}, checks: {}, failed: ['min_answer_score'] },
    { answer: 0, gate: { min_answer_score: null }, checks: {}, failed: [] },
    { answer: 0.5, gate: {}, checks: { min_answer_score: 0.5 }, failed: [] },
    { answer: 0.9, gate: {}, checks: { min_answer_score: 1 }, failed: ['min_answer_score'] },
  ])('answer $answer with $gate and $checks: $failed', ({ answer, gate, checks, failed }) => {
    const scores = { answer_score: scored(answer, 'r'), tool_score: scored(1, 'r') };
    expect(agentGateFailures(scores, agentGateOf(gate), checks)).toEqual(failed);
  });
});

describe('configuration', () => {
  it.each([
    { name: 'nothing', change: {}, fields: [] },
    {
      name: 'a minimum of reasoning without a judge',
      change: { judges: [], thresholds: { min_reasoning_score: 0.5 } },
      fields: ['thresholds.min_reasoning_score'],
    },
    {
      name: 'a minimum of reasoning with a target that gives no steps',
      change: { targets: [target('http')], thresholds: { min_reasoning_score: 0.5 } },
      fields: ['thresholds.min_reasoning_score'],
    },
    {
      name: 'weights of nothing but reasoning, without a judge',
      change: { judges: [], thresholds: { answer_weight: 0, tool_weight: 0, efficiency_weight: 0 } },
      fields: ['thresholds.answer_weight'],
    },
    { name: 'require_judge without one', change: { judges: [], require_judge: true }, fields: ['require_judge'] },
    { name: 'scorers of its own', change: { scorers: [spec('contains')] }, fields: ['scorers'] },
    {
      name: 'a threshold of RAG',
      change: { thresholds: { require_contains: true } },
      fields: ['thresholds.require_contains'],
    },
  ])('faults of $name: $fields', ({ change, fields }) => {
    expect(scoring.checkConfig({ ...withJudge, ...change }).map(({ field }) => field)).toEqual(fields);
  });

  const recorded = {
    type: 'recorded',
    id: 'recorded',
    output: 'output',
    contexts: 'contexts',
    trajectory: 'trajectory',
  } as const;
  it.each([
    { name: 'a plain answer is enough', targets: [target('http')], fields: { expected: 'x' }, faults: [] },
    {
      name: 'tool checks need a trajectory',
      targets: [target('http')],
      fields: { checks: { must_not_call: ['rm'] } },
      faults: ['checks'],
    },
    {
      name: 'so does max_steps, of every target',
      targets: [target('a', { trajectory_path: 's' }), target('b')],
      fields: { checks: { max_steps: 3 } },
      faults: ['checks'],
    },
    { name: 'empty lists ask nothing', targets: [target('http')], fields: { checks: { must_call: [] } }, faults: [] },
    {
      name: 'a recorded row without one',
      targets: [recorded],
      fields: { checks: { must_call: ['a'] } },
      faults: ['checks'],
    },
    {
      name: 'a recorded row with one',
      targets: [recorded],
      fields: { checks: { must_call: ['a'] }, trajectory: [] },
      faults: [],
    },
    {
      name: 'a pattern that is none',
      targets: [target('http')],
      fields: { expected: '(', checks: { answer_match: 'regex' as const } },
      faults: ['expected'],
    },
    {
      name: 'a minimum of reasoning without a judge',
      targets: [target('http')],
      fields: { checks: { min_reasoning_score: 0.5 } },
      faults: ['checks.min_reasoning_score'],
    },
  ])('row: $name', ({ targets, fields, faults }) => {
    expect(scoring.checkRow(row(fields), { ...plain, targets }).map(({ field }) => field)).toEqual(faults);
  });
  it('says of a row that checks nothing that it does', () => {
    expect(run(acted(undefined, {}, 'x')).warnings).toHaveLength(1);
    expect(run(acted(undefined, { expected: 'x' }, 'x')).warnings).toEqual([]);
  });
});
