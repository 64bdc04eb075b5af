import { openDatasetFile } from '../adapters/local/dataset-file.ts';
import { ConfigError } from '../core/errors.ts';
import type { Quota } from '../core/plan/quota-bound.ts';
import type { RunPlan } from '../core/plan/run-plan.ts';
import { scoringFor } from '../core/scoring/scoring-for.ts';
import { planRun } from '../use-cases/prepare/plan-run.ts';
import { type AsideContext, evaluateAside } from './evaluate-aside.ts';
import { readRunConfig, readSummary } from './former-run.ts';
import type { LoadedEval } from './load-eval.ts';
import type { Workspace } from './workspace.ts';

export interface PlanContext extends AsideContext {
  readonly workspace: Pick<Workspace, 'runs' | 'index'>;
  /** Rows to really ask, to measure instead of to guess. @default none */
  readonly sample?: number | undefined;
  /** Of the judge's model. */
  readonly quota?: Quota;
}

/** What a run of this eval would take. Asks nobody, unless a sample is wanted. Throws ConfigError, DatasetError. */
export async function planEval(loaded: LoadedEval, context: PlanContext): Promise<RunPlan> {
  const { config } = loaded;
  const { sample } = context;
  const scoring = scoringFor(config.type);
  const faults = scoring.checkConfig(config);
  if (faults.length > 0) throw new ConfigError(faults.map(loaded.locate));
  const few = Math.min(sample ?? 0, config.sample_size ?? Number.POSITIVE_INFINITY, config.max_rows);
  // What a sample costs and how long it takes does not hang on whether its judge may gate.
  const { require_calibration: _required, ...asked } = config;
  const measured = sample === undefined ? null : await evaluateAside({ ...asked, sample_size: few }, loaded, context);
  return planRun({
    config,
    scoring,
    prices: context.prices,
    openDataset: () => openDatasetFile(loaded.datasetPath),
    sample: measured,
    ...(context.quota === undefined ? {} : { quota: context.quota }),
    lastRun: await lastRunOf(config.name, context.workspace),
  });
}

async function lastRunOf(name: string, { runs, index }: PlanContext['workspace']) {
  const entry = (await index.list(name)).at(-1);
  const summary = entry === undefined ? null : await readSummary(entry.run_id, runs);
  if (summary === null) return null;
  const { pass_rate: passRate, counts, started_at, finished_at } = summary;
  const config = await readRunConfig(summary.run_id, runs);
  const seconds = (Date.parse(finished_at) - Date.parse(started_at)) / 1000;
  const done = counts.scored + counts.target_error + counts.judge_error;
  // A resumed run took the pause, too: then nothing is known.
  const isKnown = config !== null && seconds > 0 && seconds <= config.eval.time_budget_s && done > 0;
  const secondsAnAnswer = isKnown ? (seconds * Math.min(config.eval.concurrency, done)) / done : null;
  return { passRate, counted: counts.passed + counts.failed, secondsAnAnswer };
}
