export interface BatchPlanInput {
  /** Rows of the manifest. */
  readonly rows: number;
  /** Targets × trials: requests that one row makes. */
  readonly tasksPerRow: number;
  /** The eval's `concurrency`: requests to the targets in flight over the whole run. */
  readonly concurrency: number;
  /** Batches at once, at most. */
  readonly maxBatches: number;
  /** Tasks in flight in one Lambda, at most. */
  readonly maxInFlight: number;
}

export interface BatchPlan {
  /** Rows of one batch. */
  readonly batchSize: number;
  /** Batches at once. */
  readonly maxConcurrency: number;
  /** Tasks in flight in one Lambda; × maxConcurrency never exceeds the eval's concurrency. */
  readonly inFlight: number;
}

/** A batch costs a child execution and a part; above this many tasks there is little left to save (docs/architecture.md). */
const MAX_TASKS_PER_BATCH = 200;
/** Below it a Lambda spends its time starting up. */
const ROUNDS_PER_BATCH = 5;
/** Enough batches for each Lambda that one slow batch does not hold up the end. */
const BATCHES_PER_WORKER = 4;

/** How a run's rows are cut into batches. Pure: `prepare-run` and `evaluate-rows` come to the same numbers. */
export function planBatches(input: BatchPlanInput): BatchPlan {
  const { rows, tasksPerRow, concurrency, maxBatches, maxInFlight } = input;
  const tasks = Math.max(1, rows * tasksPerRow);
  const maxConcurrency = Math.max(
    1,
    Math.min(maxBatches, Math.ceil(concurrency / maxInFlight), Math.ceil(tasks / ROUNDS_PER_BATCH)),
  );
  const inFlight = Math.max(1, Math.min(maxInFlight, Math.floor(concurrency / maxConcurrency)));
  const balanced = Math.ceil(tasks / (maxConcurrency * BATCHES_PER_WORKER));
  const tasksPerBatch = Math.min(
    MAX_TASKS_PER_BATCH,
    Math.max(balanced, inFlight * ROUNDS_PER_BATCH, maxConcurrency === 1 ? MAX_TASKS_PER_BATCH : 1),
  );
  return { batchSize: Math.max(1, Math.floor(tasksPerBatch / tasksPerRow)), maxConcurrency, inFlight };
}
