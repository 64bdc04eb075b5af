import { describe, expect, it } from 'vitest';
import { flatten, onlyResource, type Resource, resourcesOf, synthStage } from './synth.ts';

const { evaluation } = synthStage();

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}
const list = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);
const statementsOf = (policy: RegExp): readonly Statement[] =>
  resourcesOf(evaluation, 'AWS::IAM::Policy')
    .filter(([id]) => policy.test(id))
    .flatMap(([, { Properties }]) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement);
const actionsOf = (policy: RegExp, service: string): readonly string[] =>
  statementsOf(policy)
    .flatMap(({ Action }) => list(Action))
    .filter((action) => action.startsWith(`${service}:`))
    .toSorted();

describe('schedules of evals', () => {
  it('have a group of the stage, which goes with the stack', () => {
    const group = onlyResource(evaluation, 'AWS::Scheduler::ScheduleGroup');
    expect(group.Properties.Name).toBe('assay-prod');
    expect(group.DeletionPolicy ?? 'Delete').toBe('Delete');
  });

  it('are made by the API and the mending, in this group alone', () => {
    const makes = ['scheduler:CreateSchedule', 'scheduler:DeleteSchedule', 'scheduler:UpdateSchedule'];
    expect(actionsOf(/^ApiRole/, 'scheduler')).toEqual(makes);
    expect(actionsOf(/^SchedulesMendSchedules/, 'scheduler')).toEqual(
      [...makes, 'scheduler:GetSchedule', 'scheduler:ListSchedules'].toSorted(),
    );
    const others = resourcesOf(evaluation, 'AWS::IAM::Policy').filter(
      ([id, policy]) => !/^(ApiRole|SchedulesMendSchedules)/.test(id) && JSON.stringify(policy).includes('"scheduler:'),
    );
    expect(others).toEqual([]);
    for (const { Action, Resource } of statementsOf(/^(ApiRole|SchedulesMendSchedules)/)) {
      const actions = list(Action).filter((action) => action.startsWith('scheduler:'));
      if (actions.length === 0 || actions.includes('scheduler:ListSchedules')) continue;
      expect(list(Resource).map(flatten)).toEqual([
        expect.stringMatching(
          /^arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule\/<SchedulesGroup\w*>\/\*$|:schedule\/assay-prod\/\*$/,
        ),
      ]);
    }
  });

  it('hand on one role, to the scheduler alone', () => {
    const passes = statementsOf(/^(ApiRole|SchedulesMendSchedules)/).filter(({ Action }) =>
      list(Action).includes('iam:PassRole'),
    );
    expect(passes).toHaveLength(2);
    for (const { Resource, Condition } of passes) {
      expect(list(Resource).map(flatten)).toEqual([expect.stringMatching(/^<SchedulesCallerRole\w+\.Arn>$/)]);
      expect(Condition).toEqual({ StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } });
    }
  });

  it('run in a role that nobody else’s schedule can take', () => {
    const [, role] = resourcesOf(evaluation, 'AWS::IAM::Role').find(([id]) => id.startsWith('SchedulesCallerRole')) as [
      string,
      Resource,
    ];
    const { Statement } = role.Properties.AssumeRolePolicyDocument as { Statement: Record<string, unknown>[] };
    expect(Statement).toHaveLength(1);
    expect(Statement[0]).toMatchObject({
      Principal: { Service: 'scheduler.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    });
    const { ArnEquals } = (Statement[0]?.Condition ?? {}) as { ArnEquals: Record<string, unknown> };
    expect(flatten(ArnEquals['aws:SourceArn'])).toMatch(/SchedulesGroup/);
  });

  it('may call one function in it, and write down what could not be delivered', () => {
    const allowed = statementsOf(/^SchedulesCallerPolicy/).map(({ Action, Resource }) => [Action, flatten(Resource)]);
    expect(allowed).toEqual([
      ['lambda:InvokeFunction', expect.stringMatching(/^<SchedulesStartScheduled\w+\.Arn>$/)],
      ['sqs:SendMessage', expect.stringMatching(/^<Failures\w+\.Arn>$/)],
    ]);
  });

  it('start runs by a function that may do nothing else', () => {
    expect(actionsOf(/^SchedulesStartScheduled/, 'states')).toEqual(['states:StartExecution']);
    expect(actionsOf(/^SchedulesStartScheduled/, 's3')).toEqual([]);
    expect(actionsOf(/^SchedulesStartScheduled/, 'iam')).toEqual([]);
  });

  it('are mended every hour', () => {
    evaluation.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(1 hour)' });
  });

  it('are known to whoever makes them', () => {
    for (const name of ['Api', 'SchedulesMendSchedules']) {
      const [, fn] = resourcesOf(evaluation, 'AWS::Lambda::Function').find(([id]) => id.startsWith(name)) as [
        string,
        Resource,
      ];
      const { Variables } = fn.Properties.Environment as { Variables: Record<string, unknown> };
      expect(flatten(Variables.SCHEDULE_TARGET_ARN)).toMatch(/^<SchedulesStartScheduled\w+\.Arn>$/);
      expect(flatten(Variables.SCHEDULE_ROLE_ARN)).toMatch(/^<SchedulesCallerRole\w+\.Arn>$/);
      expect(flatten(Variables.SCHEDULE_DEAD_LETTER_ARN)).toMatch(/^<Failures\w+\.Arn>$/);
      expect(Variables).toHaveProperty('SCHEDULE_GROUP');
    }
  });
});
