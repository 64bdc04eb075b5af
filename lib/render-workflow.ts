import { readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import type { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { StageConfigSchema } from './config.ts';
import { RunWorkflow } from './constructs/run-workflow.ts';

export interface WorkflowNames {
  readonly bucket: string;
  /** ARN of each function as the definition shall name it. */
  readonly prepareRun: string;
  readonly evaluateRows: string;
  readonly aggregateRun: string;
}

const LOCAL = 'arn:aws:lambda:us-east-1:000000000000:function:';

/** Names that `assay dev` serves: the functions by the names of their folders. */
export const LOCAL_WORKFLOW_NAMES: WorkflowNames = {
  bucket: 'assay',
  prepareRun: `${LOCAL}prepare-run`,
  evaluateRows: `${LOCAL}evaluate-rows`,
  aggregateRun: `${LOCAL}aggregate-run`,
};

/**
 * The run workflow exactly as the application deploys it, in Amazon States Language, without bundling, network or
 * account: the same construct over named instead of created functions. Takes about a second, most of it loading CDK;
 * `scripts/render-workflow.ts` keeps the result.
 */
export function renderWorkflow(names: WorkflowNames = LOCAL_WORKFLOW_NAMES): Record<string, unknown> {
  const app = new App({ context: readCdkContext(), analyticsReporting: false });
  const stack = new Stack(app, 'Workflow', { env: { account: '000000000000', region: 'us-east-1' } });
  const named = (id: string, arn: string) => LambdaFunction.fromFunctionArn(stack, id, arn);
  const workflow = new RunWorkflow(stack, 'Run', {
    config: StageConfigSchema.parse({ stage: 'local' }),
    bucket: Bucket.fromBucketName(stack, 'Bucket', names.bucket),
    prepareRun: named('PrepareRun', names.prepareRun),
    evaluateRows: named('EvaluateRows', names.evaluateRows),
    aggregateRun: named('AggregateRun', names.aggregateRun),
  });
  const definition = joinText(stack.resolve(definitionOf(workflow.stateMachine)));
  return JSON.parse(definition) as Record<string, unknown>;
}

/** CloudFormation's text of the definition with its one reference, the partition, filled in. */
function joinText(value: unknown): string {
  if (typeof value === 'string') return value;
  const node = value as { 'Fn::Join'?: [string, unknown[]]; Ref?: string };
  if (node.Ref === 'AWS::Partition') return 'aws';
  if (node['Fn::Join']) return node['Fn::Join'][1].map(joinText).join(node['Fn::Join'][0]);
  throw new TypeError(`the definition holds a deploy-time reference: ${JSON.stringify(value)}`);
}

/** The context of cdk.json, which `new App()` does not read by itself; without it ResultWriter is dropped unseen. */
export function readCdkContext(): Record<string, unknown> {
  const file = new URL('../cdk.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { context: Record<string, unknown> }).context;
}

function definitionOf(stateMachine: Construct): string | undefined {
  return (stateMachine.node.defaultChild as CfnStateMachine).definitionString;
}
