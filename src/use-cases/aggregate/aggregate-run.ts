import { type Aggregate, aggregate } from '../../core/aggregate/aggregate.ts';
import { BaselineFold, setupDifferences } from '../../core/aggregate/baseline.ts';
import { planConfirmation, type RowToConfirm, summarizeConfirmation } from '../../core/aggregate/confirm-flips.ts';
import { contentHash } from '../../core/aggregate/content-hash.ts';
import { ResultFold } from '../../core/aggregate/fold.ts';
import { outcomeLines } from '../../core/aggregate/outcomes.ts';
import { runStatistics } from '../../core/aggregate/run-statistics.ts';
import { cachedResults } from '../../core/aggregate/spending.ts';
import { runWarnings } from '../../core/aggregate/warnings.ts';
import { runCalibration } from '../../core/calibration/run-calibration.ts';
import { decideGate, gateOf, statusOfGate } from '../../core/gate/decide-gate.ts';
import type { StopCause } from '../../core/gate/gate-input.ts';
import { runMessage, type Stop } from '../../core/gate/run-message.ts';
import { lineBatches } from '../../core/jsonl.ts';
import type { CanaryReport } from '../../core/schemas/canaries.ts';
import type { SkipCause } from '../../core/schemas/result.ts';
import { RowSchema } from '../../core/schemas/row.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import { type BaselineComparison, type RunSummary, RunSummarySchema } from '../../core/schemas/summary.ts';
import type { ByteChunks } from '../../ports/run-store.ts';

export interface BaselineRun {
  readonly config: RunConfig;
  /** Uncompressed `outcomes.jsonl` of that run; read again when flipped rows were tried again. */
  readonly outcomes: ByteChunks;
}

export interface AggregateRunInput {
  readonly config: RunConfig;
  /** Uncompressed result lines, in any order and with repeats, in one stream or many. */
  readonly results: AsyncIterable<ByteChunks> | Iterable<ByteChunks>;
  /** Null: there is no run to compare with. */
  readonly baseline: BaselineRun | null;
  /** What a reader has to know about the choice of the baseline. */
  readonly notes?: readonly string[];
  readonly finishedAt: string;
  /** Why no further row was started, where the driver knows; else it follows from the skipped results. */
  readonly stopped: { readonly cause: SkipCause; readonly why: string } | null;
  /** What the planted answers came to; null or absent when there were none. */
  readonly canaries?: CanaryReport | null;
  /** `rows.jsonl`, read only when a row has no result at all, to name it. */
  readonly rows?: () => Promise<ByteChunks | null>;
}

export interface AggregatedRun {
  readonly summary: RunSummary;
  /** Lines of `outcomes.jsonl`, one a row, in file order. */
  readonly outcomes: Iterable<string>;
  /** Rows to try again before they are blamed (`confirm_trials`), then to aggregate again; empty when there are none left. */
  readonly toConfirm: readonly RowToConfirm[];
}

/**
 * Result lines of a run → its summary, with the decision, and the outcomes a later run compares with. The same for
 * every driver: nothing in the decision depends on time, ids or the order of the lines.
 * Throws StorageError where lines cannot be read.
 */
export async function aggregateRun(input: AggregateRunInput): Promise<AggregatedRun> {
  const { config } = input;
  const fold = await foldResults(input);
  const figures = aggregate(fold, config.eval.judges.map(judgeId));
  const compared = input.baseline === null ? NOTHING_COMPARED : await compare(fold, figures, config, input.baseline);
  const { baseline } = compared;
  const stop = stopOf(input, figures);
  const cancelled = stop?.cause === 'cancelled';
  const calibration =
    config.calibration === undefined ? null : runCalibration(config.calibration, config.started_at, fold);
  const decision = decideGate({
    policy: config.policy,
    figures,
    baseline,
    calibration,
    guards: {
      stopped: stop?.cause ?? null,
      lost: figures.lost,
      costCapReached: stop?.cause === 'cost cap',
      cancelled,
      ...wrongOf(input),
    },
  });
  const gate = gateOf(decision, config.policy);
  const status = statusOfGate(gate, cancelled);
  const summary: RunSummary = {
    ...identity(config),
    ...figuresOf(figures, config),
    status,
    gate,
    message: runMessage(status, decision, figures, stop),
    decision,
    warnings: runWarnings({
      config,
      fold,
      figures,
      baseline,
      former: input.baseline?.config ?? null,
      notes: [...(input.notes ?? []), ...silentCanaries(input)],
    }),
    baseline,
    statistics: runStatistics({
      figures,
      baseline,
      isClustered: fold.isClustered,
      floors: config.policy.metric_floors,
    }),
    ...(calibration === null ? {} : { calibration }),
    ...(config.eval.judge_cache === true ? { verdict_cache: { results: cachedResults(fold) } } : {}),
    ...(input.canaries == null ? {} : { canaries: input.canaries }),
    finished_at: input.finishedAt,
    stopped: stop === null ? null : { after: stop.after, of: stop.of, why: stop.why },
  };
  // A run that was stopped is not decided by its rows: nothing more is spent on them.
  const toConfirm = stop === null ? compared.toConfirm : [];
  return { summary: RunSummarySchema.parse(summary), outcomes: outcomeLines(fold, figures.reduced.rows), toConfirm };
}

function wrongOf({ canaries }: AggregateRunInput): { compromised?: readonly string[] } {
  const wrong = canaries?.wrong ?? [];
  return wrong.length === 0 ? {} : { compromised: wrong.map(({ text }) => text) };
}

