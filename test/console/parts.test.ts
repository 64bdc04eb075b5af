import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResultItem } from '../../src/console/api/types.ts';
import { pollDelayMs } from '../../src/console/data/backoff.ts';
import { RecentMap } from '../../src/console/data/recent-map.ts';
import { scaleOf, sparkPath, sparkPoints } from '../../src/console/parts/spark-points.ts';
import { agoWords, commitWords, shareDone, tookMs } from '../../src/console/parts/words.ts';
import { filterRows, groupRows } from '../../src/console/rows/filter-rows.ts';
import { markChanges } from '../../src/console/rows/mark-changes.ts';
import { resultWords, worstOf } from '../../src/console/rows/result-words.ts';
import { pastedToken, tokenStore } from '../../src/console/session.ts';

const NOW = Date.UTC(2026, 10, 30, 12);
const past = (ms: number) => new Date(NOW - ms).toISOString();

describe('agoWords', () => {
  it.each([
    [past(-5_000), 'just now'],
    [past(59_999), 'just now'],
    [past(60_000), '1 min ago'],
    [past(59 * 60_000 + 59_999), '59 min ago'],
    [past(3_600_000), '1 h ago'],
    [past(24 * 3_600_000), '1 d ago'],
    [past(31 * 24 * 3_600_000), '31 d ago'],
    [past(32 * 24 * 3_600_000), '2026-10-29'],
    ['no time', 'no time'],
  ])('%s is %s', (iso, words) => expect(agoWords(iso, NOW)).toBe(words));
});

describe('words about a run', () => {
  it.each([
    [{ ref: 'refs/heads/main', sha: '4f2a9c1d00' }, 'main · 4f2a9c1'],
    [{ ref: 'refs/tags/v1', sha: null }, 'v1'],
    [{ ref: null, sha: '4f2a9c1d00' }, '4f2a9c1'],
    [{ ref: null, sha: null }, ''],
  ])('%j is %s', (run, words) => expect(commitWords(run)).toBe(words));

  it('knows no duration where the times are none or run backwards', () => {
    expect(tookMs({ started_at: past(5_000), finished_at: past(2_000) }, NOW)).toBe(3_000);
    expect(tookMs({ started_at: past(5_000), finished_at: null }, NOW)).toBe(5_000);
    expect(tookMs({ started_at: 'x', finished_at: null }, NOW)).toBeNull();
    expect(tookMs({ started_at: past(0), finished_at: past(1) }, NOW)).toBeNull();
  });

  it.each([
    [{ done: 0, total: null }, null],
    [{ done: 0, total: 0 }, null],
    [{ done: 3, total: 12 }, 0.25],
    [{ done: 13, total: 12 }, 1],
  ])('of %j the share done is %s', (progress, share) => expect(shareDone(progress)).toBe(share));
});

describe('pollDelayMs', () => {
  it('begins at a second, grows, and stays at twenty', () => {
    expect(pollDelayMs(0)).toBe(1_000);
    expect([-1, 1, 5, 7, 1_000].map(pollDelayMs)).toEqual([1_000, 1_600, 10_486, 20_000, 20_000]);
  });
});

describe('sparkPoints', () => {
  const box = { width: 120, height: 30, pad: 5, slots: 12 };
  const run = (score: number | null, at: number) => ({ run_id: `r-${at}`, status: 'passed' as const, score });

  it('puts the newest at the right end, and few runs at the right too', () => {
    const points = sparkPoints([run(0.5, 2), run(0.9, 1)], box);
    expect(points.map(({ run: { run_id } }) => run_id)).toEqual(['r-1', 'r-2']);
    expect(points.map(({ x }) => x)).toEqual([105, 115]);
    expect(points.map(({ y }) => y)).toEqual([5, 25]);
  });

  it('takes no more runs than there is room for', () => {
    const points = sparkPoints(
      Array.from({ length: 20 }, (_, at) => run(0.5, at)),
      box,
    );
    expect(points).toHaveLength(12);
    expect(points.at(-1)?.run.run_id).toBe('r-0');
  });

  it('leaves a gap where a run has no score', () => {
    const points = sparkPoints([run(0.5, 0), run(0.6, 1), run(null, 2), run(0.5, 3), run(0.6, 4)], box);
    expect(sparkPath(points).match(/M/g)).toHaveLength(2);
    expect(sparkPath(sparkPoints([run(null, 0)], box))).toBe('');
    expect(sparkPoints([], box)).toEqual([]);
  });

  it('stays within its box whatever the scores are', () => {
    const score = fc.option(fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(fc.array(score, { maxLength: 30 }), fc.integer({ min: 1, max: 30 }), (scores, slots) => {
        for (const { x, y } of sparkPoints(scores.map(run), { ...box, slots })) {
          expect(x).toBeGreaterThanOrEqual(5 - 1e-6);
          expect(x).toBeLessThanOrEqual(115 + 1e-6);
          if (y !== null) expect(y).toBeGreaterThanOrEqual(5 - 1e-6);
          if (y !== null) expect(y).toBeLessThanOrEqual(25 + 1e-6);
        }
      }),
    );
  });

  it('shows a tenth at least, within 0 and 1', () => {
    expect(scaleOf([0.2, 0.9])).toEqual({ low: 0.2, high: 0.9 });
    expect(scaleOf([1, 1])).toEqual({ low: 0.9, high: 1 });
    expect(scaleOf([0])).toEqual({ low: 0, high: 0.1 });
    expect(scaleOf([])).toEqual({ low: 0, high: 1 });
  });
});

