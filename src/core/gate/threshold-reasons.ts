import type { GateInput } from './gate-input.ts';
import { bound, boundOfInterval, cannotDecide, type Reason } from './reasons.ts';

/** The limits that hold with or without a baseline. */
export function thresholdReasons({ policy, figures }: GateInput): readonly Reason[] {
  const reasons: Reason[] = [];
  const byInterval = policy.decide_by === 'interval';
  if (policy.min_score !== null) {
    const of = { rule: 'min_score', what: 'score', actual: figures.score, limit: policy.min_score };
    reasons.push(
      byInterval ? boundOfInterval({ ...of, interval: figures.scoreCi95 }) : bound({ ...of, kind: 'minimum' }),
    );
  }
  if (policy.pass_rate !== null) {
    const what = `${figures.passed} of ${figures.counted} rows passed: pass rate`;
    const of = { rule: 'pass_rate', what, actual: figures.passRate, limit: policy.pass_rate };
    reasons.push(
      byInterval ? boundOfInterval({ ...of, interval: figures.passRateCi95 }) : bound({ ...of, kind: 'minimum' }),
    );
  }
  for (const [name, limit] of Object.entries(policy.metric_floors)) {
    const actual = Object.hasOwn(figures.metrics, name) ? (figures.metrics[name]?.mean ?? null) : null;
    reasons.push(bound({ rule: `metric_floors.${name}`, what: `mean of ${name}`, actual, limit, kind: 'minimum' }));
  }
  if (policy.max_p95_latency_ms !== null) {
    const of = {
      rule: 'max_p95_latency_ms',
      what: 'p95 latency',
      actual: figures.latency.p95_ms,
      unit: ' ms',
      digits: 0,
    };
    reasons.push(bound({ ...of, limit: policy.max_p95_latency_ms, kind: 'maximum' }));
  }
  if (policy.max_cost_usd !== null) reasons.push(costReason(figures.cost, policy.max_cost_usd));
  return reasons;
}

function costReason(cost: GateInput['figures']['cost'], limit: number): Reason {
  if (cost.total_usd === null || cost.unknown.length > 0) {
    const models = cost.unknown.length > 0 ? ` (no price for ${cost.unknown.join(', ')})` : '';
    return cannotDecide('max_cost_usd', `the cost is unknown${models}, the limit is ${limit} USD`, null, limit);
  }
  const of = { rule: 'max_cost_usd', what: 'cost', actual: cost.total_usd, unit: ' USD', digits: 4 };
  return bound({ ...of, limit, kind: 'maximum' });
}
