import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';

export interface RunEventsProps {
  readonly stateMachine: IStateMachine;
  readonly failRun: IFunction;
  readonly sweepRuns: IFunction;
  /** Receives events that could not be delivered. */
  readonly undelivered: IQueue;
}

/**
 * No run stays pending: an execution that ends badly calls `fail-run` at once, any that ends `sweep-runs` for its slot,
 * and every five minutes that looks for what events missed. Both receive the EventBridge event as it is, so that one kept in the queue can be
 * sent again unchanged.
 */
export class RunEvents extends Construct {
  constructor(scope: Construct, id: string, { stateMachine, failRun, sweepRuns, undelivered }: RunEventsProps) {
    super(scope, id);
    const delivery = { deadLetterQueue: undelivered, retryAttempts: 20, maxEventAge: Duration.hours(6) };
    new Rule(this, 'RunBroke', {
      description: 'A run of Assay broke: its gate must still be written',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        // The machine itself: the children of its Map report under another ARN.
        detail: { status: ['FAILED', 'TIMED_OUT', 'ABORTED'], stateMachineArn: [stateMachine.stateMachineArn] },
      },
      targets: [new LambdaFunction(failRun, delivery)],
    });
    new Rule(this, 'RunEnded', {
      description: 'An execution of Assay ended: its slot goes to a run that waits',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: {
          status: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'],
          stateMachineArn: [stateMachine.stateMachineArn],
        },
      },
      targets: [new LambdaFunction(sweepRuns, delivery)],
    });
    new Rule(this, 'Sweep', {
      description: 'Looks for runs of Assay that are open without an execution',
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [new LambdaFunction(sweepRuns, { ...delivery, retryAttempts: 2, maxEventAge: Duration.minutes(5) })],
    });
  }
}