describe('rows', () => {
  const item = (changes: Partial<ResultItem>): ResultItem => ({
    row_id: 'a',
    index: 0,
    cluster: null,
    target: 'http',
    target_model: null,
    attempts: 1,
    cost_target_usd: null,
    cost_judge_usd: null,
    tokens_in: null,
    tokens_out: null,
    metadata: {},
    trial: 0,
    phase: 'main',
    status: 'scored',
    cause: null,
    input: 'How long?',
    expected: { days: 14 },
    output: 'Two weeks',
    contexts: null,
    score: 1,
    passed: true,
    latency_ms: 5,
    error: null,
    tags: ['returns'],
    difficulty: null,
    failed_checks: [],
    warnings: [],
    scores: {},
    reasoning: { judge: 'Right and kind' },
    details: {},
    truncated: false,
    ...changes,
  });
  const items = [
    item({}),
    item({ trial: 1, status: 'target_error', passed: false, error: 'HTTP 500' }),
    item({ row_id: 'b', index: 1, input: 'Where?', output: null, status: 'skipped', passed: false }),
    // The same id again, in another place: a row of its own.
    item({ row_id: 'a', index: 2 }),
  ];

  it('are groups of results that follow each other', () => {
    expect(groupRows(items).map(({ rowId, results }) => [rowId, results.length])).toEqual([
      ['a', 2],
      ['b', 1],
      ['a', 1],
    ]);
  });

  it.each([
    { search: '', status: '', rows: [0, 1, 2] },
    { search: '  ', status: '', rows: [0, 1, 2] },
    { search: 'WEEKS two', status: '', rows: [0, 2] },
    { search: 'days', status: '', rows: [0, 1, 2] },
    { search: 'http 500', status: '', rows: [0] },
    { search: 'kind returns', status: '', rows: [0, 1, 2] },
    { search: 'where?', status: '', rows: [1] },
    { search: 'nothing', status: '', rows: [] },
    { search: '', status: 'target_error', rows: [0] },
    { search: 'where?', status: 'target_error', rows: [] },
    { search: '.*', status: '', rows: [] },
  ])('for %j are those that hold every word', ({ search, status, rows }) => {
    expect(filterRows(groupRows(items), { search, status }).map(({ index }) => index)).toEqual(rows);
  });

  it('are told by their worst result', () => {
    expect(worstOf(items.slice(0, 2))?.status).toBe('target_error');
    expect(worstOf([item({}), item({ status: 'judge_error', passed: false })])?.status).toBe('judge_error');
    expect(worstOf([])).toBeUndefined();
    expect(items.map(resultWords)).toEqual(['passed', 'target error', 'skipped', 'passed']);
  });
});

describe('markChanges', () => {
  const textOf = (pieces: readonly { text: string }[] | undefined) => pieces?.map(({ text }) => text).join('');

  it('marks the words that the other text has not', () => {
    const marked = markChanges('It is 14 days.', 'It is 30 days.');
    expect(marked?.before.filter(({ isChanged }) => isChanged)).toEqual([{ text: '14', isChanged: true }]);
    expect(marked?.after.filter(({ isChanged }) => isChanged)).toEqual([{ text: '30', isChanged: true }]);
  });

  it('spells out hidden characters', () => {
    expect(textOf(markChanges('a \u202e b', 'a b')?.before)).toBe('a ⟨U+202E⟩ b');
  });

  it('gives both texts back, whatever they are', () => {
    const text = fc.string({ minLength: 1 }).map((value) => value.replace(/[^\x20-\x7e]/g, ' '));
    fc.assert(
      fc.property(text, text, (a, b) => {
        const marked = markChanges(a, b);
        if (marked === null) return;
        expect([textOf(marked.before), textOf(marked.after)]).toEqual([a, b]);
      }),
    );
  });

  it.each([
    ['', 'a'],
    ['a', ''],
    ['same', 'same'],
    ['x'.repeat(6_001), 'y'],
    [
      Array.from({ length: 1_500 }, (_, at) => at % 7).join(' '),
      Array.from({ length: 1_500 }, (_, at) => `n${at % 11}`).join(' '),
    ],
  ])('marks nothing where there is nothing to mark, or too much', (a, b) => {
    expect(markChanges(a, b)).toBeNull();
  });
});

describe('RecentMap', () => {
  it('lets go of what was not used for longest', () => {
    const map = new RecentMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    expect(map.get('a')).toBe(1);
    map.set('c', 3);
    expect([map.has('a'), map.has('b'), map.has('c')]).toEqual([true, false, true]);
    map.set('a', 4);
    map.set('d', 5);
    expect([map.get('a'), map.get('c'), map.get('d')]).toEqual([4, undefined, 5]);
    map.clear();
    expect(map.get('a')).toBeUndefined();
  });
});

describe('the token', () => {
  it('is kept in what the browser gives, and forgotten there', () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
      removeItem: (name: string) => void kept.delete(name),
    };
    tokenStore(() => storage).keep('t');
    const store = tokenStore(() => storage);
    expect(store.read()).toBe('t');
    store.forget();
    expect([store.read(), kept.size]).toEqual([null, 0]);
  });

  it('lives in memory where the browser refuses', () => {
    const store = tokenStore(() => {
      throw new DOMException('denied', 'SecurityError');
    });
    expect(store.read()).toBeNull();
    store.keep('t');
    expect(store.read()).toBe('t');
    store.forget();
    expect(store.read()).toBeNull();
  });

  it('is what was pasted, without what surrounds it', () => {
    expect(['  t\n', 'Bearer t', 'bearer  t '].map(pastedToken)).toEqual(['t', 't', 't']);
  });
});
