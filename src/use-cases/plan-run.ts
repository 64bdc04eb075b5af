import { assumedVariance } from '../core/aggregate/run-statistics.ts';
import type { PriceTable } from '../core/cost/price-table.ts';
import { DatasetReader, type DatasetSource } from '../core/dataset/read-dataset.ts';
import { pickRows, surveyDataset } from '../core/dataset/survey-dataset.ts';
import { estimateCanaries } from '../core/plan/estimate-canaries.ts';
import { NOTHING, rowEstimator, type TokenEstimate } from '../core/plan/estimate-row.ts';
import { addRanges, askedOf, askedOnce, measuredCost, unmetered, usdOf } from '../core/plan/plan-cost.ts';
import { type Quota, type QuotaBound, quotaBound } from '../core/plan/quota-bound.ts';
import type { EvalConfig } from '../core/schemas/eval.ts';
import type { RowResult } from '../core/schemas/result.ts';
import type { Row } from '../core/schemas/row.ts';
import type { EvalScoring } from '../core/scoring/eval-scoring.ts';
import { minimumDetectableEffect, sampleSize } from '../core/statistics/power.ts';
import { isPlanted } from './check-judge.ts';

/** Rows that were really asked, to measure instead of to guess. */
export interface MeasuredSample {
  readonly results: readonly RowResult[];
  readonly durationsMs: readonly number[];
}

export interface PlanRunInput {
  readonly config: EvalConfig;
  readonly scoring: EvalScoring;
  readonly prices: PriceTable;
  /** Opens the dataset from its start; called twice when rows are sampled. */
  openDataset(): Promise<DatasetSource>;
  readonly sample: MeasuredSample | null;
  /** Of the judge's model. @default unknown, so it bounds nothing */
  readonly quota?: Quota;
  /** The last finished run of the eval, where there is one. */
  readonly lastRun: {
    readonly passRate: number | null;
    readonly counted: number;
    readonly secondsAnAnswer: number | null;
  } | null;
}

export interface RunPlan {
  readonly eval: string;
  readonly dataset_rows: number;
  readonly rows: number;
  readonly targets: number;
  readonly trials: number;
  /** (row, target, trial): each is one answer. */
  readonly answers: number;
  readonly calls: {
    readonly target: number;
    /** For rows; planted answers come on top. */
    readonly judge: number;
    readonly judge_at_most: number;
    readonly canaries: number;
  };
  readonly tokens: {
    readonly basis: 'estimated' | 'measured';
    /** Null: the targets report none. */
    readonly target: { readonly input: number; readonly output: number } | null;
    /** With planted answers, which are always estimated. */
    readonly judge: { readonly input: number; readonly output: number };
  };
  /** Null where a model has no price. `high_usd` estimated: every reply as long as allowed, every verdict asked for twice. */
  readonly cost: {
    readonly low_usd: number | null;
    readonly high_usd: number | null;
    readonly not_metered: readonly string[];
    readonly unknown: readonly string[];
  };
  readonly time: {
    /** The larger of what the concurrency and the quota allow. */
    readonly seconds: number;
    readonly seconds_an_answer: number;
    readonly basis: 'sample' | 'last run' | 'assumed';
  };
  /** From estimated tokens. Null: no quota was given, or no model judges. */
  readonly quota: (QuotaBound & { readonly is_the_bound: boolean }) | null;
  readonly power: {
    /** Smallest drop of the pass rate against a baseline on the same rows that 8 of 10 runs would show. */
    readonly smallest_visible: number | null;
    readonly rows_for_3_points: number;
    readonly pass_rate: number;
    readonly basis: 'sample' | 'last run' | 'assumed';
  };
  readonly warnings: readonly string[];
}

/** Seconds from question to verdict, where nothing was measured. */
const ASSUMED_SECONDS = 2;
const ASSUMED_PASS_RATE = 0.9;

