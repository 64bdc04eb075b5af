import type { PriceTable } from '../../core/cost/price-table.ts';
import { DatasetReader, type DatasetSource } from '../../core/dataset/read-dataset.ts';
import { pickRows, surveyDataset } from '../../core/dataset/survey-dataset.ts';
import { costBounds } from '../../core/plan/cost-bound.ts';
import { estimateCanaries } from '../../core/plan/estimate-canaries.ts';
import { NOTHING, rowEstimator } from '../../core/plan/estimate-row.ts';
import { addRanges, askedOf, askedOnce, measuredCost, unmetered, usdOf } from '../../core/plan/plan-cost.ts';
import { planPower } from '../../core/plan/plan-power.ts';
import { planTime } from '../../core/plan/plan-time.ts';
import { addAll, type CountedTokens, planTokens, sumOf } from '../../core/plan/plan-tokens.ts';
import { planWarnings, quotaWarnings } from '../../core/plan/plan-warnings.ts';
import { type Quota, quotaBound } from '../../core/plan/quota-bound.ts';
import type { PlanEvidence, RunPlan } from '../../core/plan/run-plan.ts';
import type { EvalConfig } from '../../core/schemas/eval.ts';
import type { Row } from '../../core/schemas/row.ts';
import type { EvalScoring } from '../../core/scoring/eval-scoring.ts';
import { isPlanted } from '../judge/check-judge.ts';

export interface PlanRunInput extends PlanEvidence {
  readonly config: EvalConfig;
  readonly scoring: EvalScoring;
  readonly prices: PriceTable;
  /** Opens the dataset from its start; called twice when rows are sampled. */
  openDataset(): Promise<DatasetSource>;
  /** Of the judge's model. @default unknown, so it bounds nothing */
  readonly quota?: Quota;
}

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
  const atConcurrency = planTime(config, input, answers);
  const bound = quotaBound(rows, asked, config.judges, input.quota ?? {});
  const quota = bound === null ? null : { ...bound, is_the_bound: bound.seconds > atConcurrency.seconds };
  const time = { ...atConcurrency, seconds: Math.max(atConcurrency.seconds, bound?.seconds ?? 0) };
  const tokens = planTokens(config, counted, input.sample, answers);
  const planted = sumOf(canaries.judges);
  const plan = {
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
    power: planPower(input, rows),
  };
  const warnings = [
    ...planWarnings(config, plan, counted.dearestUsd),
    ...quotaWarnings(input.quota ?? {}, quota, atConcurrency, perRow),
  ];
  return { ...plan, warnings };
}

interface Counted extends CountedTokens {
  datasetRows: number;
  rows: number;
  questions: number;
  /** The most that one answer and its verdicts can cost; 0 without a cap, which alone asks for it. */
  dearestUsd: number;
}

async function countRows(input: PlanRunInput): Promise<Counted> {
  const { config, scoring, prices } = input;
  const estimate = rowEstimator(config, scoring);
  const bound = config.max_cost_usd_hard === undefined ? null : costBounds(config, scoring, prices);
  const counted: Counted = {
    datasetRows: 0,
    rows: 0,
    questions: 0,
    dearestUsd: 0,
    targets: config.targets.map(() => ({ ...NOTHING })),
    judges: config.judges.map(() => ({ ...NOTHING })),
  };
  for await (const row of plannedRows(input, (rows) => (counted.datasetRows = rows))) {
    const { targets, judges, questions } = estimate(row);
    counted.rows += 1;
    counted.questions += questions;
    addAll(counted.targets, targets);
    addAll(counted.judges, judges);
    for (const { id } of bound === null ? [] : config.targets) {
      counted.dearestUsd = Math.max(counted.dearestUsd, bound?.(row, id).usd ?? 0);
    }
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
