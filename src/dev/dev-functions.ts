import { randomBytes } from 'node:crypto';
import { createHandler as createAggregateRun } from '../../lambdas/aggregate-run/handler.ts';
import { createHandler as createApi } from '../../lambdas/api/handler.ts';
import type { LinkedFile } from '../../lambdas/api/report-links.ts';
import { createHandler as createCompactRun } from '../../lambdas/compact-run/handler.ts';
import { createHandler as createEvaluateRows } from '../../lambdas/evaluate-rows/handler.ts';
import { createHandler as createFailRun } from '../../lambdas/fail-run/handler.ts';
import { createHandler as createIngestDataset } from '../../lambdas/ingest-dataset/handler.ts';
import { createHandler as createMendSchedules } from '../../lambdas/mend-schedules/handler.ts';
import { createHandler as createPrepareRun } from '../../lambdas/prepare-run/handler.ts';
import { createHandler as createStartScheduled } from '../../lambdas/start-scheduled/handler.ts';
import { createHandler as createSweepRuns } from '../../lambdas/sweep-runs/handler.ts';
import { objectKeys } from '../adapters/aws/object-keys.ts';
import { S3CompactedResults } from '../adapters/aws/s3-compacted-results.ts';
import { writtenFaults } from '../adapters/http/written-faults.ts';
import { unpackDataset } from '../adapters/local/dataset-file.ts';
import { ParquetFile } from '../adapters/parquet/parquet-file.ts';
import { ROW_RESULTS_PARQUET } from '../analytics/tables.ts';
import type { RunCounters } from '../core/schemas/registry.ts';
import type { DatasetIngestion } from '../ports/dataset-ingestion.ts';
import type { RunCompaction } from '../ports/run-compaction.ts';
import type { Schedules } from '../ports/schedules.ts';
import type { SystemSecrets } from '../ports/system-secrets.ts';
import type { Workflow } from '../ports/workflow.ts';
import type { BatchLimits } from '../use-cases/prepare/prepare-deployed-run.ts';
import type { RunLimits } from '../use-cases/start/run-queue.ts';
import { readDevConsole } from './dev-console.ts';
import type { DevPorts } from './dev-ports.ts';
import type { LambdaHandler, LocalFunction } from './lambda-host.ts';

export interface DevFunctionsOptions {
  readonly ports: DevPorts;
  readonly workflow: Workflow;
  readonly systemSecrets: SystemSecrets;
  readonly ingestion: DatasetIngestion;
  readonly compaction: RunCompaction;
  readonly schedules: Schedules;
  readonly limits: BatchLimits;
  readonly runLimits: RunLimits;
  onBatch?(added: RunCounters): void;
}

export type FunctionName =
  | 'api'
  | 'ingest-dataset'
  | 'prepare-run'
  | 'evaluate-rows'
  | 'aggregate-run'
  | 'compact-run'
  | 'fail-run'
  | 'sweep-runs'
  | 'start-scheduled'
  | 'mend-schedules';

/** As the stage's defaults have it (lib/config.ts). */
export const DEV_LIMITS: BatchLimits = { maxBatches: 50, maxInFlight: 20 };
export const DEV_RUN_LIMITS: RunLimits = { maxConcurrentRuns: null, maxQueuedRuns: 100 };

const MINUTES = 60_000;
const REPORT_URL_SECONDS = 3_600;

/** The application's handlers under the names of their folders, with the times that the application gives them. */
export function createDevFunctions(options: DevFunctionsOptions): Record<FunctionName, LocalFunction> {
  const { workflow, limits, runLimits, systemSecrets, ingestion, compaction, schedules } = options;
  const ports = { ...options.ports, workflow, runLimits };
  return {
    api: local(
      30_000,
      createApi({
        ...ports,
        systemSecrets,
        ingestion,
        compaction,
        schedules,
        auth: 'token',
        writtenFaults: (config) => writtenFaults(config, { loopback: true }),
        randomBytes,
        unpack: unpackDataset,
        consoleFiles: readDevConsole,
        openReport,
        reportLinkDays: 7,
      }),
    ),
    'ingest-dataset': local(15 * MINUTES, createIngestDataset({ ...ports, unpack: unpackDataset })),
    'prepare-run': local(15 * MINUTES, createPrepareRun({ ...ports, limits })),
    'evaluate-rows': local(
      15 * MINUTES,
      createEvaluateRows({ ...ports, limits, onBatch: (added) => options.onBatch?.(added) }),
    ),
    'aggregate-run': local(15 * MINUTES, createAggregateRun({ ...ports, onDecided: () => {} })),
    'compact-run': local(
      15 * MINUTES,
      createCompactRun({
        ...ports,
        compacted: new S3CompactedResults(ports.objects),
        openFile: () => new ParquetFile(ROW_RESULTS_PARQUET.columns),
        goOn: (request) => compaction.start(request),
      }),
    ),
    'fail-run': local(5 * MINUTES, createFailRun({ ...ports, onFailed: () => {} })),
    'sweep-runs': local(5 * MINUTES, createSweepRuns({ ...ports, onClosed: () => {} })),
    'start-scheduled': local(1 * MINUTES, createStartScheduled({ ...ports, randomBytes })),
    'mend-schedules': local(10 * MINUTES, createMendSchedules({ ...ports, schedules })),
  };

  async function openReport(project: string, runId: string, file: LinkedFile): Promise<{ url: string } | null> {
    const key = objectKeys.runFile(project, runId, file);
    if ((await ports.objects.readRange(key, 0, 1)) === null) return null;
    return { url: await ports.objects.presignGet(key, REPORT_URL_SECONDS) };
  }
}

function local(timeoutMs: number, handler: unknown): LocalFunction {
  // Middy's types know AWS's whole context; ours read two fields of it.
  return { timeoutMs, handler: handler as LambdaHandler };
}
