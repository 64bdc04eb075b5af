import { join } from 'node:path';
import { log } from '../../lambdas/shared/log.ts';
import { type DeliveredEvent, FileRunEvents } from '../adapters/local/file-run-events.ts';
import { MemorySchedules } from '../adapters/memory/memory-schedules.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { PRICES } from '../core/cost/price-table.ts';
import { StorageError } from '../core/errors.ts';
import type { RunCounters } from '../core/schemas/registry.ts';
import type { Clock } from '../ports/clock.ts';
import type { DatasetIngestion } from '../ports/dataset-ingestion.ts';
import type { RunCompaction } from '../ports/run-compaction.ts';
import type { BatchLimits } from '../use-cases/prepare/prepare-deployed-run.ts';
import type { RunLimits } from '../use-cases/start/run-queue.ts';
import { createDevFunctions, DEV_LIMITS, DEV_RUN_LIMITS, type FunctionName } from './dev-functions.ts';
import type { DevBedrock } from './dev-judges.ts';
import {
  createDevPorts,
  DEV_BUCKET,
  DEV_TABLE,
  type DevPorts,
  type DevPortsOptions,
  EVENTS_FILE,
} from './dev-ports.ts';
import { FileSystemSecrets } from './dev-secrets.ts';
import { startDynamo } from './emulators/dynamo.ts';
import { startS3 } from './emulators/s3.ts';
import { FolderExecutionFiles } from './execution-files.ts';
import { lockFolder } from './folder-lock.ts';
import { startHttpApi } from './http-server.ts';
import { LambdaHost, type LocalFunction } from './lambda-host.ts';
import { type EndedExecution, LocalWorkflow } from './local-workflow.ts';
import { ScheduleTicker } from './schedule-ticker.ts';
import { loadStateMachine } from './state-machine/load.ts';
import type { ExecutionEvent } from './state-machine/runtime.ts';
import { lambdaInvoke, type ObjectStore, type Services } from './state-machine/services.ts';
import { readWorkflowDefinition } from './workflow-definition.ts';

const SWEEP_MS = 5 * 60_000;
const SCHEDULE_TICK_MS = 5_000;
const BAD_ENDS = ['FAILED', 'TIMED_OUT', 'ABORTED'];

export interface DevStackOptions {
  /** Holds the whole state: table, bucket, executions, secrets. */
  readonly folder: string;
  /** 0: a free port. */
  readonly port: number;
  /** Its `.env` holds secrets of evals, beside `env`. @default the working directory */
  readonly secretsFolder?: string;
  /** @default the process's environment */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly bedrock?: DevBedrock;
  readonly limits?: BatchLimits;
  readonly runLimits?: RunLimits;
  readonly clock?: Clock;
  /** Waits between the workflow's retries take this many times less. @default 1 */
  readonly waitSpeed?: number;
  readonly onEvent?: (event: ExecutionEvent) => void;
  readonly onBatch?: (added: RunCounters) => void;
  /** An execution ended and its run has its gate. */
  readonly onEnded?: (ended: EndedExecution) => Promise<void> | void;
  /** `Assay Run Finished` was told. */
  readonly onRunFinished?: (event: DeliveredEvent) => void;
  /** Between the use cases and the emulators: where tests let things fail. */
  readonly wrapPorts?: (ports: DevPorts, plain: DevPortsOptions) => DevPorts;
  /** Around the handlers. */
  readonly wrapFunctions?: (functions: Record<FunctionName, LocalFunction>) => Record<FunctionName, LocalFunction>;
}

export interface DevStack {
  /** Of the HTTP API. */
  readonly url: string;
  readonly s3Url: string;
  readonly dynamoUrl: string;
  readonly token: string;
  readonly secrets: FileSystemSecrets;
  readonly ports: DevPorts;
  readonly host: LambdaHost;
  readonly workflow: LocalWorkflow;
  /** Starts evals at their times; looks every few seconds, and whenever it is told to. */
  readonly ticker: ScheduleTicker;
  /** Executions that an earlier process left under way and that go on now. */
  readonly resumed: number;
  /** Address of a run's file in the bucket, for a browser. */
  fileUrl(project: string, runId: string, file: string): string;
  /** Ends it; the state stays. Returns how many executions were put down under way. */
  close(): Promise<number>;
}

