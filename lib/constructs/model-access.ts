import { Stack } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import type { StageConfig } from '../config.ts';

/** Geographies that begin the id of a cross-Region inference profile; whatever follows is the model's own id. */
const PROFILE_ID = /^(?:global|us-gov|us|eu|apac|jp|au|ca|sa|in|uk|me|af|il)\.(?<model>.+)$/;

/** Converse is allowed by `InvokeModel`; nothing here streams. */
const ACTIONS = ['bedrock:InvokeModel'];

/**
 * Allows calling the stage's models, exact ids. A call by profile needs the profile and the model in every Region
 * that the profile may route to; one Region missing is an AccessDenied now and then. So the Region stays open, and
 * the condition lets the model be reached through the named profiles only.
 */
export function grantModels(scope: IConstruct, grantee: IGrantable, config: StageConfig): void {
  const { partition, region } = Stack.of(scope);
  const regions = [region, ...config.bedrock.regions];
  const direct: string[] = [];
  const profiles = profileArns(scope, config);
  const routed: string[] = [];
  for (const id of config.bedrock.models) {
    const model = PROFILE_ID.exec(id)?.groups?.model;
    if (model === undefined) {
      direct.push(...regions.map((at) => `arn:${partition}:bedrock:${at}::foundation-model/${id}`));
      continue;
    }
    routed.push(`arn:${partition}:bedrock:*::foundation-model/${model}`);
  }
  const allow = (resources: string[], conditions?: Record<string, Record<string, string[]>>) => {
    if (resources.length === 0) return;
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: ACTIONS, resources, conditions }));
  };
  allow([...direct, ...profiles]);
  allow([...new Set(routed)], { StringEquals: { 'bedrock:InferenceProfileArn': profiles } });
}

/** ARNs of the cross-Region profiles among the stage's models. */
export function profileArns(scope: IConstruct, config: StageConfig): string[] {
  const { partition, region, account } = Stack.of(scope);
  return config.bedrock.models
    .filter((id) => PROFILE_ID.test(id))
    .flatMap((id) =>
      [region, ...config.bedrock.regions].map(
        (at) => `arn:${partition}:bedrock:${at}:${account}:inference-profile/${id}`,
      ),
    );
}