/** What a run would take, before anything is spent on it. Throws DatasetError with every fault of the dataset. */
export async function planRun(input: PlanRunInput): Promise<RunPlan> {
  const { config, prices } = input;
  const counted = await countRows(input);
  const { rows } = counted;
  const perRow = config.targets.length * config.trials;
  const answers = rows * perRow;
  const canaries = estimateCanaries(config, (judge) => isPlanted(config, judge));
  const asked = askedOf(config, counted);
  const ofRows = input.sample === null ? usdOf(asked, prices) : measuredCost(input.sample.results, answers);
  const cost = addRanges(ofRows, usdOf(askedOnce(config, canaries), prices));
  const atConcurrency = timeOf(input, answers);
  const bound = quotaBound(rows, asked, config.judges, input.quota ?? {});
  const quota = bound === null ? null : { ...bound, is_the_bound: bound.seconds > atConcurrency.seconds };
  const time = { ...atConcurrency, seconds: Math.max(atConcurrency.seconds, bound?.seconds ?? 0) };
  const tokens = tokensOf(input, counted, answers);
  const planted = sumOf(canaries.judges);
  return {
    eval: config.name,
    dataset_rows: counted.datasetRows,
    rows,
    targets: config.targets.length,
    trials: config.trials,
    answers,
    calls: {
      target: answers,
      judge: counted.questions * perRow * config.judges.length,
      judge_at_most: counted.questions * perRow * config.judges.length * 2,
      canaries: canaries.calls,
    },
    tokens: {
      ...tokens,
      judge: { input: tokens.judge.input + planted.input, output: tokens.judge.output + planted.output },
    },
    cost: { ...cost, ...unmetered(config, prices) },
    time,
    quota,
    power: powerOf(input, rows),
    warnings: [
      ...warningsOf(config, cost.high_usd, time.seconds, rows),
      ...quotaWarnings(input, quota, atConcurrency, perRow),
    ],
  };
}

interface Counted {
  datasetRows: number;
  rows: number;
  questions: number;
  /** Sums over rows, for one trial; null where nothing can be said. */
  readonly targets: (TokenEstimate | null)[];
  /** Sums over rows, for one answer a row. */
  readonly judges: (TokenEstimate | null)[];
}

async function countRows(input: PlanRunInput): Promise<Counted> {
  const { config, scoring } = input;
  const estimate = rowEstimator(config, scoring);
  const counted: Counted = {
    datasetRows: 0,
    rows: 0,
    questions: 0,
    targets: config.targets.map(() => ({ ...NOTHING })),
    judges: config.judges.map(() => ({ ...NOTHING })),
  };
  for await (const row of plannedRows(input, (rows) => (counted.datasetRows = rows))) {
    const { targets, judges, questions } = estimate(row);
    counted.rows += 1;
    counted.questions += questions;
    addAll(counted.targets, targets);
    addAll(counted.judges, judges);
  }
  return counted;
}

/** The rows that the run would pick. */
async function* plannedRows(
  { config, scoring, openDataset }: PlanRunInput,
  onCount: (datasetRows: number) => void,
): AsyncGenerator<Row> {
  const source = await openDataset();
  const columns = source.format === 'rows' ? {} : config.columns;
  const options = { columns, checkRow: (row: Row) => scoring.checkRow(row, config) };
  const most = Math.min(config.sample_size ?? config.max_rows, config.max_rows);
  if (config.sample_size === undefined && config.max_rows >= 10_000_000) {
    const reader = new DatasetReader(source, options);
    yield* reader;
    onCount(reader.counts().rows);
    return;
  }
  const survey = await surveyDataset(source, { ...options, sampleSize: most, sampleSeed: config.sample_seed });
  onCount(survey.rows);
  yield* pickRows(await openDataset(), survey, { columns });
}

function addAll(sums: (TokenEstimate | null)[], more: readonly (TokenEstimate | null)[]): void {
  for (const [index, tokens] of more.entries()) {
    const sum = sums[index] ?? null;
    if (tokens === null || sum === null) {
      sums[index] = null;
      continue;
    }
    for (const key of Object.keys(tokens) as (keyof TokenEstimate)[]) sum[key] += tokens[key];
  }
}

function sumOf(parts: readonly (TokenEstimate | null)[]): TokenEstimate {
  const sums: (TokenEstimate | null)[] = [{ ...NOTHING }];
  for (const part of parts) if (part !== null) addAll(sums, [part]);
  return sums[0] ?? NOTHING;
}

const inAndOut = ({ input, output }: TokenEstimate, times: number) => ({
  input: input * times,
  output: output * times,
});

function tokensOf({ config, sample }: PlanRunInput, counted: Counted, answers: number): RunPlan['tokens'] {
  if (sample !== null) return measuredTokens(sample, answers);
  const reported = counted.targets.some((tokens) => tokens !== null);
  return {
    basis: 'estimated',
    target: reported ? inAndOut(sumOf(counted.targets), config.trials) : null,
    judge: inAndOut(sumOf(counted.judges), config.targets.length * config.trials),
  };
}

