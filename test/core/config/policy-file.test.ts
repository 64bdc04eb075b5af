import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../src/core/config/parse-policy.ts';
import { policyFileOf } from '../../../src/core/config/policy-file.ts';
import type { EvalConfig } from '../../../src/core/schemas/eval.ts';
import { policyHash, resolvePolicy } from '../../../src/core/scoring/policy.ts';
import { evalConfig } from '../scoring/build.ts';

const metrics: EvalConfig['metrics'] = ['correctness', 'relevance'];
const run = (changes: Parameters<typeof evalConfig>[0]) => evalConfig({ metrics, ...changes });

describe('the policy of a run as a file', () => {
  it.each([
    { name: 'defaults of qa', config: run({ type: 'qa' }) },
    { name: 'defaults of classification', config: run({ type: 'classification' }) },
    { name: 'defaults of instruction', config: run({ type: 'instruction' }) },
    { name: 'defaults of metrics', config: run({ type: 'metrics' }) },
    { name: 'defaults of rag', config: run({ type: 'rag' }) },
    { name: 'defaults of agent', config: run({ type: 'agent' }) },
    { name: 'a default that was switched off', config: run({ type: 'agent', thresholds: { min_tool_score: null } }) },
    {
      name: 'a default of rag that was switched off',
      config: run({ type: 'rag', thresholds: { min_answer_correctness_score: null, require_contains: false } }),
    },
    {
      name: 'every rule of a run',
      config: run({
        type: 'metrics',
        veto: ['relevance'],
        trial_policy: 'majority',
        decide_by: 'interval',
        margin: 0.03,
        on_inconclusive: 'error',
        require_calibration: { min_kappa: 0.6, max_age_days: 90 },
        thresholds: {
          pass_rate: 0.9,
          min_score: 0.7,
          fail_on_regression: true,
          max_score_drop: 0,
          max_cost_usd: 0,
          max_p95_latency_ms: 3000,
          min_coverage: 0.5,
          same_rows_only: true,
          require_baseline: true,
          strict_baseline: true,
          metric_floors: { correctness: 0.6 },
        },
      }),
    },
  ])('gives the same policy back: $name', ({ config }) => {
    const policy = resolvePolicy(config);
    const again = resolvePolicy(parsePolicy(policyFileOf(policy), config));
    expect(again).toEqual(policy);
    expect(policyHash(again)).toBe(policyHash(policy));
  });

  it('holds the mark of the project, which no eval file has', () => {
    const config = run({ type: 'metrics' });
    const policy = resolvePolicy(config, { projectPassMark: 0.65 });
    expect(policyFileOf(policy).thresholds).toMatchObject({ min_score: 0.65 });
    expect(resolvePolicy(parsePolicy(policyFileOf(policy), config))).toEqual(policy);
  });
});
