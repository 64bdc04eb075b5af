import { describe, expect, it } from 'vitest';
import type { RowResult } from '../../../src/core/schemas/result.ts';
import type { Target } from '../../../src/ports/target.ts';
import { ConfirmSessions } from '../../../src/use-cases/rows/confirm-sessions.ts';
import type { RowTask } from '../../../src/use-cases/rows/evaluate-rows.ts';
import { makeResult } from '../../fixtures/results.ts';

const taskOf = (trial: number, target = 'http'): RowTask => ({
  row: { index: 7, id: 'row-7' } as RowTask['row'],
  target: { id: target } as Target,
  trial,
  phase: 'confirm',
});
const resultOf = (trial: number, fields: Partial<RowResult>): RowResult =>
  makeResult({ index: 7, row_id: 'row-7', target: 'http', trial, phase: 'confirm', ...fields });

const PASS = { status: 'scored', passed: true, score: 1 } as const;
const FAIL = { status: 'scored', passed: false, score: 0 } as const;
const DEAD = { status: 'target_error', passed: false, score: 0 } as const;
const UNJUDGED = { status: 'judge_error', passed: false, score: null } as const;

/** Trial numbers asked, when the answers are these: five at most, four failures blame. */
function asked(answers: readonly Partial<RowResult>[], from = 0): number[] {
  const sessions = new ConfirmSessions({ trials: 5, blameAt: () => 4 });
  const trials: number[] = [];
  let task: RowTask | null = taskOf(from);
  while (task !== null) {
    trials.push(task.trial);
    sessions.note(resultOf(task.trial, answers[task.trial] ?? FAIL));
    task = sessions.next(task);
  }
  return trials;
}

describe('ConfirmSessions', () => {
  it.each([
    { name: 'two passes clear', answers: [PASS, PASS], trials: [0, 1] },
    { name: 'four failures blame', answers: [FAIL, FAIL, FAIL, FAIL], trials: [0, 1, 2, 3] },
    { name: 'an error of the target is a failure', answers: [DEAD, DEAD, DEAD, DEAD], trials: [0, 1, 2, 3] },
    { name: 'a pass between leaves both open to the end', answers: [FAIL, PASS, FAIL, FAIL], trials: [0, 1, 2, 3, 4] },
    { name: 'no verdict decides nothing', answers: [PASS, UNJUDGED, PASS], trials: [0, 1, 2] },
    {
      name: 'a judge that never rules is asked as often as allowed',
      answers: [UNJUDGED, UNJUDGED, UNJUDGED, UNJUDGED, UNJUDGED],
      trials: [0, 1, 2, 3, 4],
    },
  ])('$name', ({ answers, trials }) => {
    expect(asked(answers)).toEqual(trials);
  });

  it('keeps the targets of a row apart', () => {
    const sessions = new ConfirmSessions({ trials: 3, blameAt: () => 3 });
    sessions.note(resultOf(0, PASS));
    expect(sessions.next(taskOf(0))).toBeNull();
    expect(sessions.next(taskOf(0, 'other'))).toMatchObject({ trial: 1, target: { id: 'other' }, phase: 'confirm' });
  });

  it('asks by the failures that the row takes', () => {
    const sessions = new ConfirmSessions({ trials: 3, blameAt: (index) => (index === 7 ? 2 : 3) });
    sessions.note(resultOf(0, FAIL));
    sessions.note(resultOf(1, FAIL));
    expect(sessions.next(taskOf(1))).toBeNull();
  });
});
