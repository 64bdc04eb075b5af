import { Duration } from 'aws-cdk-lib';
import { EventField, type IEventBus, Match, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { CompactRunEnv } from '../../lambdas/compact-run/env.ts';
import { EVENT_SOURCE, RUN_FINISHED } from '../../src/core/schemas/run-finished.ts';
import type { StageConfig } from '../config.ts';
import { EvalFunction } from './eval-function.ts';
import type { ResultsStore } from './results-store.ts';
import { sharedEnv } from './shared-env.ts';

export interface ResultsCompactionProps {
  readonly config: StageConfig;
  readonly store: ResultsStore;
  /** Receives what the function failed on. */
  readonly failures: IQueue;
}

/** Runs of more results are compacted when they end, others when asked. */
export const COMPACTED_ABOVE_RESULTS = 1_000_000;

/** Large runs once more as Parquet: the function that writes it, and the rule that calls it at the end of such a run. */
export class ResultsCompaction extends Construct {
  readonly compactRun: EvalFunction;
  readonly #props: ResultsCompactionProps;

  constructor(scope: Construct, id: string, props: ResultsCompactionProps) {
    super(scope, id);
    const { config, store, failures } = props;
    const environment: CompactRunEnv = sharedEnv(config, store);
    const fn = new EvalFunction(this, 'CompactRun', {
      config,
      name: 'compact-run',
      description: 'A finished run in, its results as a few Parquet files out',
      environment,
      memoryMb: config.memoryMb.compactRun,
      timeout: Duration.seconds(900),
      onFailure: failures,
    });
    store.grantObjects(fn, {
      results: ['read'],
      compacting: ['read', 'write', 'delete'],
      parquet: ['write', 'delete'],
    });
    store.grantItems(fn, { writes: ['update'] });
    // In the role's default policy the function's own name would close a circle.
    new Policy(this, 'GoOn', {
      roles: fn.role ? [fn.role] : [],
      statements: [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [fn.functionArn] })],
    });
    this.#props = props;
    this.compactRun = fn;
  }

  /** Calls the function at the end of every large run that is told on this bus. */
  compactLargeRuns(bus: IEventBus): void {
    const { config, failures } = this.#props;
    const run = { run_id: EventField.fromPath('$.detail.run_id'), project: EventField.fromPath('$.detail.project') };
    new Rule(this, 'LargeRunFinished', {
      description: 'Large runs of Assay are compacted when they end',
      eventBus: bus,
      eventPattern: {
        source: [EVENT_SOURCE],
        detailType: [RUN_FINISHED],
        detail: { stage: [config.stage], figures: { counts: { results: Match.greaterThan(COMPACTED_ABOVE_RESULTS) } } },
      },
      targets: [
        new LambdaFunction(this.compactRun, {
          event: RuleTargetInput.fromObject(run),
          deadLetterQueue: failures,
          retryAttempts: 20,
          maxEventAge: Duration.hours(6),
        }),
      ],
    });
  }
}
