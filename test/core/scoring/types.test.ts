import { describe, expect, it } from 'vitest';
import { classificationScoring } from '../../../src/core/scoring/classification.ts';
import { scoringFor } from '../../../src/core/scoring/scoring-for.ts';
import { answered, evalConfig, judged, judgeFailed, row, spec, target } from './build.ts';

const qa = evalConfig({ type: 'qa', scorers: [spec('contains'), spec('judge')] });
const labels = evalConfig({ type: 'classification', scorers: [spec('contains')], labels: ['spam', 'not spam', 'ham'] });
const instruction = evalConfig({ type: 'instruction', scorers: [spec('judge')] });

describe('qa', () => {
  const scoring = scoringFor('qa');
  it('scores the text check and the judge', () => {
    const given = answered('It is Paris.', { expected: 'Paris' });
    const { scores, failedChecks } = scoring.score(given, [judged({ judge: 0 })], qa);
    expect(Object.entries(scores).map(([name, score]) => [name, score.value])).toEqual([
      ['contains', 1],
      ['judge', 0],
    ]);
    expect(failedChecks).toEqual(['judge']);
  });
  it('asks the judge one question with two labels, and shows the input', () => {
    const [question, ...others] = scoring.questions(answered('Paris', { input: 'Capital?', expected: 'Paris' }), qa);
    expect(others).toEqual([]);
    expect(question).toMatchObject({ promptId: 'qa', input: 'Capital?', expected: 'Paris', answer: 'Paris' });
    expect(question?.asks).toMatchObject([{ kind: 'label', name: 'judge', labels: ['fail', 'pass'] }]);
  });
  it('leaves the judge’s failure unscored', () => {
    const { scores } = scoring.score(answered('Paris', { expected: 'Paris' }), [judgeFailed()], qa);
    expect(scores.judge).toMatchObject({ status: 'unscored', cause: 'judge-unparsable' });
  });
  it('needs a judge', () => {
    const [fault] = scoring.checkConfig({ ...qa, judges: [] });
    expect(fault?.field).toBe('judge');
    expect(fault?.fix).toContain('scorers: [contains]');
  });
  it('needs none when only text is checked', () => {
    const textOnly = { ...qa, judges: [], scorers: [spec('contains')] };
    expect(scoring.checkConfig(textOnly)).toEqual([]);
    expect(scoring.questions(answered('x', { expected: 'x' }), textOnly)).toEqual([]);
  });
  it('refuses a row without an expected answer, once', () => {
    expect(scoring.checkRow(row({ expected: '  ' }), qa)).toHaveLength(1);
    expect(scoring.checkRow(row({ expected: null }), { ...qa, scorers: [spec('judge')] })).toHaveLength(1);
    expect(scoring.checkRow(row({ expected: 'Paris' }), qa)).toEqual([]);
  });
  it('gives a check listed twice two scores', () => {
    const twice = { ...qa, scorers: [spec('regex'), spec('regex', { extract: '\\d+' }, 'regex-2')] };
    const { scores } = scoring.score(answered('a 7', { expected: '^7$' }), [], twice);
    expect(scores.regex?.value).toBe(0);
    expect(scores['regex-2']?.value).toBe(1);
  });
});

