import { plural } from '../plural.ts';
import type { BaselineComparison } from '../schemas/summary.ts';
import type { GateInput } from './gate-input.ts';
import { bound, boundOfInterval, cannotDecide, type Reason } from './reasons.ts';

/** The rules that compare with a former run. Without one they say nothing, unless one is required. */
export function baselineReasons({ policy, baseline }: GateInput): readonly Reason[] {
  if (baseline === null) {
    return policy.require_baseline
      ? [cannotDecide('require_baseline', 'a baseline is required and there is none to compare with')]
      : [];
  }
  const reasons: Reason[] = [];
  if (policy.require_baseline && baseline.same === 0) {
    const text = 'a baseline is required and no row of it is in this run unchanged: nothing was compared';
    reasons.push(cannotDecide('require_baseline', text, 0));
  }
  if (policy.strict_baseline && baseline.differences.length > 0) {
    const text = `the baseline differs in ${baseline.differences.join(', ')}, which strict_baseline refuses`;
    reasons.push(cannotDecide('strict_baseline', text, baseline.differences.length, 0));
  }
  if (policy.fail_on_regression) reasons.push(regressionReason(baseline));
  if (policy.max_score_drop !== null) {
    const delta = policy.same_rows_only ? baseline.delta_same : baseline.delta;
    const what = policy.same_rows_only ? 'drop of the pass rate on the same rows' : 'drop of the pass rate';
    reasons.push(dropReason('max_score_drop', what, delta, policy.max_score_drop));
  }
  if (policy.max_mean_score_drop !== null) {
    const { mean_delta: delta } = baseline;
    reasons.push(dropReason('max_mean_score_drop', 'drop of the mean score', delta, policy.max_mean_score_drop));
  }
  if (policy.decide_by === 'interval' && policy.margin !== null) {
    const what = 'change of the pass rate on the same rows';
    const of = { rule: 'margin', what, actual: baseline.delta_same, limit: 0 - policy.margin, interval: baseline.ci95 };
    reasons.push(boundOfInterval(of));
    const { mean_delta_same: actual, mean_ci95: interval } = baseline;
    // Where the score gates, a drop of it must not hide behind rows that all still pass.
    if (policy.min_score !== null && actual != null) {
      const ofScore = { rule: 'margin.score', what: 'change of the mean score on the same rows', actual };
      reasons.push(boundOfInterval({ ...ofScore, limit: 0 - policy.margin, interval: interval ?? null }));
    }
  }
  return reasons;
}

function regressionReason({ same, regressed: rows, confirmation }: BaselineComparison): Reason {
  const regressed = rows.length;
  const text =
    same === 0
      ? 'no row is in the baseline as it is now, so no regression could be seen'
      : regressed === 0
        ? `none of ${plural(same, 'row')} that the baseline has too regressed`
        : `${regressed} of ${plural(same, 'row')} passed in the baseline and fail now${confirmedText(confirmation)}`;
  return { rule: 'fail_on_regression', outcome: regressed === 0 ? 'pass' : 'fail', text, actual: regressed, limit: 0 };
}

function confirmedText(confirmation: BaselineComparison['confirmation']): string {
  if (confirmation === undefined) return '';
  const { trials, blame_at: failures, regressed, not_confirmed } = confirmation;
  if (not_confirmed.length === 0) {
    return failures === undefined
      ? `, confirmed by ${trials} further trials each`
      : `, confirmed: tried again, each failed ${failures} of at most ${plural(trials, 'further trial')}`;
  }
  return ` (${regressed.length} confirmed by further trials, ${not_confirmed.length} not confirmed)`;
}

function dropReason(rule: string, what: string, delta: number | null, limit: number): Reason {
  return bound({ rule, what, actual: delta === null ? null : 0 - delta, limit, kind: 'maximum' });
}
