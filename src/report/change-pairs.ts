import type { ChangedAnswer } from './collect/changed-answers.ts';

/** What one target answered then and now. */
export interface AnswerPair {
  readonly before: ChangedAnswer | null;
  readonly after: ChangedAnswer | null;
}

const MOST_PAIRS = 2;

/**
 * Which answers to show of a row that changed: of each target that made the difference the trial that shows it best, beside
 * the same trial of the other run. `regressed`: the worst answers of now; `fixed`: the worst of then.
 */
export function pairAnswers(
  kind: 'regressed' | 'fixed',
  before: readonly ChangedAnswer[],
  after: readonly ChangedAnswer[],
): readonly AnswerPair[] {
  const [bad, good] = kind === 'regressed' ? [after, before] : [before, after];
  const targets = [...new Set(bad.map(({ target }) => target))];
  const worst = targets.flatMap((target) => lowest(bad.filter((answer) => answer.target === target)) ?? []);
  const failing = worst.filter(({ passed }) => !passed);
  const shown = (failing.length > 0 ? failing : worst).slice(0, MOST_PAIRS);
  const pairs = shown.map((answer) => {
    const counterpart = partnerOf(answer, good);
    return kind === 'regressed' ? { before: counterpart, after: answer } : { before: answer, after: counterpart };
  });
  if (pairs.length > 0) return pairs;
  const only = good[0] ?? null;
  return [kind === 'regressed' ? { before: only, after: null } : { before: null, after: only }];
}

function lowest(answers: readonly ChangedAnswer[]): ChangedAnswer | undefined {
  return answers.toSorted(
    (a, b) => Number(a.passed) - Number(b.passed) || (a.score ?? 0) - (b.score ?? 0) || a.trial - b.trial,
  )[0];
}

function partnerOf({ target, trial }: ChangedAnswer, answers: readonly ChangedAnswer[]): ChangedAnswer | null {
  // A target that was renamed is still compared with what answered before.
  const same = answers.filter((answer) => answer.target === target);
  const among = same.length > 0 ? same : answers;
  return among.find((answer) => answer.trial === trial) ?? among.find(({ passed }) => passed) ?? among[0] ?? null;
}
