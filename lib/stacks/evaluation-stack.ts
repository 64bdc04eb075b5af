import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import type { ApiEnv } from '../../lambdas/api/env.ts';
import type { SweepRunsEnv } from '../../lambdas/sweep-runs/env.ts';
import type { StageConfig } from '../config.ts';
import { EvalFunction } from '../constructs/eval-function.ts';
import { EvalSchedules } from '../constructs/eval-schedules.ts';
import { grantTellRuns } from '../constructs/event-access.ts';
import { HttpApi } from '../constructs/http-api.ts';
import { Observability } from '../constructs/observability.ts';
import type { ProjectSecrets } from '../constructs/project-secrets.ts';
import { RestApi } from '../constructs/rest-api.ts';
import { ResultsAnalytics } from '../constructs/results-analytics.ts';
import { ResultsCompaction } from '../constructs/results-compaction.ts';
import type { ResultsStore } from '../constructs/results-store.ts';
import { RunEvents } from '../constructs/run-events.ts';
import { RunFunctions } from '../constructs/run-functions.ts';
import { RunNotifications } from '../constructs/run-notifications.ts';
import { RunWorkflow } from '../constructs/run-workflow.ts';
import { sharedEnv } from '../constructs/shared-env.ts';

export interface EvaluationStackProps extends StackProps {
  readonly config: StageConfig;
  readonly store: ResultsStore;
  readonly secrets: ProjectSecrets;
}

/** Everything replaceable: functions, run workflow, API, events, alarms. Destroying it loses no data. */
export class EvaluationStack extends Stack {
  readonly #props: EvaluationStackProps;

  constructor(scope: Construct, id: string, props: EvaluationStackProps) {
    super(scope, id, props);
    this.#props = props;
    const { config, store } = props;
    const failures = this.createFailuresQueue();
    const run = new RunFunctions(this, 'Run', { ...props, failures });
    const { stateMachine } = new RunWorkflow(this, 'Workflow', { ...run, config, bucket: store.bucket });
    store.grantKey(stateMachine);
    this.allowRedriveLookup(stateMachine, run);
    const sweepRuns = this.createSweepRuns(stateMachine, failures);
    new RunEvents(this, 'Events', { stateMachine, failRun: run.failRun, sweepRuns, undelivered: failures });
    const schedules = new EvalSchedules(this, 'Schedules', { config, store, stateMachine, failures });
    const compaction = new ResultsCompaction(this, 'Compaction', { config, store, failures });
    const { compactRun } = compaction;
    const apiFunction = this.createApiFunction(stateMachine, { ...run, compactRun }, schedules);
    const Api = config.api.kind === 'rest' ? RestApi : HttpApi;
    const http = new Api(this, config.api.kind === 'rest' ? 'Rest' : 'Http', { config, handler: apiFunction });
    const told = new RunNotifications(this, 'Notifications', { config, apiUrl: http.url, undelivered: failures });
    compaction.compactLargeRuns(told.bus);
    const analytics = new ResultsAnalytics(this, 'Analytics', { config, store });
    const { ingestDataset, prepareRun, evaluateRows, aggregateRun, failRun } = run;
    const { startScheduled, mendSchedules } = schedules;
    new Observability(this, 'Observability', {
      config,
      stateMachine,
      failures,
      api: http.api,
      functions: {
        api: apiFunction,
        ingestDataset,
        prepareRun,
        evaluateRows,
        aggregateRun,
        compactRun,
        failRun,
        sweepRuns,
        startScheduled,
        mendSchedules,
      },
    });
    new CfnOutput(this, 'ApiUrl', { value: http.url });
    if (config.api.auth === 'token') new CfnOutput(this, 'ConsoleUrl', { value: `${http.url}/console` });
    new CfnOutput(this, 'StateMachineArn', { value: stateMachine.stateMachineArn });
    new CfnOutput(this, 'AthenaWorkGroup', { value: analytics.workGroupName });
    new CfnOutput(this, 'FailuresQueueUrl', { value: failures.queueUrl });
  }