describe('classification', () => {
  it('asks no judge', () => {
    expect(scoringFor('classification').questions(answered('ham', { expected: 'ham' }), labels)).toEqual([]);
  });
  it.each([
    { name: 'the label alone', answer: 'Ham', expected: 'ham', value: 1, ambiguous: false },
    { name: 'a longer label is not its part', answer: 'not spam', expected: 'not spam', value: 1, ambiguous: false },
    { name: 'a part of a longer label', answer: 'not spam', expected: 'spam', value: 1, ambiguous: true },
    { name: 'two labels', answer: 'ham, or spam', expected: 'ham', value: 1, ambiguous: true },
    { name: 'two wrong labels', answer: 'ham, or spam', expected: 'not spam', value: 0, ambiguous: true },
    { name: 'the same label twice', answer: 'ham ham', expected: 'ham', value: 1, ambiguous: false },
    {
      name: 'the part beside the longer label',
      answer: 'spam (not "not spam")',
      expected: 'spam',
      value: 1,
      ambiguous: true,
    },
    { name: 'another label', answer: 'ham', expected: 'spam', value: 0, ambiguous: false },
    { name: 'no label', answer: 'I cannot say', expected: 'spam', value: 0, ambiguous: false },
  ])('$name', ({ answer, expected, value, ambiguous }) => {
    const result = classificationScoring.score(answered(answer, { expected }), [], labels);
    expect(result.scores.contains?.value).toBe(value);
    expect(result.warnings.some((warning) => warning.startsWith('ambiguous'))).toBe(ambiguous);
    const strict = classificationScoring.score(answered(answer, { expected }), [], { ...labels, strict_labels: true });
    expect(strict.scores.contains?.value).toBe(ambiguous ? 0 : value);
    expect(strict.failedChecks.length > 0).toBe(ambiguous || value === 0);
  });
  it('refuses a row label that is not among the labels', () => {
    const [fault] = classificationScoring.checkRow(row({ id: 'r3', expected: 'spma' }), labels);
    expect(fault).toMatchObject({ field: 'expected', fix: 'did you mean "spam"?' });
    expect(fault?.message).toContain('r3');
  });
  it('compares labels folded', () => {
    expect(classificationScoring.checkRow(row({ expected: 'SPAM ' }), labels)).toEqual([]);
  });
  it('refuses strict_labels without labels, and a judge', () => {
    const config = evalConfig({ type: 'classification', scorers: [spec('judge')], strict_labels: true });
    expect(classificationScoring.checkConfig(config).map((fault) => fault.field)).toEqual([
      'scorers.0',
      'strict_labels',
    ]);
  });
});

describe('instruction', () => {
  const scoring = scoringFor('instruction');
  it('asks by the row’s rubric, word for word', () => {
    const config = { ...instruction, rubric: 'general' };
    const [own] = scoring.questions(answered('- a', { rubric: 'Exactly 3 bullets' }), config);
    const [general] = scoring.questions(answered('- a', { rubric: ' ' }), config);
    expect([own?.rubric, general?.rubric]).toEqual(['Exactly 3 bullets', 'general']);
  });
  it('applies no text check', () => {
    const { scores } = scoring.score(answered('- a', { rubric: 'x' }), [judged({ judge: 1 })], instruction);
    expect(Object.keys(scores)).toEqual(['judge']);
  });
  it('refuses a row without a rubric', () => {
    expect(scoring.checkRow(row({ rubric: '\n' }), instruction)).toMatchObject([{ field: 'rubric' }]);
    expect(scoring.checkRow(row(), { ...instruction, rubric: 'general' })).toEqual([]);
  });
});

