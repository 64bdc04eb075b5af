import type { JudgeErrorCause } from '../schemas/result.ts';
import type { Score } from '../schemas/score.ts';
import type { Policy } from '../schemas/thresholds.ts';
import type { Judgement, RowScores } from './eval-scoring.ts';
import { meets } from './meets.ts';

/** Below this, a metric named in `veto` fails its row whatever the mean. */
export const VETO_MARK = 0.5;

export interface RowOutcome {
  readonly status: 'scored' | 'judge_error';
  /** Null when scored. */
  readonly cause: JudgeErrorCause | null;
  readonly passed: boolean;
  /** Mean of the scorers that apply, 0..1; null for judge_error. */
  readonly score: number | null;
  readonly failedChecks: readonly string[];
}

/**
 * Scores of one (row, target, trial) → its outcome (SCORING §1). Every scorer must have scored; what does not apply
 * is left out of the mean; nothing left is a judge error, never a pass.
 */
export function decideRow(
  rowScores: RowScores,
  policy: Pick<Policy, 'row_mark' | 'veto'>,
  judgements: readonly Judgement[] = [],
): RowOutcome {
  const scores = Object.entries(rowScores.scores);
  if (scores.some(([, score]) => score.status === 'unscored' && score.cause !== 'not-applicable')) {
    return judgeError(causeOf(judgements, rowScores), rowScores.failedChecks);
  }
  const values = scores.flatMap(([, score]) =>
    score.status === 'scored' && score.in_row_score ? [goodness(score)] : [],
  );
  if (values.length === 0) return judgeError('nothing-applicable', rowScores.failedChecks);

  const score = values.reduce((sum, value) => sum + value, 0) / values.length;
  const vetoes = scores.flatMap(([name, given]) =>
    policy.veto.includes(name) && given.status === 'scored' && !meets(goodness(given), VETO_MARK)
      ? [`veto: ${name}`]
      : [],
  );
  // A type with its own row gate (no mark) says through its failed checks what did not hold.
  const markHolds = policy.row_mark === null ? rowScores.failedChecks.length === 0 : meets(score, policy.row_mark);
  const passed = markHolds && vetoes.length === 0;
  return { status: 'scored', cause: null, passed, score, failedChecks: [...rowScores.failedChecks, ...vetoes] };
}

/** 0 is bad and 1 is good, also for qualities of which less is better. */
export function goodness(score: Extract<Score, { status: 'scored' }>): number {
  return score.higher_is_better ? score.value : 1 - score.value;
}

function judgeError(cause: JudgeErrorCause, failedChecks: readonly string[]): RowOutcome {
  return { status: 'judge_error', cause, passed: false, score: null, failedChecks };
}

function causeOf(judgements: readonly Judgement[], { scores }: RowScores): JudgeErrorCause {
  for (const judgement of judgements) if (judgement.status === 'judge_error') return judgement.cause;
  const unparsable = Object.values(scores).some((score) => score.cause === 'judge-unparsable');
  return unparsable ? 'unparsable' : 'unavailable';
}
