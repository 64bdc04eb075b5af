import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import {
  Choice,
  Condition,
  DefinitionBody,
  LogLevel,
  QueryLanguage,
  StateMachine,
  StateMachineType,
  Succeed,
  TaskInput,
  Timeout,
} from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import type { StageConfig } from '../config.ts';
import { RowEvaluation } from './row-evaluation.ts';
import { addTaskRetries } from './task-retries.ts';

export interface RunWorkflowProps {
  readonly config: StageConfig;
  readonly bucket: IBucket;
  readonly prepareRun: IFunction;
  readonly evaluateRows: IFunction;
  readonly aggregateRun: IFunction;
}

/**
 * One execution a run: prepare, probe, evaluate, aggregate, and where rows flipped: confirm, aggregate. State passes as output from state to state (run_id and
 * project in all of it), so that the definition needs no variables. What fails here is infrastructure, and it fails
 * the execution: `fail-run` hears of that by event and writes the gate.
 */
export class RunWorkflow extends Construct {
  readonly stateMachine: StateMachine;

  constructor(scope: Construct, id: string, props: RunWorkflowProps) {
    super(scope, id);
    const { config } = props;
    this.stateMachine = new StateMachine(this, 'StateMachine', {
      comment: 'Assay: one eval run, from its dataset to its gate',
      stateMachineType: StateMachineType.STANDARD,
      queryLanguage: QueryLanguage.JSONATA,
      definitionBody: DefinitionBody.fromChainable(this.createChain(props)),
      timeout: Duration.hours(config.evaluation.executionTimeoutHours),
      tracingEnabled: config.xray,
      logs: {
        // Names under /aws/vendedlogs/ keep the account's log resource policy from filling up.
        destination: new LogGroup(this, 'Logs', {
          logGroupName: `/aws/vendedlogs/states/${Stack.of(this).stackName}-run-workflow`,
          retention: config.logRetentionDays,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: LogLevel.ALL,
        includeExecutionData: false,
      },
    });
  }

  private createChain({ bucket, prepareRun, evaluateRows, aggregateRun }: RunWorkflowProps): LambdaInvoke {
    const prepare = this.createStep('PrepareRun', prepareRun, '{% $states.input %}');
    const rows = new RowEvaluation(this, 'Rows', { bucket, evaluateRows });
    const aggregate = this.createStep(
      'AggregateRun',
      aggregateRun,
      "{% {'run_id': $states.input.run_id, 'project': $states.input.project, 'stop': $states.input.stop, 'confirmed': $exists($states.input.confirmed)} %}",
    );
    const aggregated = Choice.jsonata(this, 'Aggregated', { stateName: 'Rows to confirm?' });
    const done = Succeed.jsonata(this, 'Done', { stateName: 'Done' });
    const prepared = Choice.jsonata(this, 'Prepared', { stateName: 'Proceed?' });

    prepare.next(prepared);
    prepared.when(Condition.jsonata('{% $states.input.proceed %}'), rows.probe);
    prepared.otherwise(done); // refused: prepare-run has written the gate
    rows.probed.when(Condition.jsonata('{% $states.input.stop != null %}'), aggregate);
    rows.probed.otherwise(rows.map);
    rows.map.next(aggregate);
    aggregate.next(aggregated);
    aggregated.when(Condition.jsonata('{% $count($states.input.confirm) > 0 %}'), rows.confirm);
    aggregated.otherwise(done);
    rows.confirmed.otherwise(aggregate);
    return prepare;
  }

  private createStep(stateName: string, lambdaFunction: IFunction, payload: string): LambdaInvoke {
    const step = LambdaInvoke.jsonata(this, stateName, {
      stateName,
      lambdaFunction,
      payload: TaskInput.fromText(payload),
      outputs: '{% $states.result.Payload %}',
      taskTimeout: Timeout.duration(Duration.seconds(960)),
      retryOnServiceExceptions: false,
    });
    addTaskRetries(step);
    return step;
  }
}
