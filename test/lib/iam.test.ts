import { describe, expect, it } from 'vitest';
import { flatten, resourcesOf, synthStage } from './synth.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: Record<string, Record<string, unknown>>;
}

/** Actions that AWS grants on no single resource: a service's own traces and logs, and the names of schedules. */
const WITHOUT_RESOURCE =
  /^(scheduler:ListSchedules|xray:(Put|Get)[A-Za-z]+|logs:(\w+LogDelivery|\w+LogDeliveries|\w+ResourcePolic\w+|DescribeLogGroups))$/;

const plain = synthStage();
const keyed = synthStage({ encryption: 'customer-key', api: { auth: 'iam' } });

function statementsOf(policyName: RegExp, stage = plain): Statement[] {
  return resourcesOf(stage.evaluation, 'AWS::IAM::Policy')
    .filter(([id]) => policyName.test(id))
    .flatMap(([, { Properties }]) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement);
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
const resources = (statement: Statement): string[] => list(statement.Resource).map(flatten);
const allows = (policyName: RegExp, action: string, stage = plain): string[] =>
  statementsOf(policyName, stage)
    .filter(({ Effect, Action }) => Effect === 'Allow' && list(Action).includes(action))
    .flatMap(resources);

describe('every role', () => {
  it.each([plain, keyed])('allows exact actions only', (stage) => {
    const actions = statementsOf(/./, stage).flatMap(({ Action }) => list(Action));
    expect(actions.filter((action) => String(action).includes('*'))).toEqual([]);
    expect(actions.length).toBeGreaterThan(50);
  });

  it.each([plain, keyed])('names resources, but for actions that have none', (stage) => {
    const open = statementsOf(/./, stage).filter((statement) => resources(statement).includes('*'));
    const actions = open.flatMap(({ Action }) => list(Action)).map(String);
    expect(actions.filter((action) => !WITHOUT_RESOURCE.test(action))).toEqual([]);
  });

  it('carries no managed policy', () => {
    for (const [id, { Properties }] of resourcesOf(plain.evaluation, 'AWS::IAM::Role')) {
      expect(Properties.ManagedPolicyArns ?? [], id).toEqual([]);
    }
  });

  it('belongs to one function', () => {
    const roles = resourcesOf(plain.evaluation, 'AWS::Lambda::Function').map(([, { Properties }]) =>
      flatten(Properties.Role),
    );
    expect(new Set(roles).size).toBe(roles.length);
  });

  it('writes logs into its own group', () => {
    for (const resource of allows(/^(Run|Api|Sweep).*Role/, 'logs:PutLogEvents')) {
      expect(resource).toMatch(/^<\w+Logs\w+\.Arn>$/);
    }
  });

  it('never scans, nor touches the table itself', () => {
    const actions = statementsOf(/./).flatMap(({ Action }) => list(Action));
    expect(actions.filter((action) => /^dynamodb:(Scan|\w+Table)$/.test(String(action)))).toEqual([]);
  });
});

describe('models', () => {
  const statements = statementsOf(/^RunEvaluateRows/).filter(({ Action }) => Action === 'bedrock:InvokeModel');

  it('are called by evaluate-rows alone', () => {
    const callers = resourcesOf(plain.evaluation, 'AWS::IAM::Policy').filter(([, policy]) =>
      JSON.stringify(policy).includes('bedrock:'),
    );
    expect(callers.map(([id]) => id)).toEqual([expect.stringMatching(/^RunEvaluateRows/)]);
  });

  it('are named exactly: on-demand ids and profiles in the stack’s Region', () => {
    const direct = statements.filter(({ Condition }) => Condition === undefined).flatMap(resources);
    expect(direct).toContain(
      'arn:<AWS::Partition>:bedrock:<AWS::Region>:<AWS::AccountId>:inference-profile/us.amazon.nova-2-lite-v1:0',
    );
    expect(direct).toContain('arn:<AWS::Partition>:bedrock:<AWS::Region>::foundation-model/openai.gpt-oss-20b-1:0');
    expect(direct.filter((arn) => arn.includes('*'))).toEqual([]);
  });

  it('behind a profile may run in any Region, through that profile only', () => {
    const [routed] = statements.filter(({ Condition }) => Condition !== undefined);
    const profiles = list(routed?.Condition?.StringEquals?.['bedrock:InferenceProfileArn']).map(flatten);
    expect(resources(routed as Statement)).toContain(
      'arn:<AWS::Partition>:bedrock:*::foundation-model/amazon.nova-2-lite-v1:0',
    );
    expect(profiles).toHaveLength(resources(routed as Statement).length);
    expect(profiles.every((arn) => arn.includes(':inference-profile/us.'))).toBe(true);
  });

  it('of a stage elsewhere are its own', () => {
    const europe = synthStage({ bedrock: { models: ['eu.amazon.nova-lite-v1:0'], regions: ['eu-west-1'] } });
    const profiles = allows(/^RunEvaluateRows/, 'bedrock:InvokeModel', europe).filter((arn) => arn.includes('profile'));
    expect(profiles.map((arn) => arn.split(':bedrock:')[1]).sort()).toEqual([
      '<AWS::Region>:<AWS::AccountId>:inference-profile/eu.amazon.nova-lite-v1:0',
      'eu-west-1:<AWS::AccountId>:inference-profile/eu.amazon.nova-lite-v1:0',
    ]);
  });
});

describe('targets', () => {
  const LAMBDA = 'arn:aws:lambda:eu-west-1:111122223333:function:support-bot:live';
  const RUNTIME = 'arn:aws:bedrock-agentcore:us-east-1:111122223333:runtime/support_bot-a1b2c3d4e5';
  const stage = synthStage({
    bedrock: { models: ['us.amazon.nova-lite-v1:0', 'openai.gpt-oss-20b-1:0'], regions: ['eu-west-1'] },
    targets: {
      functions: [LAMBDA],
      agentRuntimes: [RUNTIME, `${RUNTIME}/runtime-endpoint/canary`],
      agents: ['AGENT12345/ALIAS12345'],
      knowledgeBases: ['KB12345678'],
    },
  });
  const ACTIONS = [
    'lambda:InvokeFunction',
    'bedrock-agentcore:InvokeAgentRuntime',
    'bedrock:InvokeAgent',
    'bedrock:Retrieve',
    'bedrock:RetrieveAndGenerate',
    'bedrock:GetInferenceProfile',
  ];
  const inBothRegions = (resource: string) =>
    ['<AWS::Region>', 'eu-west-1'].map((at) => `arn:<AWS::Partition>:bedrock:${at}:<AWS::AccountId>:${resource}`);

  it.each([
    { action: 'lambda:InvokeFunction', arns: [LAMBDA] },
    {
      action: 'bedrock-agentcore:InvokeAgentRuntime',
      arns: [RUNTIME, `${RUNTIME}/runtime-endpoint/DEFAULT`, `${RUNTIME}/runtime-endpoint/canary`],
    },
    { action: 'bedrock:InvokeAgent', arns: inBothRegions('agent-alias/AGENT12345/ALIAS12345') },
    { action: 'bedrock:Retrieve', arns: inBothRegions('knowledge-base/KB12345678') },
    { action: 'bedrock:RetrieveAndGenerate', arns: ['*'] }, // takes no resource
    { action: 'bedrock:GetInferenceProfile', arns: inBothRegions('inference-profile/us.amazon.nova-lite-v1:0') },
  ])('that the stage names, and no others, are allowed by $action', ({ action, arns }) => {
    expect(allows(/^RunEvaluateRows/, action, stage).sort()).toEqual([...arns].sort());
  });

  it.each(ACTIONS.filter((action) => action !== 'lambda:InvokeFunction'))(
    'are called by evaluate-rows alone: %s',
    (action) => {
      const callers = resourcesOf(stage.evaluation, 'AWS::IAM::Policy').filter(([, policy]) =>
        JSON.stringify(policy).includes(`"${action}"`),
      );
      expect(callers.map(([id]) => id)).toEqual([expect.stringMatching(/^RunEvaluateRows/)]);
    },
  );

  it.each(ACTIONS)('bring nothing into a stage that names none: %s', (action) => {
    expect(allows(/^RunEvaluateRows/, action)).toEqual([]);
  });
});

describe('secrets', () => {
  it.each([/^RunPrepareRun/, /^RunEvaluateRows/])('named by projects are read by %s, our own are denied', (role) => {
    const denied = statementsOf(role).filter(({ Effect }) => Effect === 'Deny');
    expect(denied.flatMap(({ Action }) => list(Action))).toEqual(['secretsmanager:GetSecretValue']);
    expect(denied.flatMap(resources).map((arn) => arn.split(':secret:')[1])).toEqual([
      'assay/*/_system/*',
      'assay/_system/*',
    ]);
  });

  it('of the API are our own only', () => {
    const names = allows(/^ApiRole/, 'secretsmanager:PutSecretValue').map((arn) => arn.split(':secret:')[1]);
    expect(names).toEqual(['assay/*/_system/*', 'assay/_system/*']);
  });

  it.each([/^RunIngest/, /^RunAggregate/, /^RunFail/, /^Sweep/])('are none of the business of %s', (role) => {
    expect(JSON.stringify(statementsOf(role))).not.toContain('secretsmanager');
  });
});

describe('items', () => {
  const WRITES = ['PutItem', 'UpdateItem', 'BatchWriteItem', 'DeleteItem'];

  it.each([
    { role: /^RunIngest/, writes: ['PutItem', 'BatchWriteItem'], index: false },
    { role: /^RunPrepare/, writes: ['UpdateItem'], index: false },
    { role: /^RunEvaluate/, writes: ['PutItem', 'UpdateItem', 'BatchWriteItem'], index: false },
    { role: /^RunAggregate/, writes: ['PutItem', 'UpdateItem', 'BatchWriteItem'], index: false },
    { role: /^RunFail/, writes: ['UpdateItem'], index: false },
    { role: /^Sweep/, writes: ['UpdateItem'], index: true },
    { role: /^ApiRole/, writes: WRITES, index: true },
  ])('are written by $role with no more actions than it calls', ({ role, writes, index }) => {
    expect(WRITES.filter((action) => allows(role, `dynamodb:${action}`).length > 0)).toEqual(writes);
    expect(allows(role, 'dynamodb:Query').some((arn) => arn.endsWith('/index/gsi1'))).toBe(index);
    expect(allows(role, 'dynamodb:ConditionCheckItem')).toEqual([]);
  });
});

describe('objects', () => {
  it.each([/^RunFail/, /^Sweep/])('are none of the business of %s, but for the line of a run it closes', (role) => {
    for (const action of ['s3:GetObject', 's3:DeleteObject']) expect(allows(role, action)).toEqual([]);
    expect(allows(role, 's3:PutObject')).toEqual([expect.stringMatching(/\/tables\/\*$/)]);
  });

  it('are read only where a function may also learn that one is missing', () => {
    for (const role of [/^RunIngest/, /^RunPrepare/, /^RunEvaluate/, /^RunAggregate/, /^ApiRole/]) {
      expect(allows(role, 's3:GetObject').length, String(role)).toBeGreaterThan(0);
      expect(allows(role, 's3:ListBucket'), String(role)).toHaveLength(1);
    }
  });

  it('are never granted as a whole bucket', () => {
    const arns = ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'].flatMap((action) => allows(/./, action));
    expect(
      arns.filter((arn) => !/\/(uploads|datasets|runs|results|tables|compacting|parquet|map-results)\/\*$/.test(arn)),
    ).toEqual([]);
  });

  it('of other steps stay untouched: evaluate-rows writes results only', () => {
    expect(allows(/^RunEvaluateRows/, 's3:PutObject')).toEqual([expect.stringMatching(/\/results\/\*$/)]);
  });

  it('are copied to Parquet, and staged before, by compact-run alone', () => {
    const writes = allows(/./, 's3:PutObject').filter((arn) => /\/(compacting|parquet)\/\*$/.test(arn));
    expect(writes).toHaveLength(2);
    expect(allows(/^CompactionCompactRun/, 's3:PutObject')).toEqual(writes);
    expect(allows(/^CompactionCompactRun/, 's3:GetObject').join()).toMatch(/\/results\/\*,.*\/compacting\/\*$/);
  });

  it('under a key can be used by every reader, and by the Map', () => {
    for (const [id] of resourcesOf(keyed.evaluation, 'AWS::IAM::Policy').filter(
      ([id]) => !/Distributed|RedriveLookup|CallerPolicy|CompactionGoOn/.test(id), // these read no data
    )) {
      expect(allows(new RegExp(`^${id}$`), 'kms:Decrypt', keyed).length, id).toBeGreaterThan(0);
    }
  });
});

describe('events', () => {
  const CLOSERS = ['ApiRole', 'RunAggregateRun', 'RunFailRun', 'RunPrepareRun', 'SweepRuns'];

  it.each([
    { bus: 'default', stage: plain },
    { bus: 'assay-prod', stage: synthStage({ notifications: { bus: 'own' } }) },
  ])('are put on the bus "$bus" and no other, by the functions that close runs', ({ bus, stage }) => {
    const tellers = resourcesOf(stage.evaluation, 'AWS::IAM::Policy').filter(([, policy]) =>
      JSON.stringify(policy).includes('events:PutEvents'),
    );
    expect(tellers.map(([id]) => CLOSERS.find((name) => id.startsWith(name))).sort()).toEqual(CLOSERS);
    const arn = `arn:<AWS::Partition>:events:<AWS::Region>:<AWS::AccountId>:event-bus/${bus}`;
    expect(allows(/./, 'events:PutEvents', stage)).toEqual(CLOSERS.map(() => arn));
  });
});

describe('state machine', () => {
  it('is started by the API, by schedules, and by the sweep for runs that waited', () => {
    const starters = resourcesOf(plain.evaluation, 'AWS::IAM::Policy').filter(
      ([id]) => !/^Workflow/.test(id) && allows(new RegExp(`^${id}$`), 'states:StartExecution').length > 0,
    );
    const names = starters.map(([id]) => /^(Api|Sweep|Schedules)/.exec(id)?.[1]);
    expect(names.sort()).toEqual(['Api', 'Schedules', 'Sweep']);
  });

  it('invokes its three functions', () => {
    const arns = allows(/^WorkflowStateMachineRole/, 'lambda:InvokeFunction');
    const functions = new Set(arns.map((arn) => /Run(PrepareRun|EvaluateRows|AggregateRun)/.exec(arn)?.[1]));
    expect([...functions].sort()).toEqual(['AggregateRun', 'EvaluateRows', 'PrepareRun']);
  });

  it('reads rows and writes Map records, nothing else', () => {
    expect(allows(/^WorkflowStateMachine/, 's3:PutObject')).toEqual([expect.stringMatching(/\/map-results\/\*$/)]);
    expect(allows(/^WorkflowStateMachine/, 's3:GetObject')).toEqual(
      expect.arrayContaining([expect.stringMatching(/\/runs\/\*$/), expect.stringMatching(/\/map-results\/\*$/)]),
    );
  });

  it('may redrive the children of its Map', () => {
    expect(allows(/DistributedMapPolicy/, 'states:RedriveExecution')).toEqual([
      expect.stringMatching(/\/EvaluateRows:\*$/),
    ]);
  });
});
