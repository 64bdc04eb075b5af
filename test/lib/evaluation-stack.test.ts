import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { AggregateRunEnvSchema } from '../../lambdas/aggregate-run/env.ts';
import { ApiEnvSchema } from '../../lambdas/api/env.ts';
import { CompactRunEnvSchema } from '../../lambdas/compact-run/env.ts';
import { EvaluateRowsEnvSchema } from '../../lambdas/evaluate-rows/env.ts';
import { FailRunEnvSchema } from '../../lambdas/fail-run/env.ts';
import { IngestDatasetEnvSchema } from '../../lambdas/ingest-dataset/env.ts';
import { MendSchedulesEnvSchema } from '../../lambdas/mend-schedules/env.ts';
import { PrepareRunEnvSchema } from '../../lambdas/prepare-run/env.ts';
import { ROUTES, routeKey } from '../../lambdas/routes.ts';
import { parseEnv } from '../../lambdas/shared/env.ts';
import { StartScheduledEnvSchema } from '../../lambdas/start-scheduled/env.ts';
import { SweepRunsEnvSchema } from '../../lambdas/sweep-runs/env.ts';
import { flatten, onlyResource, type Resource, resourcesOf, synthStage } from './synth.ts';

const { evaluation } = synthStage();
const byIam = synthStage({ api: { auth: 'iam' }, alarmEmail: 'ops@example.com', xray: false }).evaluation;
const functions = resourcesOf(evaluation, 'AWS::Lambda::Function');
const logGroups = new Map(resourcesOf(evaluation, 'AWS::Logs::LogGroup'));

const SCHEMAS: [RegExp, z.ZodType][] = [
  [/^Api/, ApiEnvSchema],
  [/^RunIngestDataset/, IngestDatasetEnvSchema],
  [/^RunPrepareRun/, PrepareRunEnvSchema],
  [/^RunEvaluateRows/, EvaluateRowsEnvSchema],
  [/^RunAggregateRun/, AggregateRunEnvSchema],
  [/^RunFailRun/, FailRunEnvSchema],
  // Lambda itself sets the function's name.
  [/^CompactionCompactRun/, CompactRunEnvSchema.omit({ AWS_LAMBDA_FUNCTION_NAME: true })],
  [/^SweepRuns/, SweepRunsEnvSchema],
  [/^SchedulesStartScheduled/, StartScheduledEnvSchema],
  [/^SchedulesMendSchedules/, MendSchedulesEnvSchema],
];

describe('every function', () => {
  it('is there: one a folder of lambdas/', () => {
    expect(functions).toHaveLength(SCHEMAS.length);
  });

  it.each(functions)('%s runs on Node 24 and arm64, traced, with its own log group in JSON', (_, { Properties }) => {
    expect(Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      TracingConfig: { Mode: 'Active' },
      LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'INFO' },
    });
    const group = flatten((Properties.LoggingConfig as { LogGroup: unknown }).LogGroup).replaceAll(/[<>]/g, '');
    expect(logGroups.get(group)?.Properties.RetentionInDays).toBe(30);
  });

  it('writes into a log group that no other function has', () => {
    const groups = functions.map(([, { Properties }]) => JSON.stringify(Properties.LoggingConfig));
    expect(new Set(groups).size).toBe(groups.length);
  });

  it.each(SCHEMAS)('%s is told what its schema asks for', (name, schema) => {
    const [, { Properties }] = functionOf(name);
    const parse = () => parseEnv(schema, variablesOf({ Properties }));
    expect(parse).not.toThrow();
  });

  it.each(functions)('%s sets no variable that Lambda keeps for itself', (_, resource) => {
    const names = Object.keys(variablesOf(resource));
    expect(names.filter((name) => /^(AWS_|LAMBDA_|_HANDLER$|_X_AMZN|TZ$)/.test(name))).toEqual([]);
  });

  it('is given time: fifteen minutes for steps of a run, less than the gateway’s 30 s for the API', () => {
    expect(functionOf(/^RunEvaluateRows/)[1].Properties.Timeout).toBe(900);
    expect(functionOf(/^Api/)[1].Properties.Timeout).toBeLessThan(30);
    expect(functionOf(/^SweepRuns/)[1].Properties.Timeout).toBeLessThan(300);
  });

  it('takes concurrency from the account only where the stage says so', () => {
    expect(functions.filter(([, { Properties }]) => 'ReservedConcurrentExecutions' in Properties)).toEqual([]);
    synthStage({ evaluation: { reservedConcurrency: 40 } }).evaluation.hasResourceProperties('AWS::Lambda::Function', {
      ReservedConcurrentExecutions: 40,
    });
  });
});

