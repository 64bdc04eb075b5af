import { mkdtempSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { addAssayStacks } from '../lib/assay-app.ts';
import { readStageConfig } from '../lib/config.ts';
import { readCdkContext } from '../lib/render-workflow.ts';

const VPC = {
  vpcId: 'vpc-0a1b2c3d4e5f67890',
  subnetIds: ['subnet-0a1b2c3d4e5f67890', 'subnet-0a1b2c3d4e5f67891'],
  availabilityZones: ['eu-west-1a', 'eu-west-1b'],
};
const WEB_ACL = 'arn:aws:wafv2:eu-west-1:111122223333:regional/webacl/assay/0a1b2c3d-1234-4abc-8def-123456789012';

/** Settings that make other resources than the default does. */
const VARIANTS = {
  rest: { api: { kind: 'rest' } },
  'rest-closed': { api: { kind: 'rest', auth: 'iam', webAclArn: WEB_ACL, allowedCidrs: ['203.0.113.0/24'] } },
  vpc: { vpc: VPC },
  'vpc-endpoints': {
    vpc: { ...VPC, createEndpoints: true, routeTableIds: ['rtb-0a1b2c3d4e5f67890', 'rtb-0a1b2c3d4e5f67891'] },
    targets: {
      functions: ['arn:aws:lambda:eu-west-1:111122223333:function:bot'],
      agentRuntimes: ['arn:aws:bedrock-agentcore:eu-west-1:111122223333:runtime/bot-a1b2c3d4e5'],
      knowledgeBases: ['KB12345678'],
    },
  },
};

/** Writes `variant-<name>.template.json` of each into the folder, without bundling: for cfn-lint. */
const out = process.argv[2] ?? 'cdk.out';
await mkdir(out, { recursive: true });
for (const [name, settings] of Object.entries(VARIANTS)) {
  const context = { ...readCdkContext(), 'aws:cdk:bundling-stacks': [] };
  const app = new App({ context, outdir: mkdtempSync(join(tmpdir(), 'assay-variant-')), analyticsReporting: false });
  const { evaluation } = addAssayStacks(app, readStageConfig({ prod: settings }, 'prod'));
  const { directory } = app.synth();
  await copyFile(join(directory, evaluation.templateFile), join(out, `variant-${name}.template.json`));
}
