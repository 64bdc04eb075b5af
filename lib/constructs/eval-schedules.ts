import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { MendSchedulesEnv } from '../../lambdas/mend-schedules/env.ts';
import type { SchedulesEnv } from '../../lambdas/shared/schedules.ts';
import type { StartScheduledEnv } from '../../lambdas/start-scheduled/env.ts';
import type { StageConfig } from '../config.ts';
import { EvalFunction } from './eval-function.ts';
import type { ResultsStore } from './results-store.ts';
import { sharedEnv } from './shared-env.ts';

export interface EvalSchedulesProps {
  readonly config: StageConfig;
  readonly store: ResultsStore;
  readonly stateMachine: StateMachine;
  /** Receives starts that could not be delivered. */
  readonly failures: IQueue;
}

/**
 * Evals that start by themselves: a group of EventBridge Scheduler, whose schedules the API makes at run time, the function they call,
 * and one that brings them in step every hour (the first time after a deploy, since the group goes with the stack).
 */
export class EvalSchedules extends Construct {
  readonly startScheduled: EvalFunction;
  readonly mendSchedules: EvalFunction;
  /** For every function that makes schedules. */
  readonly environment: SchedulesEnv;
  readonly #group: ScheduleGroup;
  readonly #role: Role;

  constructor(scope: Construct, id: string, props: EvalSchedulesProps) {
    super(scope, id);
    const { config, failures } = props;
    this.#group = new ScheduleGroup(this, 'Group', {
      scheduleGroupName: `assay-${config.stage}`,
      // Kept, its schedules would go on firing at nothing, and its name would stop the next deploy.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.startScheduled = this.createStartScheduled(props);
    this.#role = this.createRole(failures);
    this.environment = {
      SCHEDULE_GROUP: this.#group.scheduleGroupName,
      SCHEDULE_TARGET_ARN: this.startScheduled.functionArn,
      SCHEDULE_ROLE_ARN: this.#role.roleArn,
      SCHEDULE_DEAD_LETTER_ARN: failures.queueArn,
    };
    this.mendSchedules = this.createMendSchedules(props);
  }

  /** Making, changing and removing schedules of this group, to be called in this one role. */
  grantManage(fn: EvalFunction): void {
    const allow = (actions: string[], resource: string, conditions?: Record<string, Record<string, string>>) =>
      fn.addToRolePolicy(new PolicyStatement({ actions, resources: [resource], conditions }));
    allow(
      ['scheduler:CreateSchedule', 'scheduler:UpdateSchedule', 'scheduler:DeleteSchedule'],
      fn.arnOf('scheduler', `schedule/${this.#group.scheduleGroupName}/*`),
    );
    allow(['iam:PassRole'], this.#role.roleArn, { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } });
  }

  private createStartScheduled({ config, store, stateMachine, failures }: EvalSchedulesProps): EvalFunction {
    const environment: StartScheduledEnv = {
      ...sharedEnv(config, store),
      STATE_MACHINE_ARN: stateMachine.stateMachineArn,
    };
    const fn = new EvalFunction(this, 'StartScheduled', {
      config,
      name: 'start-scheduled',
      description: 'A schedule of an eval in, its run started',
      environment,
      memoryMb: config.memoryMb.startScheduled,
      timeout: Duration.seconds(60),
      onFailure: failures,
    });
    store.grantItems(fn, { writes: ['put', 'update'] });
    fn.addToRolePolicy(
      new PolicyStatement({ actions: ['states:StartExecution'], resources: [stateMachine.stateMachineArn] }),
    );
    return fn;
  }

  private createMendSchedules({ config, store, failures }: EvalSchedulesProps): EvalFunction {
    const environment: MendSchedulesEnv = { ...sharedEnv(config, store), ...this.environment };
    const fn = new EvalFunction(this, 'MendSchedules', {
      config,
      name: 'mend-schedules',
      description: 'Schedules that are not in step with their evals are brought there',
      environment,
      memoryMb: config.memoryMb.mendSchedules,
      timeout: Duration.seconds(600),
      onFailure: failures,
    });
    store.grantItems(fn, { writes: [] });
    this.grantManage(fn);
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ['scheduler:GetSchedule'],
        resources: [fn.arnOf('scheduler', `schedule/${this.#group.scheduleGroupName}/*`)],
      }),
    );
    // The service asks for this right on every schedule there is, whichever group is listed.
    fn.addToRolePolicy(new PolicyStatement({ actions: ['scheduler:ListSchedules'], resources: ['*'] }));
    new Rule(this, 'Mend', {
      description: 'Brings the schedules of evals in step with the evals',
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [
        new LambdaFunction(fn, {
          event: RuleTargetInput.fromObject({}),
          deadLetterQueue: failures,
          retryAttempts: 2,
          maxEventAge: Duration.minutes(30),
        }),
      ],
    });
    return fn;
  }

  /** What the service becomes to call the function; nobody outside the group can have it do so. */
  private createRole(failures: IQueue): Role {
    const { account } = Stack.of(this);
    const role = new Role(this, 'CallerRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': account },
          ArnEquals: { 'aws:SourceArn': this.#group.scheduleGroupArn },
        },
      }),
    });
    // A policy of its own by name: what it allows is all that the role is for.
    new Policy(this, 'CallerPolicy', {
      roles: [role],
      statements: [
        new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.startScheduled.functionArn] }),
        new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [failures.queueArn] }),
      ],
    });
    return role;
  }
}
