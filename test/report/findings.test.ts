import { describe, expect, it } from 'vitest';
import { RunNotes } from '../../src/report/collect/run-notes.ts';
import { findings } from '../../src/report/findings/findings.ts';
import { renderHtmlReport } from '../../src/report/html-report.ts';
import { collect, finishedRun, rowResult, runConfig } from './finished-run.ts';
import { type PreparedRun, reportInput } from './prepared/build-run.ts';
import { hiddenRegression } from './prepared/hidden-regression.ts';
import { judgeOutage } from './prepared/judge-outage.ts';
import { slowTarget } from './prepared/slow-target.ts';

async function findingsOf(run: PreparedRun) {
  const { summary, config, results, baselineSummary = null } = await reportInput(run);
  const notes = new RunNotes(summary);
  for await (const result of results) notes.add(result);
  return { gate: summary.gate, found: findings({ summary, config, notes, baseline: baselineSummary }) };
}

describe('what got worse', () => {
  it('is seven rows of one tag, though the average rose', async () => {
    const { gate, found } = await findingsOf(hiddenRegression());
    expect(gate).toBe('fail');
    expect(found[0]).toMatchObject({
      tone: 'bad',
      title: '7 rows passed in the baseline and fail now',
      detail: 'all tagged refunds; 7 rows got better; the average hides it: score +0.049',
      rowIds: ['refund-window', 'refund-sale', 'refund-time'],
      link: { href: '#changes' },
    });
    expect(found[1]?.title).toBe('Tag refunds: 70.8% passed, was 100%');
    expect(found[2]?.title).toMatch(/^safety fell by 0\.077 to 0\.912$/);
  });

  it('is the judge and not the answers, when the judge is throttled', async () => {
    const { gate, found } = await findingsOf(judgeOutage());
    expect(gate).toBe('error');
    expect(found[0]).toMatchObject({ tone: 'bad', title: 'The judge gave no verdict on 31 of 80 results' });
    expect(found[0]?.detail).toMatch(
      /^Of the 49 results with a verdict, 49 passed\. 27 × throttled, 4 × timeout\. .*ThrottlingException/,
    );
  });

  it('is the one target that is slow, and how fast the other one is', async () => {
    const { gate, found } = await findingsOf(slowTarget());
    expect(gate).toBe('fail');
    expect(found[0]).toMatchObject({
      title: 'Target us-east is too slow: p95 5.75 s, at most 3 s allowed',
      detail: 'The other target, eu-central: p95 909 ms',
    });
  });

  it('stands before everything but the gate on the page', async () => {
    const page = await collect(renderHtmlReport(await reportInput(hiddenRegression())));
    const places = ['Gate failed', '7 rows passed in the baseline', 'id="changes"', 'id="metrics"', 'id="rows"'].map(
      (text) => page.indexOf(text),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  it('is nothing, and says so, when every row holds', () => {
    const baseline = { regressed: [], fixed: ['a'] } as unknown as NonNullable<
      ReturnType<typeof finishedRun>['baseline']
    >;
    const summary = finishedRun({ baseline });
    const found = findings({ summary, config: runConfig(), notes: new RunNotes(summary), baseline: null });
    expect(found[0]).toMatchObject({
      tone: 'good',
      title: 'No row that passed in the baseline fails now',
      detail: '1 row got better',
    });
  });

  it.each([
    {
      name: 'one of several targets that gives no answers',
      summary: {
        counts: { ...finishedRun().counts, results: 8, target_error: 4 },
        targets: ['a', 'b'].map((id) => targetOf(id, id === 'b' ? 4 : 0)),
      },
      says: 'Target b gave no answer to 4 of 4 requests; the other target answered all',
    },
    {
      name: 'rows that never ran',
      summary: { counts: { ...finishedRun().counts, skipped: 3 }, skipped_by_cause: { 'target down': 3 } },
      says: '3 of 4 results never ran',
    },
    {
      name: 'a metric below its floor',
      summary: { metrics: { safety: { mean: 0.79996, n: 4, unscored: 0, ci95: null } } },
      policy: { metric_floors: { safety: 0.8 } },
      says: 'safety is 0.79996, below its floor 0.80',
    },
    {
      name: 'a cost above its limit',
      summary: { cost: { ...finishedRun().cost, total_usd: 1.0004 } },
      policy: { max_cost_usd: 1 },
      says: 'The run cost $1.0004, at most $1.00 allowed',
    },
  ])('names $name', ({ summary: changes, policy = {}, says }) => {
    const summary = finishedRun(changes);
    const notes = new RunNotes(summary);
    notes.add(rowResult({ status: 'target_error', cause: 'connection', passed: false, score: 0, target: 'b' }));
    const [first] = findings({ summary, config: runConfig(policy), notes, baseline: null });
    expect(first?.title).toBe(says);
  });

  it('names a row once that failed in each of its targets', () => {
    const summary = finishedRun({ counts: { ...finishedRun().counts, failed: 4 } });
    const notes = new RunNotes(summary);
    for (const [index, row_id] of ['a', 'b', 'c', 'd'].entries()) {
      for (const target of ['old', 'new']) notes.add(rowResult({ row_id, index, target, passed: false, score: 0 }));
    }
    const failed = findings({ summary, config: runConfig({}), notes, baseline: null }).find(({ link }) =>
      link?.href.startsWith('#show=failed'),
    );
    expect(failed?.rowIds).toEqual(['a', 'b', 'c']);
  });
});

function targetOf(id: string, errors: number): ReturnType<typeof finishedRun>['targets'][number] {
  const counts = {
    passed: 4 - errors,
    failed: errors,
    results: 4,
    scored: 4 - errors,
    target_error: errors,
    judge_error: 0,
    skipped: 0,
  };
  const latency = { p50_ms: null, p95_ms: null, n: 0, timeouts: 0 };
  return {
    id,
    type: 'http',
    model: null,
    score: null,
    pass_rate: null,
    counts,
    metrics: {},
    latency,
    cost: { status: 'not_metered', usd: null },
  };
}