describe('every asynchronous edge has a place for what failed', () => {
  const queue = { 'Fn::GetAtt': [Match.stringLikeRegexp('^Failures'), 'Arn'] };

  it.each(['RunIngestDataset', 'RunFailRun', 'SweepRuns'])('%s, after two retries', (name) => {
    evaluation.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: Match.stringLikeRegexp(`^${name}`) },
      MaximumRetryAttempts: 2,
      DestinationConfig: { OnFailure: { Destination: queue } },
    });
  });

  it('a run that broke, on its way to fail-run', () => {
    evaluation.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.states'],
        'detail-type': ['Step Functions Execution Status Change'],
        detail: {
          status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
          stateMachineArn: [{ Ref: Match.stringLikeRegexp('^WorkflowStateMachine') }],
        },
      },
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^RunFailRun'), 'Arn'] },
          DeadLetterConfig: { Arn: queue },
          RetryPolicy: { MaximumRetryAttempts: 20, MaximumEventAgeInSeconds: 21_600 },
        }),
      ],
    });
  });

  it('an execution that ended, on its way to whoever gives its slot to the next run', () => {
    evaluation.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.states'],
        detail: {
          status: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'],
          stateMachineArn: [{ Ref: Match.stringLikeRegexp('^WorkflowStateMachine') }],
        },
      },
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^SweepRuns'), 'Arn'] },
          DeadLetterConfig: { Arn: queue },
          RetryPolicy: { MaximumRetryAttempts: 20, MaximumEventAgeInSeconds: 21_600 },
        }),
      ],
    });
  });

  it('the sweep, every five minutes', () => {
    evaluation.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(5 minutes)',
      Targets: [
        Match.objectLike({
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^SweepRuns'), 'Arn'] },
          DeadLetterConfig: { Arn: queue },
        }),
      ],
    });
  });

  it('a queue that keeps its messages encrypted for two weeks and takes them over TLS only', () => {
    evaluation.hasResourceProperties('AWS::SQS::Queue', {
      MessageRetentionPeriod: 1_209_600,
      SqsManagedSseEnabled: true,
    });
    evaluation.hasResourceProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        ]),
      },
    });
  });
});

describe('HTTP API', () => {
  const routesOf = (template: typeof evaluation) =>
    new Map(
      resourcesOf(template, 'AWS::ApiGatewayV2::Route').map(([, { Properties }]) => [
        Properties.RouteKey,
        Properties.AuthorizationType,
      ]),
    );

  it('serves the route table and nothing else', () => {
    expect([...routesOf(evaluation).keys()].sort()).toEqual(ROUTES.map(routeKey).sort());
  });

  it('leaves tokens and webhook secrets to the handler', () => {
    expect(new Set(routesOf(evaluation).values())).toEqual(new Set(['NONE']));
  });

  it.each(ROUTES.map((route) => ({ ...route, key: routeKey(route) })))('asks IAM about $key when told to', (route) => {
    expect(routesOf(byIam).get(route.key)).toBe(route.auth === 'management' ? 'AWS_IAM' : 'NONE');
  });

  it('is throttled and logs each request as JSON without its headers', () => {
    const stage = onlyResource(evaluation, 'AWS::ApiGatewayV2::Stage');
    expect(stage.Properties.DefaultRouteSettings).toMatchObject({
      ThrottlingRateLimit: 50,
      ThrottlingBurstLimit: 100,
    });
    const { Format } = stage.Properties.AccessLogSettings as { Format: string };
    expect(JSON.parse(Format)).toMatchObject({ requestId: '$context.requestId', routeKey: '$context.routeKey' });
    expect(Format).not.toMatch(/header|querystring|requestOverride/i);
  });

  it('needs one permission of its function, however many routes there are', () => {
    const permissions = resourcesOf(evaluation, 'AWS::Lambda::Permission').filter(
      ([, { Properties }]) => Properties.Principal === 'apigateway.amazonaws.com',
    );
    expect(permissions).toHaveLength(1);
  });
});

describe('run workflow', () => {
  it('is a STANDARD machine, traced, logging every event but no data', () => {
    evaluation.hasResourceProperties('AWS::StepFunctions::StateMachine', {
      StateMachineType: 'STANDARD',
      TracingConfiguration: { Enabled: true },
      LoggingConfiguration: { Level: 'ALL', IncludeExecutionData: false },
    });
  });
});

describe('logs', () => {
  it('are kept for as long as the stage says, all of them', () => {
    const { evaluation: dev } = synthStage({ logRetentionDays: 7 });
    const retentions = resourcesOf(dev, 'AWS::Logs::LogGroup').map(([, { Properties }]) => Properties.RetentionInDays);
    expect(new Set(retentions)).toEqual(new Set([7]));
  });
});

