import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideGate, gateOf, statusOfGate } from '../../../src/core/gate/decide-gate.ts';
import type { GateFigures, GateGuards, GateInput } from '../../../src/core/gate/gate-input.ts';
import type { BaselineComparison } from '../../../src/core/schemas/summary.ts';
import type { Policy } from '../../../src/core/schemas/thresholds.ts';
import { resolvePolicy } from '../../../src/core/scoring/policy.ts';
import { evalConfig } from '../scoring/build.ts';

const metricsPolicy = resolvePolicy(evalConfig({ type: 'metrics' }));
const qaPolicy = resolvePolicy(evalConfig({ type: 'qa' }));

/** Ten rows, all scored and passed. */
function figures(changes: Partial<GateFigures> = {}): GateFigures {
  return {
    counts: { rows: 10, results: 10, scored: 10, target_error: 0, judge_error: 0, skipped: 0 },
    counted: 10,
    passed: 10,
    score: 1,
    scoreCi95: [1, 1],
    passRate: 1,
    passRateCi95: [0.72, 1],
    coverage: 1,
    weakest: null,
    metrics: {},
    targets: [{ id: 'http', counts: { scored: 10, target_error: 0, judge_error: 0 } }],
    latency: { p95_ms: 100 },
    cost: { total_usd: 0.01, unknown: [] },
    ...changes,
  };
}

const NO_GUARDS: GateGuards = { stopped: null, lost: 0, costCapReached: false, cancelled: false };

function input(changes: Partial<Omit<GateInput, 'policy'>> & { policy?: Partial<Policy> } = {}): GateInput {
  return {
    figures: figures(changes.figures),
    baseline: changes.baseline ?? null,
    guards: { ...NO_GUARDS, ...changes.guards },
    policy: { ...metricsPolicy, ...changes.policy },
  };
}

const comparison = (changes: Partial<BaselineComparison> = {}): BaselineComparison => ({
  run_id: 'r-then',
  same: 10,
  new: 0,
  removed: [],
  removed_passed: [],
  changed: [],
  regressed: [],
  fixed: [],
  still_failing: [],
  unknown: [],
  pass_rate: 1,
  score: 1,
  delta: 0,
  delta_same: 0,
  mean_delta: 0,
  ci95: [-0.01, 0.01],
  p_value: 1,
  differences: [],
  ...changes,
});