  /**
   * A step that finds its run closed asks whether the execution was redriven. A policy of its own: in the functions'
   * default policies the machine's name would close a circle, since the machine names the functions.
   */
  private allowRedriveLookup(stateMachine: StateMachine, run: RunFunctions): void {
    const functions = [run.prepareRun, run.evaluateRows, run.aggregateRun, run.failRun];
    new Policy(this, 'RedriveLookup', {
      roles: functions.flatMap(({ role }) => role ?? []),
      statements: [
        new PolicyStatement({
          actions: ['states:DescribeExecution'],
          resources: [run.failRun.arnOf('states', `execution:${stateMachine.stateMachineName}:*`)],
        }),
      ],
    });
  }

  /** Events that were given up: nobody consumes it, an alarm watches it, the runbook says how to send them again. */
  private createFailuresQueue(): Queue {
    return new Queue(this, 'Failures', {
      // Not the stage's key: EventBridge and Lambda would need a say in its policy, and events hold ids only.
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
  }

  private createApiFunction(
    stateMachine: StateMachine,
    { ingestDataset, compactRun }: { readonly ingestDataset: EvalFunction; readonly compactRun: EvalFunction },
    schedules: EvalSchedules,
  ): EvalFunction {
    const { config, store, secrets } = this.#props;
    const environment: ApiEnv = {
      ...sharedEnv(config, store),
      ...schedules.environment,
      STATE_MACHINE_ARN: stateMachine.stateMachineArn,
      INGEST_FUNCTION_NAME: ingestDataset.functionName,
      COMPACT_FUNCTION_NAME: compactRun.functionName,
      API_AUTH: config.api.auth,
      REPORT_LINK_DAYS: String(config.api.reportLinkDays),
      API_TOKEN_SECRET: secrets.apiToken && `${config.secretsPrefix}/_system/api-token`,
    };
    const fn = new EvalFunction(this, 'Api', {
      config,
      name: 'api',
      description: 'HTTP API: webhook, gates, runs, datasets, evals, projects',
      environment,
      memoryMb: config.memoryMb.api,
      timeout: Duration.seconds(29), // API Gateway gives up after 30
    });
    store.grantObjects(fn, {
      uploads: ['read', 'write'],
      datasets: ['read', 'write', 'delete'],
      runs: ['read', 'write'],
      results: ['read'],
      tables: ['write'], // of runs that are cancelled before they begin
    });
    store.grantItems(fn, { writes: ['put', 'update', 'putMany', 'delete'], index: true });
    grantTellRuns(fn, config);
    secrets.grantManageSystem(fn);
    ingestDataset.allowInvokeBy(fn);
    compactRun.allowInvokeBy(fn);
    schedules.grantManage(fn);
    allowExecutions(fn, stateMachine, ['states:DescribeExecution', 'states:StopExecution']);
    fn.addToRolePolicy(
      new PolicyStatement({ actions: ['states:StartExecution'], resources: [stateMachine.stateMachineArn] }),
    );
    return fn;
  }

  private createSweepRuns(stateMachine: StateMachine, failures: Queue): EvalFunction {
    const { config, store } = this.#props;
    const environment: SweepRunsEnv = {
      ...sharedEnv(config, store),
      STATE_MACHINE_ARN: stateMachine.stateMachineArn,
    };
    const fn = new EvalFunction(this, 'SweepRuns', {
      config,
      name: 'sweep-runs',
      description: 'Open runs whose execution is gone get their gate; slots, queue and untold ends are set right',
      environment,
      memoryMb: config.memoryMb.sweepRuns,
      timeout: Duration.seconds(240), // below the five minutes until the next sweep
      onFailure: failures,
    });
    store.grantObjects(fn, { tables: ['write'] });
    store.grantItems(fn, { writes: ['update'], index: true });
    grantTellRuns(fn, config);
    allowExecutions(fn, stateMachine, ['states:DescribeExecution']);
    fn.addToRolePolicy(
      new PolicyStatement({ actions: ['states:StartExecution'], resources: [stateMachine.stateMachineArn] }),
    );
    return fn;
  }
}

/** Actions on executions of this one machine; their names are the run ids. */
function allowExecutions(fn: EvalFunction, stateMachine: StateMachine, actions: string[]): void {
  const resource = fn.arnOf('states', `execution:${stateMachine.stateMachineName}:*`);
  fn.addToRolePolicy(new PolicyStatement({ actions, resources: [resource] }));
}
