import { describe, expect, it } from 'vitest';
import { pairAnswers } from '../../src/report/change-pairs.ts';
import { ChangedAnswers, changedRowIds } from '../../src/report/collect/changed-answers.ts';
import { rowResult } from './finished-run.ts';

interface Answer {
  readonly target?: string;
  readonly trial?: number;
  readonly score: number;
  readonly output?: string;
}

/** Answers to one row; passed from 0.8 on. */
function answers(...given: readonly Answer[]) {
  const kept = new ChangedAnswers(['row-1']);
  for (const { score, ...rest } of given) kept.add(rowResult({ ...rest, score, passed: score >= 0.8 }));
  return kept.of('row-1');
}

const shown = (pairs: ReturnType<typeof pairAnswers>) =>
  pairs.map(({ before, after }) =>
    [before, after].map((one) => (one === null ? null : `${one.target} ${one.trial} ${one.score}`)),
  );

describe('answers side by side', () => {
  it.each([
    { name: 'the only answers', before: [{ score: 1 }], after: [{ score: 0 }], pairs: [['http 0 1', 'http 0 0']] },
    {
      name: 'the worst trial beside the same trial',
      before: [{ score: 1 }, { score: 0.9, trial: 1 }],
      after: [{ score: 0.5 }, { score: 0.1, trial: 1 }],
      pairs: [['http 1 0.9', 'http 1 0.1']],
    },
    {
      name: 'the target that made the difference',
      before: [
        { target: 'a', score: 1 },
        { target: 'b', score: 1 },
      ],
      after: [
        { target: 'a', score: 1 },
        { target: 'b', score: 0 },
      ],
      pairs: [['b 0 1', 'b 0 0']],
    },
    {
      name: 'a target that was renamed',
      before: [{ target: 'old', score: 1 }],
      after: [{ target: 'new', score: 0 }],
      pairs: [['old 0 1', 'new 0 0']],
    },
    { name: 'no answer of then', before: [], after: [{ score: 0 }], pairs: [[null, 'http 0 0']] },
    { name: 'no answer of now', before: [{ score: 1 }], after: [], pairs: [['http 0 1', null]] },
    { name: 'none at all', before: [], after: [], pairs: [[null, null]] },
  ])('shows $name of a row that regressed', ({ before, after, pairs }) => {
    expect(shown(pairAnswers('regressed', answers(...before), answers(...after)))).toEqual(pairs);
  });

  it('shows the worst answer of then of a row that was fixed', () => {
    const before = answers({ score: 0.4 }, { score: 0.2, trial: 1 });
    const after = answers({ score: 0.9 }, { score: 1, trial: 1 });
    expect(shown(pairAnswers('fixed', before, after))).toEqual([['http 1 0.2', 'http 1 1']]);
  });
});

describe('answers that are kept', () => {
  it('are those of rows that changed: 200 at most, regressed ones before fixed ones', () => {
    const ids = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}-${at}`);
    const kept = (regressed: number, fixed: number) => {
      const all = changedRowIds({ regressed: ids('r', regressed), fixed: ids('f', fixed) });
      return [all.filter((id) => id.startsWith('r')).length, all.filter((id) => id.startsWith('f')).length];
    };
    expect(kept(10, 5)).toEqual([10, 5]);
    expect(kept(500, 500)).toEqual([150, 50]);
    expect(kept(500, 3)).toEqual([197, 3]);
    expect(kept(1, 500)).toEqual([1, 199]);
  });

  it('are cut to what a page shows, never through half of a character', () => {
    const [answer] = answers({ score: 0, output: `${'x'.repeat(19_999)}😀tail` });
    expect(answer?.output).toBe('x'.repeat(19_999));
    expect(answer?.cut).toBe(6);
  });

  it('stay few however many trials there are, and take a repeated line once', () => {
    const many = Array.from({ length: 40 }, (_, trial) => ({ trial: Math.floor(trial / 2), score: 0 }));
    expect(answers(...many).map(({ trial }) => trial)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('leave out trials that confirm, and rows that nobody asked about', () => {
    const kept = new ChangedAnswers(['row-1']);
    expect(kept.add(rowResult({ phase: 'confirm' }))).toBe(false);
    expect(kept.add(rowResult({ row_id: 'other' }))).toBe(false);
    expect(kept.isEmpty).toBe(true);
  });
});