describe('decideGate', () => {
  it.each([
    { name: 'passes exactly at the mark', score: 0.8, outcome: 'pass', text: 'score 0.8 reaches 0.8' },
    { name: 'passes at the mark but for rounding', score: 0.8 - 1e-12, outcome: 'pass', text: 'score 0.8 reaches 0.8' },
    { name: 'fails just below, and shows it', score: 0.79996, outcome: 'fail', text: 'score 0.79996 is below 0.8' },
    { name: 'fails closed on NaN', score: Number.NaN, outcome: 'error', text: 'score is not a finite number' },
    {
      name: 'fails closed on no score',
      score: null,
      outcome: 'error',
      text: 'score: no values to judge, the limit is 0.8',
    },
  ])('$name', ({ score, outcome, text }) => {
    const decision = decideGate(input({ figures: figures({ score }) }));
    expect(decision.outcome).toBe(outcome);
    expect(decision.reasons.map((reason) => reason.text)).toEqual([text]);
  });

  it('passes 9 of 10 at a pass rate of 0.9', () => {
    const given = { figures: figures({ passed: 9, passRate: 9 / 10 }), policy: { ...qaPolicy, pass_rate: 0.9 } };
    expect(decideGate(input(given)).outcome).toBe('pass');
  });

  it('lists every broken condition with its numbers', () => {
    const decision = decideGate(
      input({
        figures: figures({
          score: 0.5,
          passed: 5,
          passRate: 0.5,
          latency: { p95_ms: 3001 },
          cost: { total_usd: 2, unknown: [] },
        }),
        policy: { pass_rate: 0.9, max_p95_latency_ms: 3000, max_cost_usd: 1.5 },
      }),
    );
    expect(decision.outcome).toBe('fail');
    expect(decision.reasons).toEqual([
      { rule: 'min_score', outcome: 'fail', text: 'score 0.5 is below 0.8', actual: 0.5, limit: 0.8 },
      {
        rule: 'pass_rate',
        outcome: 'fail',
        text: '5 of 10 rows passed: pass rate 0.5 is below 0.9',
        actual: 0.5,
        limit: 0.9,
      },
      {
        rule: 'max_p95_latency_ms',
        outcome: 'fail',
        text: 'p95 latency 3001 ms is above 3000 ms',
        actual: 3001,
        limit: 3000,
      },
      { rule: 'max_cost_usd', outcome: 'fail', text: 'cost 2 USD is above 1.5 USD', actual: 2, limit: 1.5 },
    ]);
  });

  it('an error beats a failure, and both are listed', () => {
    const given = { figures: figures({ score: 0.5, latency: { p95_ms: null } }), policy: { max_p95_latency_ms: 100 } };
    const decision = decideGate(input(given));
    expect(decision.outcome).toBe('error');
    expect(decision.reasons.map(({ rule }) => rule)).toEqual(['min_score', 'max_p95_latency_ms']);
  });

  it.each<{ name: string; changes: Parameters<typeof input>[0]; rule: string }>([
    { name: 'no threshold at all', changes: { policy: { min_score: null } }, rule: 'no_threshold' },
    {
      name: 'a floor on a metric that nobody scored',
      changes: { policy: { metric_floors: { safety: 0.1 } } },
      rule: 'metric_floors.safety',
    },
    {
      name: 'a floor named like an object’s own property',
      changes: { policy: { metric_floors: { constructor: 0 } } },
      rule: 'metric_floors.constructor',
    },
    {
      name: 'a cost without a price',
      changes: { policy: { max_cost_usd: 9 }, figures: figures({ cost: { total_usd: null, unknown: ['m'] } }) },
      rule: 'max_cost_usd',
    },
    { name: 'a required baseline missing', changes: { policy: { require_baseline: true } }, rule: 'require_baseline' },
    {
      name: 'a required baseline without a row of this run',
      changes: { policy: { require_baseline: true }, baseline: comparison({ same: 0, new: 10 }) },
      rule: 'require_baseline',
    },
    {
      name: 'a drop that cannot be measured',
      changes: { policy: { max_score_drop: 0.1, same_rows_only: true }, baseline: comparison({ delta_same: null }) },
      rule: 'max_score_drop',
    },
    {
      name: 'a margin without common rows',
      changes: {
        policy: { decide_by: 'interval' as const, margin: 0.1 },
        baseline: comparison({ delta_same: null, ci95: null }),
      },
      rule: 'margin',
    },
    {
      name: 'another set-up under strict_baseline',
      changes: { policy: { strict_baseline: true }, baseline: comparison({ differences: ['judge'] }) },
      rule: 'strict_baseline',
    },
    { name: 'a lost result', changes: { guards: { ...NO_GUARDS, lost: 1 } }, rule: 'lost' },
    { name: 'the cost cap', changes: { guards: { ...NO_GUARDS, costCapReached: true } }, rule: 'cost_cap' },
    { name: 'a cancelled run', changes: { guards: { ...NO_GUARDS, cancelled: true } }, rule: 'cancelled' },
    {
      name: 'a stop by a dead target',
      changes: { guards: { ...NO_GUARDS, stopped: 'target down' as const } },
      rule: 'target_down',
    },
    {
      name: 'a stop by a dead judge',
      changes: { guards: { ...NO_GUARDS, stopped: 'stopped' as const } },
      rule: 'judge_down',
    },
    { name: 'coverage that is unknown', changes: { figures: figures({ coverage: null }) }, rule: 'min_coverage' },
    { name: 'coverage that is NaN', changes: { figures: figures({ coverage: Number.NaN }) }, rule: 'min_coverage' },
    {
      name: 'no rows',
      changes: {
        figures: figures({ counts: { rows: 0, results: 0, scored: 0, target_error: 0, judge_error: 0, skipped: 0 } }),
      },
      rule: 'rows',
    },
    {
      name: 'rows that are no number',
      changes: { figures: figures({ counts: { ...figures().counts, rows: Number.NaN } }) },
      rule: 'rows',
    },
  ])('is an error with $name', ({ changes, rule }) => {
    const decision = decideGate(input(changes));
    expect(decision.outcome).toBe('error');
    expect(decision.reasons.map((reason) => reason.rule)).toContain(rule);
  });

  it('regressions fail only where they should', () => {
    const baseline = comparison({ regressed: ['a'], fixed: ['b'] });
    expect(decideGate(input({ baseline })).outcome).toBe('pass');
    const decision = decideGate(input({ baseline, policy: qaPolicy }));
    expect(decision.reasons).toMatchObject([{ rule: 'fail_on_regression', outcome: 'fail', actual: 1, limit: 0 }]);
  });
  it('an unchanged rate passes a drop of 0', () => {
    const baseline = comparison({ delta: 2 / 3 - (1 - 1 / 3) });
    expect(decideGate(input({ baseline, policy: { max_score_drop: 0 } })).outcome).toBe('pass');
  });
  it('a lower mean fails max_mean_score_drop', () => {
    const baseline = comparison({ mean_delta: -0.06 });
    expect(decideGate(input({ baseline, policy: { max_mean_score_drop: 0.05 } })).outcome).toBe('fail');
  });

  it.each([
    { name: 'all above', interval: [0.81, 0.95], outcome: 'pass' },
    { name: 'touching from above', interval: [0.8, 0.95], outcome: 'pass' },
    { name: 'across', interval: [0.7, 0.9], outcome: 'inconclusive' },
    { name: 'all below', interval: [0.5, 0.7], outcome: 'fail' },
    { name: 'none', interval: null, outcome: 'inconclusive' },
    { name: 'not finite', interval: [Number.NaN, 1], outcome: 'error' },
  ] as const)('by interval: $name', ({ interval, outcome }) => {
    const given = input({ figures: figures({ score: 0.8, scoreCi95: interval }), policy: { decide_by: 'interval' } });
    expect(decideGate(given).outcome).toBe(outcome);
  });
  it.each([
    { name: 'no worse than the margin', ci95: [-0.02, 0.05], outcome: 'pass' },
    { name: 'surely worse', ci95: [-0.2, -0.06], outcome: 'fail' },
    { name: 'perhaps worse', ci95: [-0.1, 0.05], outcome: 'inconclusive' },
  ] as const)('margin of 0.05: $name', ({ ci95, outcome }) => {
    const baseline = comparison({ ci95: [...ci95] });
    const policy = { decide_by: 'interval' as const, margin: 0.05 };
    const steady = figures({ scoreCi95: [0.97, 1] });
    expect(decideGate(input({ baseline, policy, figures: steady })).outcome).toBe(outcome);
  });
  it.each([
    { name: 'holds the margin', mean_ci95: [-0.03, 0.02], outcome: 'pass' },
    { name: 'is surely worse', mean_ci95: [-0.2, -0.1], outcome: 'fail' },
    { name: 'may be worse', mean_ci95: [-0.08, 0.02], outcome: 'inconclusive' },
  ] as const)('margin of 0.05: a score that $name, though every row still passes', ({ mean_ci95, outcome }) => {
    const baseline = comparison({ mean_delta_same: -0.04, mean_ci95: [...mean_ci95] });
    const policy = { decide_by: 'interval' as const, margin: 0.05 };
    const decision = decideGate(input({ baseline, policy, figures: figures({ scoreCi95: [0.97, 1] }) }));
    expect(decision.outcome).toBe(outcome);
  });
  it('by interval, a pass rate of 1 means every row and is counted', () => {
    const policy = { ...qaPolicy, decide_by: 'interval' as const, margin: 0.05 };
    expect(decideGate(input({ policy })).outcome).toBe('pass');
    expect(decideGate(input({ policy, figures: figures({ passed: 9, passRate: 0.9 }) })).outcome).toBe('fail');
    const below = { ...policy, pass_rate: 0.7 };
    expect(decideGate(input({ policy: below })).outcome).toBe('pass');
    expect(decideGate(input({ policy: { ...below, pass_rate: 0.73 } })).outcome).toBe('inconclusive');
  });
  it('by interval, equal scores claim no certainty: ten of 1.0 may be 0.73 in truth', () => {
    const policy = { decide_by: 'interval' as const };
    expect(decideGate(input({ policy: { ...policy, min_score: 0.72 } })).outcome).toBe('pass');
    expect(decideGate(input({ policy: { ...policy, min_score: 0.73 } })).outcome).toBe('inconclusive');
  });
  // One-sided p of mean .75 at floor .8 with SE .022 on 99: t = −2.2727, p = .0126; the interval ends at .7937.
  const low = { mean: 0.75, n: 100, standard_error: 0.022, df: 99, ci95: [0.7063, 0.7937] as [number, number] };
  const good = { mean: 0.95, n: 100, standard_error: 0.01, df: 99, ci95: [0.93, 0.97] as [number, number] };
  it.each([
    { name: 'one floor fails alone', metrics: { a: low }, outcome: 'fail' },
    { name: 'among two it may be chance', metrics: { a: low, b: good }, outcome: 'inconclusive' },
    {
      name: 'one that is far below fails among many',
      metrics: { a: { ...low, mean: 0.6, ci95: [0.55, 0.65] as [number, number] }, b: good },
      outcome: 'fail',
    },
    { name: 'all must pass, without a correction', metrics: { a: good, b: good }, outcome: 'pass' },
    { name: 'a floor without values is an error', metrics: { a: good, b: { mean: null, n: 0 } }, outcome: 'error' },
  ])('floors by interval: $name', ({ metrics, outcome }) => {
    const policy = {
      decide_by: 'interval' as const,
      min_score: null,
      metric_floors: Object.fromEntries(Object.keys(metrics).map((name) => [name, 0.8])),
    };
    const measured: GateFigures['metrics'] = { ...(metrics as GateFigures['metrics']) };
    expect(decideGate(input({ policy, figures: figures({ metrics: measured }) })).outcome).toBe(outcome);
  });
  it.each(['fail', 'pass', 'error'] as const)('inconclusive is %s as configured', (on_inconclusive) => {
    const decision = decideGate(
      input({ figures: figures({ scoreCi95: [0.7, 0.9] }), policy: { decide_by: 'interval' } }),
    );
    expect(gateOf(decision, { on_inconclusive })).toBe(on_inconclusive);
  });

  it('says what held when nothing is broken, and gives the same bytes each time', () => {
    const decision = decideGate(input({ baseline: comparison(), policy: qaPolicy }));
    expect(decision.reasons.map(({ rule, outcome }) => [rule, outcome])).toEqual([
      ['pass_rate', 'pass'],
      ['fail_on_regression', 'pass'],
    ]);
    expect(JSON.stringify(decideGate(input({ baseline: comparison(), policy: qaPolicy })))).toBe(
      JSON.stringify(decision),
    );
  });

  it('never passes on nothing: zero rows, nothing scored, missing results or numbers that are none', () => {
    const bad = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null);
    const broken = fc.oneof(
      fc.record({ score: bad }),
      fc.record({ coverage: bad }),
      fc.constant({ counts: { rows: 0, results: 0, scored: 0, target_error: 0, judge_error: 0, skipped: 0 } }),
      fc.nat(20).map((n) => ({
        counts: { rows: 20, results: 20, scored: 0, target_error: n, judge_error: 20 - n, skipped: 0 },
      })),
    );
    const limits = fc.record({
      min_score: fc.double({ min: 0, max: 1, noNaN: true }),
      min_coverage: fc.double({ min: 0, max: 1, noNaN: true }),
      decide_by: fc.constantFrom('point' as const, 'interval' as const),
    });
    fc.assert(
      fc.property(broken, limits, (changes, policy) => {
        expect(decideGate(input({ figures: figures(changes), policy })).outcome).toBe('error');
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), limits, (lost, policy) => {
        expect(decideGate(input({ guards: { ...NO_GUARDS, lost }, policy })).outcome).toBe('error');
      }),
    );
  });

  it('a higher score never turns a pass into a failure', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, share, (a, b, min_score) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const outcomeOf = (score: number) =>
          decideGate(input({ figures: figures({ score }), policy: { min_score } })).outcome;
        if (outcomeOf(low) === 'pass') expect(outcomeOf(high)).toBe('pass');
      }),
    );
  });
});

it.each([
  ['pass', false, 'passed'],
  ['fail', false, 'failed'],
  ['error', false, 'error'],
  ['error', true, 'cancelled'],
] as const)('gate %s, cancelled %s: status %s', (gate, cancelled, status) => {
  expect(statusOfGate(gate, cancelled)).toBe(status);
});
