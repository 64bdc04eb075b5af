import { Script } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RowResult } from '../../src/core/schemas/result.ts';
import type { RunSummary } from '../../src/core/schemas/summary.ts';
import { renderHtmlReport } from '../../src/report/html-report.ts';
import { CLIENT_SCRIPT } from '../../src/report/page/client/script.ts';
import { collect, finishedRun, rowResult, runConfig, streamOf } from './finished-run.ts';
import { hostileInput } from './hostile-input.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';

const render = (summary: RunSummary, rows: readonly RowResult[], maxRows?: number) =>
  collect(renderHtmlReport({ summary, config: runConfig(), results: streamOf(...rows), maxRows }));

function embedded(page: string): { id: string; [member: string]: unknown }[] {
  const data = /<script type="application\/json" id="assay-rows">(.*?)<\/script>/s.exec(page)?.[1] ?? '';
  return JSON.parse(data);
}

/** The page without its style and scripts: what a reader sees, and tags. */
function markup(page: string): string {
  return page.replace(/(<(script|style)[^>]*>).*?(?=<\/\2>)/gs, '$1');
}

const OWN_ATTRIBUTES =
  /^(?:<\/?[a-z][a-z0-9]*|<!doctype html)(?:\s+(?:open|hidden|(?:aria-[a-z]+|[xy][12]?|d[xy]|r[xy]?|autocomplete|c[xy]|charset|class|content|d|data-row|dir|height|href|http-equiv|id|label|lang|name|overflow|placeholder|preserveAspectRatio|role|scope|tabindex|text-anchor|type|value|vector-effect|viewBox|width)="[^"<>]*"))*\s*\/?>$/;

/** Tags that hold anything but the attributes that the page itself uses. */
function foreignMarkup(page: string): string[] {
  const tags = markup(page).match(/<[^>]*>/g) ?? [];
  return tags.filter((tag) => !OWN_ATTRIBUTES.test(tag) || /^<(?:img|iframe|object|embed|base|form)/.test(tag));
}

function manyRows(count: number): RowResult[] {
  return Array.from({ length: count }, (_, index) => rowResult({ row_id: `row-${index}`, index }));
}

describe('the report page', () => {
  it('leads with the verdict, its message and every reason', async () => {
    const reasons = [
      { rule: 'min_score', outcome: 'fail' as const, text: 'score 0.731 is below 0.80', actual: 0.731, limit: 0.8 },
      { rule: 'fail_on_regression', outcome: 'fail' as const, text: '3 rows regressed', actual: 3, limit: 0 },
    ];
    const decision = { outcome: 'fail' as const, policy_hash: 'p', reasons };
    const page = await render(finishedRun({ gate: 'fail', status: 'failed', message: '3 rows failed', decision }), []);
    const heading = page.indexOf('Gate failed');
    expect(heading).toBeGreaterThan(0);
    for (const text of ['3 rows failed', 'score 0.731 is below 0.80', '3 rows regressed']) {
      expect(page.indexOf(text)).toBeGreaterThan(heading);
    }
  });

  it.each([
    { gate: 'error' as const, outcome: 'error' as const, status: 'error' as const, words: 'Gate could not decide' },
    { gate: 'error' as const, outcome: 'error' as const, status: 'cancelled' as const, words: 'Run cancelled' },
    {
      gate: 'fail' as const,
      outcome: 'inconclusive' as const,
      status: 'failed' as const,
      words: 'Gate failed, inconclusive',
    },
  ])('says "$words" for $gate, $status', async ({ gate, outcome, status, words }) => {
    const decision = { outcome, policy_hash: 'p', reasons: [] };
    expect(await render(finishedRun({ gate, status, decision }), [])).toContain(words);
  });

  it('offers to decide again: the policy in force, its hash and the exact command', async () => {
    const config = { ...runConfig({ pass_rate: 0.95, veto: ['safety'], margin: null }), project: 'local' };
    const page = markup(await collect(renderHtmlReport({ summary: finishedRun(), config, results: streamOf() })));
    const section = page.slice(page.indexOf('Decide again'));
    expect(section).toContain('<code>pppppppppppp</code>');
    for (const [name, value] of [
      ['pass_rate', '0.95'],
      ['min_score', '0.8'],
      ['fail_on_regression', 'no'],
      ['veto', 'safety'],
      ['decide_by', 'point'],
    ]) {
      expect(section).toContain(`<dt>${name}</dt><dd dir="auto">${value}</dd>`);
    }
    const run = 'r-01HZZZZZZZZZZZZZZZZZZZZZZZ';
    expect(section).toContain(`<code>npx assay decide ${run} --print-policy &gt; policy.yaml</code>`);
    expect(section).toContain(`<code>npx assay decide ${run} --policy policy.yaml</code>`);
    expect(section).not.toContain('max_cost_usd');
  });

  it('offers the call of the API where the run was one of a deployed app', async () => {
    const page = markup(await render(finishedRun(), []));
    expect(page).toContain('<code>POST /api/runs/r-01HZZZZZZZZZZZZZZZZZZZZZZZ/decide</code>');
    expect(page).not.toContain('npx assay decide');
  });

  it('says so when no language model judged', async () => {
    const judges = [{ id: 'lexical', type: 'lexical', model: null, is_model: false }];
    expect(await render(finishedRun({ judges }), [])).toContain('No language model judged this run');
    expect(await render(finishedRun(), [])).not.toContain('No language model judged this run');
  });

  it('shows unknown numbers as words, never as 0', async () => {
    const cost = { ...finishedRun().cost, total_usd: null, unknown: ['model-x'], not_metered: [] };
    const latency = { p50_ms: null, p95_ms: null, n: 0, timeouts: 0 };
    const page = await render(finishedRun({ score: null, pass_rate: null, coverage: null, latency, cost }), []);
    for (const words of ['not scored', 'no row counts', 'not timed', 'unknown (no price for model-x)']) {
      expect(page).toContain(words);
    }
    expect(markup(page)).not.toMatch(/NaN|undefined|null|\$0\.00/);
  });

  it('shows no interval where equal scores have no spread to tell one from', async () => {
    const metrics = { correctness: { mean: 1, n: 3, unscored: 0, ci95: [1, 1] as [number, number] } };
    const page = await render(finishedRun({ score: 1, score_ci95: [1, 1], metrics }), []);
    expect(markup(page)).not.toMatch(/1\.000 to 1\.000/);
  });

  it('shows a score just below its mark with the digits that tell them apart', async () => {
    expect(await render(finishedRun({ score: 0.79996 }), [])).toContain('<span class="value">0.79996</span>');
  });

  it('shows a cost just above its limit with the digits that tell them apart', async () => {
    const cost = { ...finishedRun().cost, total_usd: 1.0004 };
    const input = {
      summary: finishedRun({ cost }),
      config: runConfig({ max_cost_usd: 1 }),
      results: streamOf<RowResult>(),
    };
    const page = await collect(renderHtmlReport(input));
    expect(page).toMatch(/<span class="value">\$1\.0004<\/span><span class="detail" dir="auto">at most \$1\.00 /);
  });

  it('loads nothing and allows only its own script and style', async () => {
    const page = await render(finishedRun(), [rowResult()]);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    expect(policy).toContain('default-src &#39;none&#39;');
    expect(policy).not.toContain('unsafe');
    expect(page).not.toMatch(/\s(?:src|style|on\w+)=|https?:\/\/|@import|url\(/);
    expect(page.match(/<script/g)).toHaveLength(2);
  });

  it('has a script that parses and never reads text as markup', () => {
    expect(() => new Script(CLIENT_SCRIPT)).not.toThrow();
    expect(CLIENT_SCRIPT).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|<\//,
    );
  });

  it('takes metrics, tags and targets of any name for what they are', async () => {
    const metric = { mean: 0.5, n: 1, unscored: 0, ci95: null };
    const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
    const each = <T>(value: T) => Object.fromEntries(names.map((name) => [name, value]));
    const summary = finishedRun({
      metrics: each(metric),
      tags: each({ rows: 1, passed: 1, counted: 1, score: 1 }),
    });
    const input = { summary, config: runConfig(), results: streamOf(rowResult({ tags: names, cluster: '__proto__' })) };
    const page = markup(await collect(renderHtmlReport({ ...input, baselineSummary: finishedRun() })));
    expect(page).not.toMatch(/NaN|undefined|not a number|function|\[object/);
    for (const name of names) expect(page).toContain(`>${name}</a>`);
  });

  it.each([
    { name: 'one that never ended before', history: [], says: null },
    {
      name: 'one other run without figures',
      history: [{ score: null, pass_rate: null }],
      says: 'Pass rate of the last 2 runs: unknown, failed; 100%, passed',
    },
    {
      name: 'runs at 0',
      history: [{ score: 0, pass_rate: 0 }],
      says: 'Pass rate of the last 2 runs: 0%, failed; 100%, passed',
    },
    {
      name: 'more than eleven',
      history: Array.from({ length: 40 }, () => ({ score: 0.5, pass_rate: 0.5 })),
      says: 'Pass rate of the last 12 runs: 50%, failed; 50%, failed',
    },
  ])('draws a trend of $name', async ({ history, says }) => {
    const points = history.map((point, at) => ({
      run_id: `r-${at}`,
      started_at: '2026-01-30T00:00:00.000Z',
      gate: 'fail' as const,
      sha: null,
      ...point,
    }));
    const page = markup(
      await collect(
        renderHtmlReport({ summary: finishedRun(), config: runConfig(), results: streamOf(), history: points }),
      ),
    );
    if (says === null) expect(page).not.toContain('class="trend"');
    else expect(page).toContain(says);
    expect(page).not.toMatch(/NaN|Infinity/);
  });

  it.each([
    { name: 'below a millisecond', latencies: [0.2, 0.5, 0], budget: 1 },
    { name: 'of hours', latencies: [4e6, 9e7], budget: 3_000 },
    { name: 'all alike', latencies: [800, 800], budget: 800 },
  ])('draws latencies $name', async ({ latencies, budget }) => {
    const rows = latencies.map((latency_ms, index) => rowResult({ row_id: `r${index}`, index, latency_ms }));
    const config = runConfig({ max_p95_latency_ms: budget });
    const page = markup(
      await collect(renderHtmlReport({ summary: finishedRun(), config, results: streamOf(...rows) })),
    );
    expect(page).toContain(`Latency: ${latencies.length} answers`);
    expect(page).not.toMatch(/NaN|Infinity|-\d+(?:\.\d+)?%/);
  });

  it('gives the same text for the same run', async () => {
    const rows = manyRows(30);
    expect(await render(finishedRun(), rows)).toBe(await render(finishedRun(), rows));
  });

  it('lists the worst rows for browsers without JavaScript', async () => {
    const failed = rowResult({ row_id: 'bad-row', passed: false, score: 0.1, failed_checks: ['contains'] });
    const page = await render(finishedRun(), [rowResult(), failed]);
    expect(/<noscript>.*<\/noscript>/s.exec(page)?.[0]).toMatch(/bad-row.*contains/s);
  });

  it('links the rows that changed against the baseline', async () => {
    const baseline = {
      run_id: 'r-1',
      same: 4,
      new: 0,
      removed: [],
      removed_passed: [],
      changed: [],
      regressed: ['a b/c#é"'],
      fixed: ['fixed-1'],
      still_failing: [],
      unknown: [],
      pass_rate: 1,
      score: 0.9,
      delta: -0.25,
      delta_same: null,
      mean_delta: null,
      ci95: null,
      p_value: null,
      differences: ['rubric'],
    };
    const page = await render(finishedRun({ baseline }), []);
    expect(page).toContain('href="#row=a%20b%2Fc%23%C3%A9%22"');
    expect(page).toContain('href="#row=fixed-1"');
    expect(page).toContain('The set-up differs in rubric');
  });
});

describe('hostile text in the report page', () => {
  it.each(HOSTILE_TEXTS.map((text) => ({ text })))('cannot get out with $text', async ({ text }) => {
    const page = await collect(renderHtmlReport(hostileInput(text)));
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page.match(/<\/script/g)).toHaveLength(2);
    expect(foreignMarkup(page)).toEqual([]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
    expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
    expect(page.isWellFormed()).toBe(true);
    expect(embedded(page)[0]?.output).toBe(text);
  });

  it('cannot get out, whatever it is', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[<>&"'=/!\-a-z\s]{0,30}$/));
    await fc.assert(
      fc.asyncProperty(text, async (hostile) => {
        const page = await collect(renderHtmlReport(hostileInput(hostile)));
        expect(foreignMarkup(page)).toEqual([]);
        expect(page.match(/<\/?script/g)).toHaveLength(4);
        expect(page.isWellFormed()).toBe(true);
        expect(embedded(page)[0]?.input).toBe(hostile);
      }),
      { numRuns: 60 },
    );
  });
});

describe('large reports', () => {
  it('cuts long texts and says how much is missing', async () => {
    const page = await render(finishedRun(), [rowResult({ output: 'x'.repeat(1_000_000) })]);
    expect(embedded(page)[0]?.output).toEqual({ text: 'x'.repeat(20_000), cut: 980_000 });
    expect(page.length).toBeLessThan(200_000);
  });

  it('shows how far repeated trials of each target agree', async () => {
    const repeats = ['a', 'b<'].map((target) => ({
      target,
      trials: 2,
      rows: target === 'a' ? 4 : 0,
      flaky: 1,
      flake_rate: target === 'a' ? 0.25 : null,
      pass_at: target === 'a' ? [0.5, 0.75] : [],
      pass_hat: target === 'a' ? [0.5, 0.25] : [],
    }));
    const page = await render(finishedRun({ repeats }), []);
    expect(page).toContain('<td>1 of 4 rows flaky (25%)</td><td>50%</td><td>75%</td><td>50%</td><td>25%</td>');
    expect(page).toContain('b&lt;</th><td>no row has a verdict for all its trials</td><td>–</td>');
    expect(await render(finishedRun(), [])).not.toContain('Repeated trials');
  });

  it('bounds a row with many contexts and steps', async () => {
    const steps = Array.from({ length: 5_000 }, () => ({ type: 'thought' as const, content: 'y'.repeat(5_000) }));
    const contexts = Array.from({ length: 500 }, () => 'z'.repeat(10_000));
    const page = await render(finishedRun(), [rowResult({ contexts, trajectory: { steps } })]);
    expect(embedded(page)[0]).toMatchObject({ moreContexts: 450, moreSteps: 4_800 });
    expect(page.length).toBeLessThan(300_000);
  });

  it('keeps only the worst rows of a large run and says where the rest is', async () => {
    const rows = manyRows(100);
    rows[70] = rowResult({ row_id: 'low', index: 70, passed: false, score: 0.1 });
    rows[80] = rowResult({
      row_id: 'lost',
      index: 80,
      passed: false,
      status: 'target_error',
      cause: 'timeout',
      score: 0,
    });
    rows[10] = rowResult({ row_id: 'higher', index: 10, passed: false, score: 0.5 });
    const counts = { ...finishedRun().counts, rows: 100, results: 100 };
    const page = await render(finishedRun({ counts }), rows, 5);
    expect(embedded(page).map((row) => row.id)).toEqual(['low', 'higher', 'lost', 'row-0', 'row-1']);
    expect(page).toContain('the 5 worst of 100 results');
    expect(page).toContain('results.jsonl');
  });

  it('keeps every row of a run within the limit, in file order', async () => {
    const page = await render(finishedRun(), manyRows(4));
    expect(embedded(page).map((row) => row.id)).toEqual(['row-0', 'row-1', 'row-2', 'row-3']);
    expect(page).not.toContain('worst of');
  });

  it('stays bounded when the file holds more results than the summary says', async () => {
    const page = await render(finishedRun(), manyRows(50), 4);
    expect(embedded(page)).toHaveLength(8);
    expect(page).toContain('of 50 results');
  });
});
