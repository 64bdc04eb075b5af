import { describe, expect, it } from 'vitest';
import type { PriceTable } from '../../../src/core/cost/price-table.ts';
import { DatasetError } from '../../../src/core/errors.ts';
import { estimateTokens } from '../../../src/core/plan/estimate-tokens.ts';
import { scoringFor } from '../../../src/core/scoring/scoring-for.ts';
import { type PlanRunInput, planRun } from '../../../src/use-cases/prepare/plan-run.ts';
import { chunksOf, result } from '../../core/aggregate/build.ts';
import { evalConfig, spec } from '../../core/scoring/build.ts';

const PRICE = { input: 1, output: 10, cache_read: 0, cache_write: 0 };
const PRICES: PriceTable = { date: '2026-01-01', source: '', models: { 'judge-model': PRICE, 'target-model': PRICE } };

const qa = evalConfig({ type: 'qa', scorers: [spec('contains'), spec('judge')], concurrency: 10, canaries: false });
const bedrock = {
  type: 'bedrock' as const,
  id: 'model',
  model: 'target-model',
  max_tokens: 1000,
  max_iterations: 10,
  timeout_s: 60,
  retries: 2,
};

function plan(changes: Partial<PlanRunInput> = {}, count = 100) {
  const rows = Array.from({ length: count }, (_, at) => ({ id: `r${at}`, input: 'x'.repeat(400), expected: 'y' }));
  const { config = qa, ...rest } = changes;
  return planRun({
    config,
    scoring: scoringFor(config.type),
    prices: PRICES,
    openDataset: async () => ({ name: 'rows.jsonl', chunks: chunksOf(rows) }),
    sample: null,
    lastRun: null,
    ...rest,
  });
}

describe('tokens', () => {
  it.each([
    ['', 0],
    ['abcd', 1],
    ['abcde', 2],
    ['日本', 2],
  ])('of %j are estimated as %d', (text, tokens) => expect(estimateTokens(text)).toBe(tokens));
});