/** The cloud application on this machine: its workflow definition and its handlers over emulators. */
export async function startDevStack(options: DevStackOptions): Promise<DevStack> {
  const { folder, clock = systemClock, env = process.env } = options;
  const unlock = await lockFolder(folder);
  const definition = readWorkflowDefinition();
  const emulators = [
    startDynamo({ path: join(folder, 'dynamodb'), tableName: DEV_TABLE }),
    startS3({ path: join(folder, 's3'), bucket: DEV_BUCKET }),
  ] as const;
  try {
    const [dynamo, s3] = await Promise.all(emulators);
    const secrets = await FileSystemSecrets.open(join(folder, 'secrets.json'));
    const plain: DevPortsOptions = {
      dynamoUrl: dynamo.endpoint,
      s3Url: s3.endpoint,
      folder: options.secretsFolder ?? process.cwd(),
      env,
      bedrock: options.bedrock ?? { kind: 'none' },
      prices: PRICES,
      clock,
      events: new FileRunEvents({
        stage: 'dev',
        path: join(folder, EVENTS_FILE),
        ...(options.onRunFinished === undefined ? {} : { onEvent: options.onRunFinished }),
        onNotTold: (runId, error) => log.error('the end of a run could not be told', error, { run_id: runId }),
      }),
    };
    const ports = options.wrapPorts?.(createDevPorts(plain), plain) ?? createDevPorts(plain);
    const ingestion: DatasetIngestion = {
      start: async (request) => void host.deliver('ingest-dataset', request),
    };
    const compaction: RunCompaction = { start: async (request) => void host.deliver('compact-run', request) };
    const workflow = new LocalWorkflow({
      machine: loadStateMachine(await definition, {
        arn: 'arn:aws:states:us-east-1:000000000000:stateMachine:run-workflow',
      }),
      services: servicesOf((name, payload) => host.invoke(name, payload), ports),
      clock,
      files: new FolderExecutionFiles(join(folder, 'executions')),
      waitSpeed: options.waitSpeed ?? 1,
      ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
      onEnded: async (ended) => {
        if (BAD_ENDS.includes(ended.status)) await host.deliver('fail-run', statusChange(ended));
        await host.deliver('sweep-runs', statusChange(ended));
        await options.onEnded?.(ended);
      },
    });
    const schedules = new MemorySchedules();
    const functions = createDevFunctions({
      schedules,
      ports,
      workflow,
      systemSecrets: secrets,
      ingestion,
      compaction,
      limits: options.limits ?? DEV_LIMITS,
      runLimits: options.runLimits ?? DEV_RUN_LIMITS,
      ...(options.onBatch === undefined ? {} : { onBatch: options.onBatch }),
    });
    const host: LambdaHost = new LambdaHost(
      { ...(options.wrapFunctions?.(functions) ?? functions) },
      clock,
      options.waitSpeed,
    );
    const api = await startHttpApi({ host, port: options.port, now: () => new Date(clock.now()) });
    const ticker = new ScheduleTicker({ schedules, clock, fire: (event) => host.deliver('start-scheduled', event) });
    // The evals of the last time bring their schedules along.
    await host.deliver('mend-schedules', {});
    const resumed = await workflow.resumeAll();
    // What the last time left: slots that nobody gave back, runs that wait beside free ones, ends that were not told.
    await host.invoke('sweep-runs', '{}');
    const ticks = setInterval(() => void ticker.tick(), SCHEDULE_TICK_MS);
    ticks.unref();
    const sweep = setInterval(() => void host.deliver('sweep-runs', {}), SWEEP_MS);
    sweep.unref();
    return {
      url: api.url,
      s3Url: s3.endpoint,
      dynamoUrl: dynamo.endpoint,
      token: secrets.token,
      secrets,
      ports,
      host,
      workflow,
      ticker,
      resumed,
      fileUrl: (project, runId, file) => `${s3.endpoint}/${DEV_BUCKET}/runs/${project}/${runId}/${file}`,
      async close() {
        clearInterval(sweep);
        clearInterval(ticks);
        // The door first, then what is under way, then what it stands on.
        await api.close();
        const left = await workflow.close();
        await Promise.all([dynamo.stop(), s3.stop()]);
        await unlock();
        return left;
      },
    };
  } catch (error) {
    // A start that fails leaves nothing behind, whichever part was first.
    for (const started of await Promise.allSettled(emulators)) {
      if (started.status === 'fulfilled') await started.value.stop();
    }
    await definition.catch(() => {});
    await unlock();
    throw error;
  }
}

function servicesOf(invoke: LambdaHost['invoke'], { objects }: DevPorts): Services {
  return {
    tasks: {
      'arn:aws:states:::lambda:invoke': lambdaInvoke(({ functionName, payload }) =>
        // `arn:aws:lambda:…:function:<name>`, or the name with a version behind it.
        invoke(functionName.replace(/^arn:.*:function:/, '').replace(/:.*$/, ''), payload),
      ),
    },
    objects: objectStore(objects),
  };
}

function objectStore(objects: DevPorts['objects']): ObjectStore {
  return {
    async *getObject(bucket, key) {
      const chunks = bucket === DEV_BUCKET ? await objects.read(key) : null;
      if (chunks === null) throw new StorageError(`s3://${bucket}/${key} does not exist`);
      yield* chunks;
    },
    putObject: (_bucket, key, body) => objects.write(key, body, 'application/json'),
  };
}

/** EventBridge: what `fail-run` and `sweep-runs` are told. */
function statusChange({ executionArn, stateMachineArn, name, status, error, cause }: EndedExecution) {
  return {
    source: 'aws.states',
    'detail-type': 'Step Functions Execution Status Change',
    detail: { executionArn, stateMachineArn, name, status, error: error ?? null, cause: cause ?? null },
  };
}