describe('alarms', () => {
  const alarms = resourcesOf(evaluation, 'AWS::CloudWatch::Alarm');

  it.each([
    'RunsBroke',
    'FailuresQueued',
    'ApiFaults',
    'JudgeErrors',
    'JudgeThrottled',
    'FunctionsThrottled',
    'FunctionsFailed',
    'RunsNotTold',
  ])('%s tells a person what it means', (name) => {
    const [, alarm] = alarms.find(([id]) => id.startsWith(`Observability${name}`)) ?? [];
    expect(String(alarm?.Properties.AlarmDescription).length).toBeGreaterThan(20);
    expect(alarm?.Properties.TreatMissingData).toBe('notBreaching');
  });

  it('watch every function', () => {
    const alarm = alarms.find(([id]) => id.startsWith('ObservabilityFunctionsFailed'))?.[1];
    const metrics = (alarm?.Properties.Metrics ?? []) as { MetricStat?: unknown }[];
    expect(metrics.filter(({ MetricStat }) => MetricStat !== undefined)).toHaveLength(functions.length);
  });

  it('go to the address of the stage, over TLS, and to nobody without one', () => {
    evaluation.resourceCountIs('AWS::SNS::Topic', 0);
    byIam.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@example.com' });
    for (const [, { Properties }] of resourcesOf(byIam, 'AWS::CloudWatch::Alarm')) {
      expect(Properties.AlarmActions).toHaveLength(1);
    }
  });
});

describe('dashboard', () => {
  const dashboard = onlyResource(evaluation, 'AWS::CloudWatch::Dashboard');
  const body = flatten(dashboard.Properties.DashboardBody);

  it.each([
    'RowsScored',
    'RowsTargetError',
    'RowsJudgeError',
    'RowsSkipped',
    'JudgeThrottles',
    'CostUsd',
    'RunsPassed',
    'RunsFailed',
    'RunsError',
  ])('shows %s of this stage', (metric) => {
    expect(body).toContain(`["Assay","${metric}","Stage","prod"`);
  });
});

describe('analytics', () => {
  it('bounds what a query may scan, whatever the client asks for', () => {
    evaluation.hasResourceProperties('AWS::Athena::WorkGroup', {
      WorkGroupConfiguration: {
        EnforceWorkGroupConfiguration: true,
        BytesScannedCutoffPerQuery: 10_000_000_000,
        ResultConfiguration: {
          EncryptionConfiguration: { EncryptionOption: 'SSE_S3' },
          OutputLocation: Match.objectLike({}),
        },
      },
    });
  });
});

it('keeps no data: whatever is in this stack may be deleted', () => {
  const stateful = ['AWS::S3::Bucket', 'AWS::DynamoDB::GlobalTable', 'AWS::KMS::Key', 'AWS::SecretsManager::Secret'];
  for (const type of stateful) evaluation.resourceCountIs(type, 0);
});

it('names API, machine and workgroup in its outputs', () => {
  expect(Object.keys(evaluation.findOutputs('*'))).toEqual(
    expect.arrayContaining(['ApiUrl', 'StateMachineArn', 'AthenaWorkGroup', 'FailuresQueueUrl']),
  );
});

function functionOf(name: RegExp): [string, Resource] {
  const found = functions.find(([id]) => name.test(id));
  if (found === undefined) throw new Error(`no function ${name}`);
  return found;
}

function variablesOf({ Properties }: Pick<Resource, 'Properties'>): Record<string, string> {
  const { Variables } = Properties.Environment as { Variables: Record<string, unknown> };
  return Object.fromEntries(Object.entries(Variables).map(([name, value]) => [name, flatten(value)]));
}

describe('mails of alarms', () => {
  const alarms = resourcesOf(byIam, 'AWS::CloudWatch::Alarm').map(([id]) => id);
  const { PolicyDocument } = onlyResource(byIam, 'AWS::SNS::TopicPolicy').Properties;
  const { Statement } = PolicyDocument as { Statement: Record<string, unknown>[] };

  it('reach the topic: each alarm acts on it', () => {
    expect(alarms.length).toBeGreaterThan(0);
    for (const [id, { Properties }] of resourcesOf(byIam, 'AWS::CloudWatch::Alarm')) {
      expect((Properties.AlarmActions as unknown[]).map(flatten), id).toEqual([expect.stringContaining('Alarms')]);
    }
  });

  it('may be published by these alarms of this account, and by nobody else', () => {
    const allowed = Statement.filter(({ Effect }) => Effect === 'Allow');
    expect(allowed).toHaveLength(1);
    expect(allowed[0]).toMatchObject({
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    });
    const { ArnEquals } = (allowed[0] as { Condition: { ArnEquals: Record<string, unknown[]> } }).Condition;
    expect(ArnEquals['aws:SourceArn']?.map(flatten).sort()).toEqual(alarms.map((id) => `<${id}.Arn>`).sort());
  });

  it('are refused without TLS', () => {
    expect(Statement.filter(({ Effect }) => Effect === 'Deny')).toMatchObject([
      { Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    ]);
  });

  it('have no topic where no address is named', () => {
    evaluation.resourceCountIs('AWS::SNS::Topic', 0);
    evaluation.resourceCountIs('AWS::SNS::TopicPolicy', 0);
  });
});