/** A refusal is no wrong verdict, and no proof that the judge holds: guardrails often stop just these texts. */
function silentCanaries({ canaries }: AggregateRunInput): string[] {
  if (canaries == null || canaries.failed === 0) return [];
  const { failed, asked } = canaries;
  return [
    `the judge gave no verdict on ${failed} of ${asked} planted answers: whether it obeys such answers is not known`,
  ];
}

async function foldResults({ config, results, rows, canaries }: AggregateRunInput): Promise<ResultFold> {
  const fold = new ResultFold({
    runId: config.run_id,
    rows: config.rows,
    targets: config.eval.targets.map((target) => target.id),
    trials: config.eval.trials,
    confirmTrials: config.eval.confirm_trials,
    trialPolicy: config.policy.trial_policy,
  });
  if (canaries != null) fold.spending.noteCanaries(canaries);
  for await (const chunks of results) {
    for await (const lines of lineBatches(chunks)) for (const line of lines) fold.add(line);
  }
  if (rows !== undefined && fold.hasUnnamedRows) await nameRows(fold, await rows());
  return fold;
}

/** Rows that no result names are lost; the row file still knows what they are called. */
async function nameRows(fold: ResultFold, rows: ByteChunks | null): Promise<void> {
  if (rows === null) return;
  for await (const lines of lineBatches(rows)) {
    for (const line of lines) {
      const { index, id, input, expected, tags, cluster } = RowSchema.parse(JSON.parse(line));
      fold.nameRow(index, id, contentHash(input, expected), tags, cluster);
    }
  }
}

interface Compared {
  readonly baseline: BaselineComparison | null;
  readonly toConfirm: readonly RowToConfirm[];
}

const NOTHING_COMPARED: Compared = { baseline: null, toConfirm: [] };

async function compare(
  fold: ResultFold,
  figures: Aggregate,
  config: RunConfig,
  former: BaselineRun,
): Promise<Compared> {
  const comparison = new BaselineFold(fold, figures.reduced);
  for await (const lines of lineBatches(former.outcomes)) for (const line of lines) comparison.add(line);
  const baseline = comparison.finish(former.config.run_id, figures, setupDifferences(config, former.config));
  if (baseline === null || config.eval.confirm_trials === 0) return { baseline, toConfirm: [] };
  const confirmation = summarizeConfirmation(fold, figures.reduced, comparison.flips);
  return { baseline: { ...baseline, confirmation }, toConfirm: planConfirmation(fold, comparison.flips).rows };
}

const STOP_TEXTS: Record<StopCause, string> = {
  cancelled: 'cancelled',
  'cost cap': 'hard cost cap reached',
  'judge compromised': 'judge compromised',
  stopped: 'the judge failed before grading any row',
  'target down': 'target down',
  'time budget': 'time budget reached',
};

function stopText(cause: StopCause, { eval: { max_cost_usd_hard: cap } }: RunConfig): string {
  return cause === 'cost cap' && cap !== undefined ? `hard cost cap of $${cap} reached` : STOP_TEXTS[cause];
}

/** What ended the run early: as the driver says, or the gravest cause among the skipped results. */
function stopOf(input: AggregateRunInput, figures: Aggregate): (Stop & { readonly cause: StopCause }) | null {
  const causes = Object.keys(STOP_TEXTS) as StopCause[];
  const given = input.stopped;
  const cause = causes.find((known) => known === given?.cause) ?? causes.find((known) => skippedBy(known, figures));
  if (cause === undefined) return null;
  const why = given?.cause === cause ? given.why : stopText(cause, input.config);
  return { cause, why, after: figures.startedRows, of: figures.counts.rows };
}

/** One target of several that is down does not end the run: the others go on. */
function skippedBy(cause: StopCause, { skippedByCause, startedRows, counts }: Aggregate): boolean {
  return Object.hasOwn(skippedByCause, cause) && (cause !== 'target down' || startedRows < counts.rows);
}

function identity(config: RunConfig) {
  const { run_id, project, dataset, judge_hash, target_hash, ref, sha, started_at } = config;
  const { name, description, type, quarantined, judges } = config.eval;
  return {
    run_id,
    project,
    eval: name,
    description,
    type,
    dataset,
    judges: judges.map((judge) => ({
      id: judgeId(judge),
      type: judge.type,
      model: 'model' in judge ? judge.model : null,
      is_model: judge.type === 'bedrock' || judge.type === 'openai',
    })),
    judge_hash,
    target_hash,
    quarantined,
    ref,
    sha,
    started_at,
  };
}

function figuresOf(figures: Aggregate, config: RunConfig) {
  const pair = (interval: readonly [number, number] | null): [number, number] | null =>
    interval === null ? null : [interval[0], interval[1]];
  return {
    score: figures.score,
    pass_rate: figures.passRate,
    pass_rate_ci95: pair(figures.passRateCi95),
    score_ci95: pair(figures.scoreCi95),
    coverage: figures.coverage,
    counts: figures.counts,
    skipped_by_cause: { ...figures.skippedByCause },
    metrics: { ...figures.metrics },
    targets: figures.targets.map(({ id, model, counts, metrics, latency, cost, score, passRate }, position) => {
      const target = config.eval.targets[position];
      const configured = target !== undefined && 'model' in target ? target.model : null;
      const type = target?.type ?? 'http';
      return {
        id,
        type,
        model: configured ?? model,
        score,
        pass_rate: passRate,
        counts,
        metrics: { ...metrics },
        latency,
        cost,
      };
    }),
    ...(figures.repeats.length === 0 ? {} : { repeats: [...figures.repeats] }),
    latency: figures.latency,
    cost: figures.cost,
    tags: figures.tags,
  };
}

/** A judge as reports name it. */
function judgeId(judge: RunConfig['eval']['judges'][number]): string {
  return 'model' in judge ? judge.model : judge.type;
}