describe('metrics', () => {
  const scoring = scoringFor('metrics');
  const both = evalConfig({ type: 'metrics', metrics: ['correctness', 'relevance'] });

  it('asks for all judged metrics in one call', () => {
    const config = { ...both, metrics: [...both.metrics, 'latency' as const] };
    const questions = scoring.questions(answered('x'), config);
    expect(questions.map(({ asks }) => asks.map((ask) => ask.name))).toEqual([['correctness', 'relevance']]);
  });
  it('asks one by one on request, and reads the answers in that order', () => {
    const config = {
      ...both,
      judge_calls: 'per_metric' as const,
      metrics: ['latency', ...both.metrics] as typeof both.metrics,
    };
    expect(scoring.questions(answered('x'), config)).toHaveLength(2);
    const { scores } = scoring.score(answered('x'), [judged({ correctness: 0.2 }), judgeFailed('throttled')], config);
    expect(scores.correctness).toMatchObject({ value: 0.2 });
    expect(scores.relevance).toMatchObject({ status: 'unscored', cause: 'judge-unavailable' });
    expect(scores.latency).toMatchObject({ value: 1 });
  });
  it.each([
    { name: 'exactly at the budget passes', latencyMs: 3000, budget: 3000, value: 1 },
    { name: 'above the budget fails', latencyMs: 3000.5, budget: 3000, value: 0 },
    { name: 'the default budget is 5,000 ms', latencyMs: 4999, budget: undefined, value: 1 },
    { name: 'above the default budget fails', latencyMs: 5001, budget: undefined, value: 0 },
    { name: 'time that nobody measured does not apply', latencyMs: null, budget: 3000, value: null },
  ])('latency: $name', ({ latencyMs, budget, value }) => {
    const config = evalConfig({ type: 'metrics', metrics: ['latency'], latency_budget_ms: budget, judges: [] });
    expect(scoring.checkConfig(config)).toEqual([]);
    expect(scoring.questions(answered('x'), config)).toEqual([]);
    expect(scoring.score(answered('x', {}, { latencyMs }), [], config).scores.latency?.value).toBe(value);
  });
  it('adds latency when a budget is set', () => {
    const config = { ...both, latency_budget_ms: 50 };
    const { scores } = scoring.score(answered('x'), [judged({ correctness: 1, relevance: 1 })], config);
    expect(scores.latency?.value).toBe(0);
  });
  it('leaves out what does not apply', () => {
    const config = evalConfig({ type: 'metrics', metrics: ['faithfulness'] });
    const given = answered('I do not know', { contexts: ['a'] });
    const { scores } = scoring.score(given, [judged({ faithfulness: null })], config);
    expect(scores.faithfulness).toMatchObject({ status: 'unscored', cause: 'not-applicable' });
  });
  it('prefers the passages of the answer to those of the row', () => {
    const config = evalConfig({ type: 'metrics', metrics: ['context_precision'] });
    const given = answered('x', { contexts: ['row'] }, { answer: { text: 'x', contexts: ['a', 'b'] } });
    const [question] = scoring.questions(given, config);
    expect(question?.contexts).toEqual(['a', 'b']);
    expect(question?.asks).toMatchObject([{ kind: 'passages', count: 2 }]);
  });
  it('scores retrieval of nothing as 0 without asking, and faithfulness to nothing never above 0', () => {
    const metrics = ['context_precision', 'context_recall', 'faithfulness'] as const;
    const config = evalConfig({
      type: 'metrics',
      metrics: [...metrics],
      targets: [target('http', { contexts_path: 'p' })],
    });
    const given = answered('x', { expected: 'x' }, { answer: { text: 'x', contexts: [] } });
    expect(scoring.questions(given, config)[0]?.asks.map((ask) => ask.name)).toEqual(['faithfulness']);
    const { scores } = scoring.score(given, [judged({ faithfulness: 1 })], config);
    expect(metrics.map((metric) => scores[metric]?.value)).toEqual([0, 0, 0]);
  });
  it('needs contexts from somewhere', () => {
    const config = evalConfig({ type: 'metrics', metrics: ['faithfulness'] });
    expect(scoring.checkRow(row({ contexts: [] }), config)).toMatchObject([{ field: 'contexts' }]);
    expect(scoring.checkRow(row({ contexts: ['a'] }), config)).toEqual([]);
    const one = { ...config, targets: [target('a', { contexts_path: 'p' }), target('b')] };
    expect(scoring.checkRow(row(), one)).toHaveLength(1);
    expect(scoring.checkRow(row(), { ...one, targets: [target('a', { contexts_path: 'p' })] })).toEqual([]);
  });
  it('needs an expected answer for context_recall alone', () => {
    const config = evalConfig({ type: 'metrics', metrics: ['correctness', 'context_recall'] });
    expect(scoring.checkRow(row({ contexts: ['a'], expected: '' }), config)).toMatchObject([{ field: 'expected' }]);
    expect(scoring.checkRow(row(), both)).toEqual([]);
  });
  it('adds text checks as further scorers', () => {
    const config = { ...both, scorers: [spec('contains')] };
    const given = answered('x', { expected: 'y' });
    const result = scoring.score(given, [judged({ correctness: 1, relevance: 1 })], config);
    expect(Object.keys(result.scores)).toEqual(['correctness', 'relevance', 'contains']);
    expect(result.failedChecks).toEqual(['contains']);
    expect(scoring.checkRow(row(), config)).toHaveLength(1);
  });
  it.each([
    { name: 'judged metrics without a judge', change: { judges: [] }, field: 'judge' },
    { name: 'nothing to score', change: { metrics: [] }, field: 'scorers' },
    { name: 'a judge among the text checks', change: { scorers: [spec('judge')] }, field: 'scorers.0' },
    { name: 'a veto on what is not measured', change: { veto: ['safty'] }, field: 'veto.0' },
    {
      name: 'a floor on what is not measured',
      change: { thresholds: { metric_floors: { safety: 0.5 } } },
      field: 'thresholds.metric_floors.safety',
    },
    {
      name: 'a threshold of another type',
      change: { thresholds: { min_tool_score: 1 } },
      field: 'thresholds.min_tool_score',
    },
    { name: 'a margin without intervals', change: { margin: 0.1 }, field: 'margin' },
  ])('refuses $name', ({ change, field }) => {
    expect(scoring.checkConfig({ ...both, ...change }).map((fault) => fault.field)).toContain(field);
  });
});
