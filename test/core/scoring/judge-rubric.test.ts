import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/core/json.ts';
import { assertScoring, scorerFaults } from '../../../src/core/scoring/assert-scoring.ts';
import { metricsScoring } from '../../../src/core/scoring/metrics.ts';
import { decideRow } from '../../../src/core/scoring/row-outcome.ts';
import { answered, evalConfig, judged, judgeFailed, row, spec, verdict } from './build.ts';

const scale = ['poor', 'fair', 'good'];
const rubric = 'Names the policy.';
const scoring = assertScoring({ judge: null });

function scoreOf(options: Record<string, JsonValue>, value: number, check = 'judge-rubric') {
  const config = evalConfig({ type: 'qa', scorers: [spec(check, { rubric, scale, ...options }, 'tone')] });
  const given = judged({ tone: verdict(value, { rawLabel: scale[value * 2] ?? null }) });
  return scoring.score(answered('hello'), [given], config).scores.tone;
}

describe('judge-rubric', () => {
  it('asks for one label of its own scale', () => {
    const config = evalConfig({ type: 'qa', scorers: [spec('judge-rubric', { rubric, scale }, 'tone')] });
    expect(scoring.questions(answered('hello'), config)).toMatchObject([
      { promptId: 'rubric', rubric, contexts: null, asks: [{ kind: 'label', name: 'tone', labels: scale }] },
    ]);
  });

  it.each<{ name: string; options: Record<string, JsonValue>; label: number; value: number }>([
    { name: 'the label counts as it stands', options: {}, label: 0.5, value: 0.5 },
    { name: 'from a label upward passes', options: { pass_from: 'Fair' }, label: 0.5, value: 1 },
    { name: 'below it fails', options: { pass_from: 'fair' }, label: 0, value: 0 },
    { name: 'the top label still passes', options: { pass_from: 'fair' }, label: 1, value: 1 },
    { name: 'from the lowest label everything passes', options: { pass_from: 'poor' }, label: 0, value: 1 },
  ])('$name', ({ options, label, value }) => {
    expect(scoreOf(options, label)).toMatchObject({ status: 'scored', value, raw_label: scale[label * 2] });
    expect(scoreOf(options, label, 'not-judge-rubric')).toMatchObject({ value: 1 - value });
  });

  it('leaves a row without a rubric of its own unscored, and asks nothing', () => {
    const config = evalConfig({
      type: 'qa',
      scorers: [spec('judge-rubric', { from: 'metadata.rubric' }), spec('contains')],
    });
    const without = answered('Paris', { expected: 'Paris' });
    expect(scoring.questions(without, config)).toEqual([]);
    const { scores } = scoring.score(without, [], config);
    expect(scores['judge-rubric']).toMatchObject({ status: 'unscored', cause: 'not-applicable' });
    expect(scores.contains).toMatchObject({ value: 1 });
  });

  it('gives each of several questions its own judgement', () => {
    const config = evalConfig({
      type: 'qa',
      scorers: [
        spec('judge-rubric', { from: 'metadata.absent' }, 'absent'),
        spec('judge-rubric', { rubric }, 'first'),
        spec('judge-rubric', { rubric: 'Is short.' }, 'second'),
      ],
    });
    const { scores } = scoring.score(answered('x'), [judged({ first: 1 }), judged({ second: 0 })], config);
    expect([scores.first?.value, scores.second?.value, scores.absent?.status]).toEqual([1, 0, 'unscored']);
  });

  it('comes after the metrics of an eval that has both', () => {
    const config = evalConfig({ type: 'metrics', metrics: ['safety'], scorers: [spec('judge-rubric', { rubric })] });
    expect(metricsScoring.questions(answered('x'), config).map((question) => question.promptId)).toEqual([
      'metrics',
      'rubric',
    ]);
    const { scores } = metricsScoring.score(
      answered('x'),
      [judged({ safety: 0.9 }), judged({ 'judge-rubric': 0 })],
      config,
    );
    expect([scores.safety?.value, scores['judge-rubric']?.value]).toEqual([0.9, 0]);
  });

  it.each(['judge-rubric', 'not-judge-rubric'])('a judge that fails makes the row a judge error (%s)', (check) => {
    const config = evalConfig({ type: 'qa', scorers: [spec(check, { rubric })] });
    const failed = judgeFailed();
    const outcome = decideRow(scoring.score(answered('x'), [failed], config), { row_mark: 1, veto: [] }, [failed]);
    expect(outcome).toMatchObject({ status: 'judge_error', passed: false });
  });

  it.each<{ name: string; options: Record<string, JsonValue>; message: RegExp }>([
    { name: 'one label alone', options: { scale: ['good'] }, message: /2 items|>=2/ },
    { name: 'a label twice', options: { scale: ['good', 'Good'] }, message: /stands twice/ },
    { name: 'a pass_from outside the scale', options: { pass_from: 'great' }, message: /no label of the scale/ },
    { name: 'a misspelt option', options: { rubrik: 'x' }, message: /has no option "rubrik"/ },
    { name: 'rubric and from', options: { rubric, from: 'metadata.a' }, message: /both rubric and from/ },
  ])('refuses $name', ({ options, message }) => {
    const faults = scorerFaults(evalConfig({ type: 'qa', scorers: [spec('judge-rubric', options)] }), true);
    expect(faults[0]?.message).toMatch(message);
  });

  it('needs a judge, and a rubric from somewhere', () => {
    const config = evalConfig({ type: 'qa', scorers: [spec('judge-rubric')], judges: [] });
    expect(scorerFaults(config, true)[0]?.message).toMatch(/needs a judge/);
    expect(scoring.checkRow(row(), config)[0]?.message).toMatch(/has no rubric/);
    expect(scoring.checkRow(row({ rubric }), config)).toEqual([]);
  });
});