describe('a plan', () => {
  it('counts rows, calls and time', async () => {
    const planned = await plan({ config: { ...qa, trials: 3 } });
    expect(planned).toMatchObject({ dataset_rows: 100, rows: 100, trials: 3, answers: 300 });
    expect(planned.calls).toEqual({ target: 300, judge: 300, judge_at_most: 600, canaries: 0 });
    // 300 answers, 10 at once, 2 s each.
    expect(planned.time).toEqual({ seconds: 60, seconds_an_answer: 2, basis: 'assumed' });
    expect(planned.tokens.target).toBeNull();
    expect(planned.cost.not_metered).toEqual(['target http']);
  });
  it('prices a Bedrock target by its prompt: 100 tokens and 8 in, 200 out', async () => {
    const { tokens, cost } = await plan({ config: { ...qa, targets: [bedrock], scorers: [spec('contains')] } });
    expect(tokens.target).toEqual({ input: 10_800, output: 20_000 });
    // 100 × (108 × $1 + 200 × $10) a million; at most 1,000 out.
    expect(cost).toMatchObject({
      low_usd: expect.closeTo(0.2108, 9),
      high_usd: expect.closeTo(1.0108, 9),
      unknown: [],
    });
  });
  it('multiplies the judge by targets, trials and jurors', async () => {
    const single = await plan();
    const judges = [...qa.judges, ...qa.judges];
    const many = await plan({ config: { ...qa, judges, trials: 2, targets: [...qa.targets, { ...bedrock }] } });
    expect(many.calls.judge).toBe(single.calls.judge * 8);
    expect(many.tokens.judge.input).toBe(single.tokens.judge.input * 8);
    expect(single.tokens.judge.output).toBe(6000);
  });
  it('does not know the cost of a model without a price', async () => {
    const { cost } = await plan({ prices: { ...PRICES, models: {} } });
    expect(cost).toMatchObject({ low_usd: null, high_usd: null, unknown: ['judge-model'] });
  });
  it('takes the rows of the sample that the eval runs', async () => {
    expect(await plan({ config: { ...qa, sample_size: 7 } })).toMatchObject({ dataset_rows: 100, rows: 7 });
    expect(await plan({ config: { ...qa, max_rows: 9 } })).toMatchObject({ rows: 9 });
  });
  it('says what so many rows can show, more with more rows', async () => {
    const few = (await plan({}, 40)).power;
    const many = (await plan({}, 400)).power;
    // 2.8016 × √(.9 × .1 ÷ 40), and n = 7.8489 × .09 ÷ .0009.
    expect(few.smallest_visible).toBeCloseTo(2.801585 * Math.sqrt(0.09 / 40), 5);
    expect(few).toMatchObject({ rows_for_3_points: 785, basis: 'assumed', pass_rate: 0.9 });
    expect(many.smallest_visible).toBeCloseTo((few.smallest_visible ?? 0) / Math.sqrt(10), 9);
  });
  it('measures where a sample was asked', async () => {
    const results = [0, 1, 2, 3].map((index) => result(index, index === 0 ? 0 : 1));
    const planned = await plan({ sample: { results, durationsMs: [900, 1100, 1000, 1000] } });
    expect(planned.tokens).toEqual({
      basis: 'measured',
      target: { input: 1000, output: 500 },
      judge: { input: 2000, output: 200 },
    });
    expect(planned.cost).toMatchObject({ low_usd: expect.closeTo(0.2, 9), high_usd: expect.closeTo(0.2, 9) });
    expect(planned.time).toEqual({ seconds: 10, seconds_an_answer: 1, basis: 'sample' });
    expect(planned.power).toMatchObject({ pass_rate: 0.75, basis: 'sample' });
  });
  it('learns from the last run', async () => {
    const planned = await plan({ lastRun: { passRate: 0.5, counted: 100, secondsAnAnswer: 4 } });
    expect(planned.time).toMatchObject({ seconds: 40, basis: 'last run' });
    expect(planned.power).toMatchObject({ pass_rate: 0.5, basis: 'last run' });
  });
  it('warns of a cap that one row alone may break, which would refuse it', async () => {
    // A verdict of full length, asked for twice, costs more than a tenth of a cent by itself.
    const warned = async (cap: number) =>
      (await plan({ config: { ...qa, max_cost_usd_hard: cap } }, 1)).warnings.filter((text) =>
        /one row may cost/.test(text),
      );
    expect(await warned(0.001)).toEqual([
      expect.stringMatching(/up to \$0\.0\d+, more than max_cost_usd_hard \(\$0\.001\)/),
    ]);
    expect(await warned(1)).toEqual([]);
  });
  it('warns of what would end the run early', async () => {
    const config = { ...qa, time_budget_s: 10, max_cost_usd_hard: 0.01, confirm_trials: 3 };
    expect((await plan({ config })).warnings.join(' ')).toMatch(
      /max_cost_usd_hard.*time_budget_s.*asked up to 3 times more/,
    );
  });
  it.each([
    { name: 'by default, 4 a prompt and judge', changes: {}, canaries: 8 },
    { name: 'not when switched off', changes: { canaries: false }, canaries: 0 },
    { name: 'not for word overlap', changes: { judges: [{ type: 'lexical' as const }] }, canaries: 0 },
    {
      name: 'for word overlap when wanted',
      changes: { judges: [{ type: 'lexical' as const }], canaries: true },
      canaries: 4,
    },
    { name: 'not where no judge is asked', changes: { scorers: [spec('contains')] }, canaries: 0 },
  ])('counts planted answers: $name', async ({ changes, canaries }) => {
    const { canaries: _off, ...planting } = qa;
    const config = { ...planting, judges: [...qa.judges, ...qa.judges], ...changes };
    expect((await plan({ config })).calls.canaries).toBe(canaries);
  });
  it('adds planted answers to tokens and cost once, whatever the rows: 60 tokens of verdict each', async () => {
    const { canaries: _off, ...planting } = qa;
    const extra = async (rows: number) => {
      const [bare, planted] = await Promise.all([plan({}, rows), plan({ config: planting }, rows)]);
      const usd = (planted.cost.low_usd ?? 0) - (bare.cost.low_usd ?? 0);
      const tokens = (kind: 'input' | 'output') => planted.tokens.judge[kind] - bare.tokens.judge[kind];
      return { output: tokens('output'), input: tokens('input'), usd };
    };
    const few = await extra(10);
    expect(few.output).toBe(240);
    expect(few.usd).toBeCloseTo((few.input * 1 + 240 * 10) / 1e6, 9);
    expect((await extra(50)).input).toBe(few.input);
  });
  describe('with a quota', () => {
    it('takes the requests of the judge where they are the bound: 100 a row-minute at 50 a minute is 2 minutes', async () => {
      const planned = await plan({ quota: { rpm: 50, tpm: 100_000_000 } });
      expect(planned.quota).toMatchObject({ by: 'requests', rows_per_minute: 50, requests_a_row: 1, seconds: 120 });
      expect(planned.quota?.is_the_bound).toBe(true);
      expect(planned.time.seconds).toBe(120);
      // 50 rows a minute of 2 s each: 1.67 are under way at a time.
      expect(planned.warnings.join()).toMatch(
        /quota of judge-model is the bound: 120 s.*take 20 s; more than about 1 at/,
      );
    });
    it('takes input + max_tokens of each call', async () => {
      const { tokens, quota } = await plan({ quota: { tpm: 10_000 } });
      const aRow = tokens.judge.input / 100 + 700;
      expect(quota).toMatchObject({ by: 'tokens', burndown: 1, tokens_a_row: aRow });
      expect(quota?.rows_per_minute).toBeCloseTo(10_000 / aRow, 9);
    });
    it('takes output × burndown where that is more than max_tokens', async () => {
      const model = 'us.anthropic.claude-opus-4-8';
      const judges = [{ type: 'bedrock' as const, model, max_tokens: 700, timeout_s: 60, temperature: 0 }];
      const { tokens, quota } = await plan({ config: { ...qa, judges }, quota: { tpm: 10_000 } });
      // 60 tokens of verdict × 15.
      expect(quota).toMatchObject({ burndown: 15, tokens_a_row: tokens.judge.input / 100 + 900 });
    });
    it('is shared by judges and targets of one model', async () => {
      const judges = [...qa.judges, ...qa.judges];
      const targets = [{ ...bedrock, model: 'judge-model' }];
      const { quota } = await plan({ config: { ...qa, judges, targets, trials: 2 }, quota: { rpm: 60 } });
      expect(quota?.requests_a_row).toBe(6);
    });
    it('that is ample leaves the concurrency the bound, and warns of nothing', async () => {
      const planned = await plan({ quota: { rpm: 10_000 } });
      expect(planned).toMatchObject({ quota: { is_the_bound: false }, time: { seconds: 20 }, warnings: [] });
    });
    it('says that it bounds nothing without a model', async () => {
      const planned = await plan({ config: { ...qa, judges: [{ type: 'lexical' }] }, quota: { rpm: 1 } });
      expect(planned.quota).toBeNull();
      expect(planned.warnings.join()).toContain('no model judges');
    });
    it('counts against the time budget', async () => {
      const { warnings } = await plan({ config: { ...qa, time_budget_s: 100 }, quota: { rpm: 50 } });
      expect(warnings.join()).toContain('time_budget_s');
    });
  });
  it('plans nothing of nothing', async () => {
    await expect(plan({}, 0)).rejects.toThrow(DatasetError);
  });
});
