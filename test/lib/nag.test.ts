import { describe, expect, it } from 'vitest';
import { checkApp } from '../../lib/nag.ts';
import { ACKNOWLEDGEMENTS } from '../../lib/nag-acknowledgements.ts';
import { synthStage } from './synth.ts';

const WEB_ACL = 'arn:aws:wafv2:eu-central-1:111122223333:regional/webacl/assay/0a1b2c3d-1234-4abc-8def-123456789012';

const VPC = {
  vpcId: 'vpc-0a1b2c3d4e5f67890',
  subnetIds: ['subnet-0a1b2c3d4e5f67890'],
  availabilityZones: ['eu-central-1a'],
  createEndpoints: true,
  routeTableIds: ['rtb-0a1b2c3d4e5f67890'],
};

const STAGES = [
  { vpc: VPC },
  {},
  { api: { kind: 'rest' } },
  { api: { kind: 'rest', auth: 'iam', webAclArn: WEB_ACL, allowedCidrs: ['203.0.113.0/24'] } },
  { encryption: 'customer-key', api: { auth: 'iam' }, alarmEmail: 'ops@example.com', xray: false },
  {
    notifications: {
      bus: 'own',
      email: 'team@example.com',
      slack: { workspaceId: 'T0123ABCD', channelId: 'C0123ABCD' },
    },
  },
  {
    stage: 'dev',
    removal: 'destroy',
    bedrock: { models: ['global.anthropic.claude-sonnet-4-6'], regions: ['eu-west-1'] },
    targets: {
      functions: ['arn:aws:lambda:us-east-1:111122223333:function:support-bot'],
      agentRuntimes: ['arn:aws:bedrock-agentcore:us-east-1:111122223333:runtime/support_bot-a1b2c3d4e5'],
      agents: ['AGENT12345/ALIAS12345'],
      knowledgeBases: ['KB12345678'],
    },
  },
];

const checked = STAGES.map((settings) => {
  const { app } = synthStage(settings);
  return { settings, ...checkApp(app) };
});

describe('cdk-nag, AwsSolutions and Serverless', () => {
  it.each(checked)('finds nothing without a reason in a stage with $settings', ({ violations }) => {
    const found = violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
    );
    expect(found).toEqual([]);
  });

  it('has no reason left over from a finding that is gone', () => {
    const stale = ACKNOWLEDGEMENTS.filter((reason) => checked.every((stage) => stage.stale.includes(reason)));
    expect(stale.map(({ rule, path }) => `${rule} at ${path}`)).toEqual([]);
  });

  it('finds something: without reasons the same stage has findings', () => {
    expect(checked[0]?.stale.length).toBeLessThan(ACKNOWLEDGEMENTS.length);
  });

  it.each(ACKNOWLEDGEMENTS)('says why $rule stays at $path', ({ reason }) => {
    expect(reason.length).toBeGreaterThan(30);
  });
});
