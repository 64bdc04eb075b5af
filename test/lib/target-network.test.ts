import { describe, expect, it } from 'vitest';
import { readStageConfig } from '../../lib/config.ts';
import { ConfigError } from '../../src/core/errors.ts';
import { flatten, onlyResource, type Resource, resourcesOf, synthStage } from './synth.ts';

const SUBNETS = ['subnet-0a1b2c3d4e5f67890', 'subnet-0a1b2c3d4e5f67891'];
const TABLES = ['rtb-0a1b2c3d4e5f67890', 'rtb-0a1b2c3d4e5f67891'];
const vpc = {
  vpcId: 'vpc-0a1b2c3d4e5f67890',
  subnetIds: SUBNETS,
  availabilityZones: ['eu-central-1a', 'eu-central-1b'],
};
const GROUP = 'sg-0a1b2c3d4e5f67890';

const placed = synthStage({ vpc }).evaluation;
const closed = synthStage({
  vpc: { ...vpc, securityGroupIds: [GROUP], createEndpoints: true, routeTableIds: TABLES },
}).evaluation;

interface Statement {
  readonly Effect: string;
  readonly Action: string[];
  readonly Resource: unknown;
  readonly Condition?: { readonly ArnLike: Record<string, unknown> };
}
const functionsIn = (template: typeof placed) =>
  resourcesOf(template, 'AWS::Lambda::Function').filter(([, { Properties }]) => Properties.VpcConfig !== undefined);
const servicesOf = (template: typeof placed, type: string) =>
  resourcesOf(template, 'AWS::EC2::VPCEndpoint')
    .filter(([, { Properties }]) => Properties.VpcEndpointType === type)
    .map(([, { Properties }]) => flatten(Properties.ServiceName).split('.').slice(3).join('.'))
    .toSorted();

describe('a stage with a VPC', () => {
  it('runs in it what calls targets or looks at their addresses, and nothing else', () => {
    expect(
      functionsIn(placed)
        .map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))
        .toSorted(),
    ).toEqual(['RunEvaluateRows', 'RunPrepareRun']);
    expect(functionsIn(synthStage().evaluation)).toEqual([]);
  });

  it('in the subnets that are named', () => {
    for (const [, { Properties }] of [...functionsIn(placed), ...functionsIn(closed)]) {
      expect((Properties.VpcConfig as { SubnetIds: string[] }).SubnetIds).toEqual(SUBNETS);
    }
  });

  it('under a group of its own that takes no call, or under those that are named', () => {
    const { Properties } = onlyResource(placed, 'AWS::EC2::SecurityGroup');
    expect(Properties).not.toHaveProperty('SecurityGroupIngress');
    for (const [, fn] of functionsIn(placed)) {
      const { SecurityGroupIds } = fn.Properties.VpcConfig as { SecurityGroupIds: unknown[] };
      expect(SecurityGroupIds.map(flatten)).toEqual([expect.stringMatching(/^<RunNetworkSecurityGroup\w+\.GroupId>$/)]);
    }
    for (const [, fn] of functionsIn(closed)) {
      expect((fn.Properties.VpcConfig as { SecurityGroupIds: unknown[] }).SecurityGroupIds).toEqual([GROUP]);
    }
  });

  it('makes neither a network nor endpoints unless it is told to', () => {
    for (const type of ['AWS::EC2::VPC', 'AWS::EC2::Subnet', 'AWS::EC2::NatGateway']) {
      placed.resourceCountIs(type, 0);
      closed.resourceCountIs(type, 0);
    }
    placed.resourceCountIs('AWS::EC2::VPCEndpoint', 0);
  });

  it('needs no account to be made into a template', () => {
    const json = JSON.stringify(closed.toJSON());
    expect(json).not.toContain('dummy');
    expect(json).not.toContain('vpc-12345');
  });
});

describe('its interfaces', () => {
  const statements = resourcesOf(placed, 'AWS::IAM::Policy').flatMap(([id, { Properties }]) =>
    (Properties.PolicyDocument as { Statement: Statement[] }).Statement.map((statement) => ({ id, ...statement })),
  );
  const aboutNetworks = statements.filter(({ Action }) => JSON.stringify(Action).includes('ec2:'));
  const ACTIONS = [
    'ec2:AssignPrivateIpAddresses',
    'ec2:CreateNetworkInterface',
    'ec2:DeleteNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:UnassignPrivateIpAddresses',
  ];

  it('are made by Lambda in the roles of the two functions, and by no code of theirs', () => {
    expect(new Set(aboutNetworks.map(({ id }) => id.replace(/RoleDefaultPolicy\w+$/, '')))).toEqual(
      new Set(['RunPrepareRun', 'RunEvaluateRows']),
    );
    for (const effect of ['Allow', 'Deny']) {
      const found = aboutNetworks.filter(({ Effect }) => Effect === effect);
      expect(found).toHaveLength(2);
      for (const { Action, Condition } of found) {
        expect(Action.filter((action) => action.startsWith('ec2:')).toSorted()).toEqual(ACTIONS);
        if (effect === 'Allow') continue;
        expect(flatten(Condition?.ArnLike['lambda:SourceFunctionArn'])).toBe(
          'arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:*',
        );
      }
    }
  });

  it('may be made before the function is: Lambda tries the role then', () => {
    for (const [, fn] of functionsIn(placed)) {
      const { DependsOn } = fn as Resource & { DependsOn: string[] };
      expect(DependsOn).toContainEqual(expect.stringMatching(/RoleDefaultPolicy/));
    }
  });
});

