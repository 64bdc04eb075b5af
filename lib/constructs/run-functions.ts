import { Duration } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { AggregateRunEnv } from '../../lambdas/aggregate-run/env.ts';
import type { EvaluateRowsEnv } from '../../lambdas/evaluate-rows/env.ts';
import type { FailRunEnv } from '../../lambdas/fail-run/env.ts';
import type { IngestDatasetEnv } from '../../lambdas/ingest-dataset/env.ts';
import type { PrepareRunEnv } from '../../lambdas/prepare-run/env.ts';
import type { StageConfig } from '../config.ts';
import { EvalFunction } from './eval-function.ts';
import { grantTellRuns } from './event-access.ts';
import { grantModels } from './model-access.ts';
import type { ProjectSecrets } from './project-secrets.ts';
import type { ResultsStore } from './results-store.ts';
import { EVALUATE_TIMEOUT } from './row-evaluation.ts';
import { type SharedEnv, sharedEnv } from './shared-env.ts';
import { grantTargets } from './target-access.ts';
import { TargetNetwork } from './target-network.ts';

export interface RunFunctionsProps {
  readonly config: StageConfig;
  readonly store: ResultsStore;
  readonly secrets: ProjectSecrets;
  /** Receives what an asynchronous function failed on. */
  readonly failures: IQueue;
}

/** The functions a run passes through, and the one that makes its dataset: each with what it may touch. */
export class RunFunctions extends Construct {
  readonly ingestDataset: EvalFunction;
  readonly prepareRun: EvalFunction;
  readonly evaluateRows: EvalFunction;
  readonly aggregateRun: EvalFunction;
  readonly failRun: EvalFunction;
  readonly #props: RunFunctionsProps;
  readonly #environment: SharedEnv;
  /** Of the functions that call targets, or look at their addresses. */
  readonly #network: TargetNetwork | undefined;

  constructor(scope: Construct, id: string, props: RunFunctionsProps) {
    super(scope, id);
    this.#props = props;
    this.#environment = sharedEnv(props.config, props.store);
    const { config } = props;
    this.#network = config.vpc && new TargetNetwork(this, 'Network', { config, vpc: config.vpc });
    this.ingestDataset = this.createIngestDataset();
    this.prepareRun = this.createPrepareRun();
    this.evaluateRows = this.createEvaluateRows();
    this.aggregateRun = this.createAggregateRun();
    this.failRun = this.createFailRun();
  }

  private createIngestDataset(): EvalFunction {
    const { config, store, failures } = this.#props;
    const environment: IngestDatasetEnv = this.#environment;
    const fn = new EvalFunction(this, 'IngestDataset', {
      config,
      name: 'ingest-dataset',
      description: 'Uploaded file in, normalised dataset version out',
      environment,
      memoryMb: config.memoryMb.ingestDataset,
      timeout: Duration.seconds(900),
      onFailure: failures,
    });
    store.grantObjects(fn, { uploads: ['read', 'delete'], datasets: ['read', 'write'] });
    store.grantItems(fn, { writes: ['put', 'putMany'] });
    return fn;
  }

  private createPrepareRun(): EvalFunction {
    const { config, store, secrets } = this.#props;
    const environment: PrepareRunEnv = { ...this.#environment, ...concurrencyEnv(config) };
    const fn = new EvalFunction(this, 'PrepareRun', {
      config,
      name: 'prepare-run',
      description: 'Eval and dataset in, rows of the run and its open record out',
      environment,
      memoryMb: config.memoryMb.prepareRun,
      timeout: Duration.seconds(900),
      network: this.#network,
    });
    // A run that is refused here is closed here.
    store.grantObjects(fn, { datasets: ['read'], runs: ['read', 'write'], tables: ['write'] });
    store.grantItems(fn, { writes: ['update'] });
    grantTellRuns(fn, config);
    secrets.grantReadNamed(fn);
    return fn;
  }

  private createEvaluateRows(): EvalFunction {
    const { config, store, secrets } = this.#props;
    const environment: EvaluateRowsEnv = { ...this.#environment, ...concurrencyEnv(config) };
    const fn = new EvalFunction(this, 'EvaluateRows', {
      config,
      name: 'evaluate-rows',
      description: 'A batch of rows in; target asked, answers judged; one result part out',
      environment,
      memoryMb: config.memoryMb.evaluateRows,
      timeout: EVALUATE_TIMEOUT,
      reservedConcurrency: config.evaluation.reservedConcurrency,
      network: this.#network,
    });
    store.grantObjects(fn, { datasets: ['read'], runs: ['read'], results: ['read', 'write'] });
    store.grantItems(fn, { writes: ['put', 'update', 'putMany'] });
    secrets.grantReadNamed(fn);
    grantModels(fn, fn, config);
    grantTargets(fn, fn, config);
    return fn;
  }

  private createAggregateRun(): EvalFunction {
    const { config, store } = this.#props;
    const environment: AggregateRunEnv = this.#environment;
    const fn = new EvalFunction(this, 'AggregateRun', {
      config,
      name: 'aggregate-run',
      description: 'Result parts in; metrics, decision, report and gate out',
      environment,
      memoryMb: config.memoryMb.aggregateRun,
      timeout: Duration.seconds(900),
    });
    store.grantObjects(fn, { runs: ['read', 'write'], results: ['read', 'write'], tables: ['write'] });
    store.grantItems(fn, { writes: ['put', 'update', 'putMany'] });
    grantTellRuns(fn, config);
    return fn;
  }

  private createFailRun(): EvalFunction {
    const { config, store, failures } = this.#props;
    const environment: FailRunEnv = this.#environment;
    const fn = new EvalFunction(this, 'FailRun', {
      config,
      name: 'fail-run',
      description: 'An execution that broke in; the gate `error` with its cause out',
      environment,
      memoryMb: config.memoryMb.failRun,
      timeout: Duration.seconds(300),
      onFailure: failures,
    });
    store.grantObjects(fn, { tables: ['write'] });
    store.grantItems(fn, { writes: ['update'] });
    grantTellRuns(fn, config);
    return fn;
  }
}

function concurrencyEnv(config: StageConfig) {
  return {
    MAX_CONCURRENT_BATCHES: String(config.evaluation.maxConcurrentBatches),
    MAX_ROWS_IN_FLIGHT: String(config.evaluation.maxRowsInFlight),
  };
}