function measuredTokens({ results }: MeasuredSample, answers: number): RunPlan['tokens'] {
  const mean = (of: 'target_usage' | 'judge_usage', kind: 'input' | 'output') => {
    const sum = results.reduce((total, { spend }) => {
      const usage = spend[of];
      if (usage === null) return total;
      return total + (kind === 'input' ? usage.input + usage.cache_read + usage.cache_write : usage.output);
    }, 0);
    return results.length === 0 ? 0 : Math.round((sum / results.length) * answers);
  };
  const isReported = results.some(({ spend }) => spend.target_usage !== null);
  return {
    basis: 'measured',
    target: isReported ? { input: mean('target_usage', 'input'), output: mean('target_usage', 'output') } : null,
    judge: { input: mean('judge_usage', 'input'), output: mean('judge_usage', 'output') },
  };
}

function timeOf({ config, sample, lastRun }: PlanRunInput, answers: number): RunPlan['time'] {
  const of = (seconds_an_answer: number, basis: RunPlan['time']['basis']) => ({
    seconds: Math.ceil(answers / config.concurrency) * seconds_an_answer,
    seconds_an_answer,
    basis,
  });
  if (sample !== null && sample.durationsMs.length > 0) {
    return of(sample.durationsMs.reduce((sum, ms) => sum + ms, 0) / sample.durationsMs.length / 1000, 'sample');
  }
  if (lastRun?.secondsAnAnswer != null) return of(lastRun.secondsAnAnswer, 'last run');
  const isRecorded = config.targets.every(({ type }) => type === 'recorded');
  const isJudged = config.judges.some(({ type }) => type === 'bedrock' || type === 'openai');
  return of(isRecorded && !isJudged ? 0 : ASSUMED_SECONDS, 'assumed');
}

function powerOf({ sample, lastRun }: PlanRunInput, rows: number): RunPlan['power'] {
  const known = knownRate(sample, lastRun);
  const rowVariance = assumedVariance(known.rate, known.rows);
  return {
    smallest_visible: rows === 0 ? null : Math.min(1, minimumDetectableEffect(rows, { rowVariance })),
    rows_for_3_points: sampleSize(0.03, { rowVariance }),
    pass_rate: known.rate,
    basis: known.basis,
  };
}

function knownRate(
  sample: MeasuredSample | null,
  lastRun: PlanRunInput['lastRun'],
): { readonly rate: number; readonly rows: number; readonly basis: RunPlan['power']['basis'] } {
  const counted = sample?.results.filter(({ score }) => score !== null) ?? [];
  if (counted.length > 0) {
    const rate = counted.filter(({ passed }) => passed).length / counted.length;
    return { rate, rows: counted.length, basis: 'sample' };
  }
  if (lastRun?.passRate != null) return { rate: lastRun.passRate, rows: lastRun.counted, basis: 'last run' };
  // As if it were known for certain: nothing is, and the figure says so.
  return { rate: ASSUMED_PASS_RATE, rows: 1e9, basis: 'assumed' };
}

function quotaWarnings(
  { quota: given }: PlanRunInput,
  quota: RunPlan['quota'],
  { seconds, seconds_an_answer }: RunPlan['time'],
  perRow: number,
): string[] {
  if (quota === null) {
    const isGiven = given?.rpm !== undefined || given?.tpm !== undefined;
    return isGiven ? ['the quota bounds nothing: no model judges rows of this eval'] : [];
  }
  if (!quota.is_the_bound) return [];
  const enough = Math.max(1, Math.floor((quota.rows_per_minute / 60) * perRow * seconds_an_answer));
  return [
    `the quota of ${quota.model} is the bound: ${Math.ceil(quota.seconds)} s, where the concurrency would take ${Math.ceil(seconds)} s; more than about ${enough} at once would only be throttled`,
  ];
}

function warningsOf(config: EvalConfig, highUsd: number | null, seconds: number, rows: number): string[] {
  const warnings: string[] = [];
  if (rows === 0) warnings.push('the dataset has no rows with an input');
  const cap = config.max_cost_usd_hard;
  if (cap !== undefined && highUsd !== null && highUsd > cap) {
    warnings.push(`the run may cost more than max_cost_usd_hard ($${cap}): it would stop there and not pass`);
  }
  if (seconds > config.time_budget_s) {
    warnings.push(`the run takes longer than time_budget_s (${config.time_budget_s}): rows would be skipped`);
  }
  if (config.confirm_trials > 0) {
    warnings.push(`rows that flip are asked ${config.confirm_trials} times more, which is not in these numbers`);
  }
  if (config.targets.some((target) => 'contexts_path' in target && target.contexts_path !== undefined)) {
    warnings.push('passages that the target brings are not in the tokens of the judge');
  }
  return warnings;
}
