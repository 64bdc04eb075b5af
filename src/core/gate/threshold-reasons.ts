import { plural } from '../plural.ts';
import { floorEvidence, shareInterval } from '../statistics/floor-evidence.ts';
import type { GateInput } from './gate-input.ts';
import { bound, boundOfInterval, cannotDecide, type Reason } from './reasons.ts';

/** The limits that hold with or without a baseline. */
export function thresholdReasons({ policy, figures }: GateInput): readonly Reason[] {
  const reasons: Reason[] = [];
  const byInterval = policy.decide_by === 'interval';
  if (policy.min_score !== null) {
    const of = { rule: 'min_score', what: 'score', actual: figures.score, limit: policy.min_score };
    const interval = shareInterval(figures.score ?? Number.NaN, figures.counted, figures.scoreCi95);
    reasons.push(byInterval ? boundOfInterval({ ...of, interval }) : bound({ ...of, kind: 'minimum' }));
  }
  if (policy.pass_rate !== null) {
    const what = `${figures.passed} of ${plural(figures.counted, 'row')} passed: pass rate`;
    const of = { rule: 'pass_rate', what, actual: figures.passRate, limit: policy.pass_rate };
    // "Every row" is counted: no interval below certainty reaches 1, however many rows passed.
    reasons.push(
      byInterval && policy.pass_rate < 1
        ? boundOfInterval({ ...of, interval: figures.passRateCi95 })
        : bound({ ...of, kind: 'minimum' }),
    );
  }
  reasons.push(...(byInterval ? floorsByInterval({ policy, figures }) : floorsByPoint({ policy, figures })));
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

type Floors = Pick<GateInput, 'policy' | 'figures'>;

function floorsByPoint(input: Floors): readonly Reason[] {
  return floorsOf(input).map((of) => bound({ ...of, kind: 'minimum' }));
}

/** One-sided error of an interval of 95 %. */
const ONE_SIDED = 0.025;

/**
 * Each floor by its metric's interval. That all must pass needs no correction; that one of several fails does, or many floors
 * would fail by chance what one would not: a failure that does not outlast Holm's correction is inconclusive.
 */
function floorsByInterval({ policy, figures }: Floors): readonly Reason[] {
  const evidence = floorEvidence(figures.metrics, policy.metric_floors);
  return floorsOf({ policy, figures }).map(({ name, ...of }, index) => {
    const metric = figures.metrics[name];
    const interval = shareInterval(of.actual ?? Number.NaN, metric?.n ?? 0, metric?.ci95 ?? null);
    const alone = boundOfInterval({ ...of, interval });
    const p = evidence[index]?.p_holm ?? null;
    if (alone.outcome !== 'fail' || p === null || p < ONE_SIDED) return alone;
    const text = `${alone.text}, but among ${evidence.length} floors that may be chance (Holm)`;
    return { ...alone, outcome: 'inconclusive', text };
  });
}

function floorsOf({ policy, figures }: Floors) {
  return Object.entries(policy.metric_floors).map(([name, limit]) => ({
    name,
    rule: `metric_floors.${name}`,
    what: `mean of ${name}`,
    actual: Object.hasOwn(figures.metrics, name) ? (figures.metrics[name]?.mean ?? null) : null,
    limit,
  }));
}

function costReason(cost: GateInput['figures']['cost'], limit: number): Reason {
  if (cost.total_usd === null || cost.unknown.length > 0) {
    const models = cost.unknown.length > 0 ? ` (no price for ${cost.unknown.join(', ')})` : '';
    return cannotDecide('max_cost_usd', `the cost is unknown${models}, the limit is ${limit} USD`, null, limit);
  }
  const of = { rule: 'max_cost_usd', what: 'cost', actual: cost.total_usd, unit: ' USD', digits: 4 };
  return bound({ ...of, limit, kind: 'maximum' });
}