describe('endpoints', () => {
  it('of S3 and DynamoDB are routes of the named tables', () => {
    expect(servicesOf(closed, 'Gateway')).toEqual(['dynamodb', 's3']);
    const gateways = resourcesOf(closed, 'AWS::EC2::VPCEndpoint').filter(
      ([, { Properties }]) => Properties.VpcEndpointType === 'Gateway',
    );
    for (const [, { Properties }] of gateways) expect(Properties.RouteTableIds).toEqual(TABLES);
  });

  it('take the route of a table that two subnets share once', () => {
    const shared = synthStage({
      vpc: { ...vpc, createEndpoints: true, routeTableIds: [TABLES[0], TABLES[0]] },
    }).evaluation;
    shared.hasResourceProperties('AWS::EC2::VPCEndpoint', { VpcEndpointType: 'Gateway', RouteTableIds: [TABLES[0]] });
  });

  it('are those of the services that the two functions ask', () => {
    expect(servicesOf(closed, 'Interface')).toEqual(['bedrock-runtime', 'events', 'secretsmanager', 'states']);
  });

  it('are more where targets are functions, agents, knowledge bases or agent runtimes', () => {
    const targets = {
      functions: ['arn:aws:lambda:eu-central-1:111122223333:function:bot'],
      agentRuntimes: ['arn:aws:bedrock-agentcore:eu-central-1:111122223333:runtime/bot-a1b2c3d4e5'],
      knowledgeBases: ['KB12345678'],
    };
    const more = synthStage({ targets, vpc: { ...vpc, createEndpoints: true, routeTableIds: TABLES } }).evaluation;
    expect(servicesOf(more, 'Interface')).toEqual([
      'bedrock-agent-runtime',
      'bedrock-agentcore',
      'bedrock-runtime',
      'events',
      'lambda',
      'secretsmanager',
      'states',
    ]);
  });

  it('answer the functions over TLS and nobody else', () => {
    const [, group] = resourcesOf(closed, 'AWS::EC2::SecurityGroup').find(([id]) => id.includes('Endpoints')) as [
      string,
      Resource,
    ];
    const rules = [
      ...((group.Properties.SecurityGroupIngress ?? []) as Record<string, unknown>[]),
      ...resourcesOf(closed, 'AWS::EC2::SecurityGroupIngress').map(([, { Properties }]) => Properties),
    ];
    expect(rules).toHaveLength(1);
    expect(rules[0]).toMatchObject({ IpProtocol: 'tcp', FromPort: 443, ToPort: 443, SourceSecurityGroupId: GROUP });
    for (const [, { Properties }] of resourcesOf(closed, 'AWS::EC2::VPCEndpoint')) {
      if (Properties.VpcEndpointType !== 'Interface') continue;
      expect(Properties).toMatchObject({ PrivateDnsEnabled: true, SubnetIds: SUBNETS });
    }
  });
});

describe('settings of a VPC', () => {
  it.each([
    { name: 'no id of a VPC', change: { vpcId: 'main' }, says: 'such as vpc-' },
    { name: 'no subnets', change: { subnetIds: [], availabilityZones: [] }, says: 'subnetIds' },
    {
      name: 'a subnet without its zone',
      change: { availabilityZones: ['eu-central-1a'] },
      says: 'the zone of each subnet',
    },
    {
      name: 'two subnets of one zone',
      change: { availabilityZones: ['eu-central-1a', 'eu-central-1a'] },
      says: 'one subnet a zone',
    },
    {
      name: 'a Region for a zone',
      change: { availabilityZones: ['eu-central-1', 'eu-central-1b'] },
      says: 'eu-central-1a',
    },
    {
      name: 'endpoints without route tables',
      change: { createEndpoints: true },
      says: 'the route table of each subnet',
    },
    { name: 'route tables without endpoints', change: { routeTableIds: TABLES }, says: 'left out elsewhere' },
    { name: 'an unknown key', change: { subnets: SUBNETS }, says: 'subnets' },
  ])('with $name are refused', ({ change, says }) => {
    const read = () => readStageConfig({ prod: { vpc: { ...vpc, ...change } } }, 'prod');
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(says);
  });
});
