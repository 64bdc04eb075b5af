import { Stack } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import type { StageConfig } from '../config.ts';
import { profileArns } from './model-access.ts';

const ENDPOINT = '/runtime-endpoint/';

/**
 * Allows calling what the stage names under `targets`, each exactly: an eval of a project that names anything else is refused by AWS.
 * HTTP targets need no permission, and models have `grantModels`.
 */
export function grantTargets(scope: IConstruct, grantee: IGrantable, config: StageConfig): void {
  const { partition, region, account } = Stack.of(scope);
  const { functions, agentRuntimes, agents, knowledgeBases } = config.targets;
  const regions = [region, ...config.bedrock.regions];
  const bedrockArns = (resource: string) =>
    regions.map((at) => `arn:${partition}:bedrock:${at}:${account}:${resource}`);
  const allow = (action: string, resources: string[]) => {
    if (resources.length === 0) return;
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: [action], resources }));
  };
  allow('lambda:InvokeFunction', functions);
  // AWS checks a call against the runtime and against the endpoint of it that is called.
  allow('bedrock-agentcore:InvokeAgentRuntime', [...new Set(agentRuntimes.flatMap(runtimeAndEndpoint))]);
  allow(
    'bedrock:InvokeAgent',
    agents.flatMap((agent) => bedrockArns(`agent-alias/${agent}`)),
  );
  allow(
    'bedrock:Retrieve',
    knowledgeBases.flatMap((id) => bedrockArns(`knowledge-base/${id}`)),
  );
  if (knowledgeBases.length === 0) return;
  // The action itself takes no resource; what it reads and which model answers are checked by the actions around it.
  allow('bedrock:RetrieveAndGenerate', ['*']);
  allow('bedrock:GetInferenceProfile', profileArns(scope, config));
}

function runtimeAndEndpoint(arn: string): string[] {
  const [runtime = arn, endpoint = 'DEFAULT'] = arn.split(ENDPOINT);
  return [runtime, `${runtime}${ENDPOINT}${endpoint}`];
}
