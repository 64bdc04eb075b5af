import { plural } from '../plural.ts';
import type { GateInput } from './gate-input.ts';
import { bound, cannotDecide, type Reason } from './reasons.ts';
import { showAgainst } from './show-against.ts';

/** What keeps a run from being decided at all (SCORING §7 Status). Empty: there is something to decide. */
export function completenessReasons({ policy, figures, guards }: GateInput): readonly Reason[] {
  const { counts, coverage } = figures;
  if (!isCount(counts.rows) || !isCount(counts.results) || counts.results === 0 || counts.rows === 0) {
    return [cannotDecide('rows', 'there are no rows to score', isCount(counts.rows) ? counts.rows : null)];
  }
  const reasons: Reason[] = [];
  if (guards.cancelled) reasons.push(cannotDecide('cancelled', 'the run was cancelled'));
  if (guards.lost > 0) {
    const text = `${guards.lost} of ${plural(counts.results, 'result')} are missing after all retries (lost): redrive the run`;
    reasons.push(cannotDecide('lost', text, guards.lost, 0));
  }
  if (guards.costCapReached)
    reasons.push(cannotDecide('cost_cap', 'the hard cost cap was reached before all rows ran'));
  for (const text of guards.compromised ?? []) {
    reasons.push(cannotDecide('judge_compromised', `judge compromised: ${text}`));
  }
  reasons.push(...downReasons({ figures, guards }));
  if (counts.scored === 0 && reasons.length === 0) {
    reasons.push(cannotDecide('nothing_scored', `none of ${plural(counts.results, 'result')} could be scored`, 0));
  }
  const covered = bound({
    rule: 'min_coverage',
    what: 'coverage',
    actual: coverage,
    limit: policy.min_coverage,
    kind: 'minimum',
  });
  if (covered.outcome !== 'pass') reasons.push({ ...covered, outcome: 'error', text: coverageText(covered, figures) });
  return reasons;
}

/** A target that answered nothing, or a judge that graded nothing, says nothing about quality. */
function downReasons({ figures, guards }: Pick<GateInput, 'figures' | 'guards'>): readonly Reason[] {
  const { counts } = figures;
  const down = figures.targets.filter(({ counts: of }) => of.target_error > 0 && of.scored + of.judge_error === 0);
  const reasons = down.map(({ id, counts: of }) =>
    cannotDecide(
      'target_down',
      `target "${id}" failed on every row it was asked (${of.target_error})`,
      of.target_error,
    ),
  );
  if (reasons.length === 0 && guards.stopped === 'target down') {
    reasons.push(cannotDecide('target_down', 'the run was stopped because a target was down'));
  }
  const judgeFailed = counts.judge_error > 0 && counts.scored === 0;
  if (guards.stopped === 'stopped' || judgeFailed) {
    const text = judgeFailed
      ? `the judge failed on every answer (${counts.judge_error})`
      : 'the run was stopped because the judge failed';
    reasons.push(cannotDecide('judge_down', text, counts.judge_error));
  }
  return reasons;
}

function coverageText(covered: Reason, { counts }: GateInput['figures']): string {
  if (covered.actual === null || covered.limit === null) return covered.text;
  const shown = showAgainst(covered.actual, covered.limit);
  const known = counts.scored + counts.target_error;
  const rest = `${counts.judge_error} not judged, ${counts.skipped} skipped`;
  return `coverage ${shown.value} is below ${shown.limit}: ${known} of ${plural(counts.results, 'result')} count (${rest})`;
}

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0;
