import { describe, expect, it } from 'vitest';
import { type Score, scored, unscored } from '../../../src/core/schemas/score.ts';
import { resolvePolicy } from '../../../src/core/scoring/policy.ts';
import { redecideRow } from '../../../src/core/scoring/redecide-row.ts';
import { evalConfig } from './build.ts';

const aside = (value: number): Score => scored(value, 'r', { in_row_score: false });
const rag = {
  composite_score: scored(0.75, 'r'),
  contains_score: aside(0),
  answer_correctness_score: aside(1),
  faithfulness_score: aside(0.5),
};
const agent = {
  composite_score: scored(0.7, 'r'),
  answer_score: aside(0.5),
  tool_score: aside(0.5),
  efficiency_score: aside(1),
};

describe('stored scores under another policy', () => {
  it.each([
    { name: 'as it was', thresholds: {}, checks: {}, passed: false, failed: ['require_contains'], score: 0.75 },
    {
      name: 'a switch off',
      thresholds: { require_contains: false },
      checks: {},
      passed: true,
      failed: [],
      score: 0.75,
    },
    {
      name: 'the row’s own switch',
      thresholds: {},
      checks: { require_contains: false },
      passed: true,
      failed: [],
      score: 0.75,
    },
    {
      name: 'other weights',
      thresholds: { require_contains: false, faithfulness_weight: 0 },
      checks: {},
      passed: true,
      failed: [],
      score: 1,
    },
  ])('rag, $name', ({ thresholds, checks, passed, failed, score }) => {
    const policy = resolvePolicy(evalConfig({ type: 'rag', thresholds }));
    expect(redecideRow({ scores: rag, failed_checks: ['require_contains'] }, policy, checks)).toEqual({
      status: 'scored',
      cause: null,
      passed,
      score,
      failedChecks: failed,
    });
  });
  it.each([
    {
      name: 'as it was',
      thresholds: {},
      failed: ['min_answer_score', 'min_tool_score', 'must_call: a', 'max_tool_calls: 9 of at most 3'],
    },
    {
      name: 'lower minima',
      thresholds: { min_answer_score: 0.5, min_tool_score: 0.5 },
      failed: ['max_tool_calls: 9 of at most 3'],
    },
  ])('agent, $name', ({ thresholds, failed }) => {
    const policy = resolvePolicy(evalConfig({ type: 'agent', thresholds }));
    const failed_checks = ['min_tool_score', 'must_call: a', 'max_tool_calls: 9 of at most 3'];
    const outcome = redecideRow({ scores: agent, failed_checks }, policy, {});
    expect(outcome).toMatchObject({ passed: false, failedChecks: failed });
    expect(outcome.score).toBeCloseTo((0.4 * 0.5 + 0.4 * 0.5 + 0.05) / 0.85, 12);
  });
  it('never lets through what nobody verified or judged', () => {
    const unverified = { ...rag, faithfulness_score: scored(1, 'r', { raw_label: 'unverified', in_row_score: false }) };
    const strict = resolvePolicy(
      evalConfig({ type: 'rag', thresholds: { require_contains: false, min_faithfulness_score: 0.1 } }),
    );
    expect(redecideRow({ scores: unverified, failed_checks: [] }, strict, {})).toMatchObject({
      passed: false,
      score: 1,
    });
    const failed = { ...rag, faithfulness_score: unscored('judge-unavailable', 'throttled', { in_row_score: false }) };
    expect(redecideRow({ scores: failed, failed_checks: [] }, strict, {}).status).toBe('judge_error');
  });
  it('of a type with a row mark decides by the mark', () => {
    const scores = { correctness: scored(0.7, 'r') };
    const at = (min_score: number) => resolvePolicy(evalConfig({ type: 'metrics', thresholds: { min_score } }));
    expect(redecideRow({ scores, failed_checks: [] }, at(0.8), {}).passed).toBe(false);
    expect(redecideRow({ scores, failed_checks: ['veto: safety'] }, at(0.7), {}).passed).toBe(true);
  });
});
