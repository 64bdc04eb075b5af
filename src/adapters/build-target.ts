import { ConfigError } from '../core/errors.ts';
import type { TargetConfig } from '../core/schemas/target-config.ts';
import type { Target } from '../ports/target.ts';
import { AgentCoreTarget } from './aws/agentcore-target.ts';
import { BedrockAgentTarget } from './aws/bedrock-agent-target.ts';
import { BedrockTarget } from './aws/bedrock-target.ts';
import { KnowledgeBaseTarget } from './aws/knowledge-base-target.ts';
import { LambdaTarget } from './aws/lambda-target.ts';
import type { AwsTargetDeps } from './aws/target-replies.ts';
import type { HttpTargetDeps } from './http/http-target.ts';
import { HttpTarget } from './http/http-target.ts';
import { RecordedTarget } from './recorded-target.ts';

/** What targets are built from; `secrets` holds the values of all that `secretNamesOf` names. */
export type TargetDeps = HttpTargetDeps & AwsTargetDeps;

/** Builds the adapter of a target; loads no SDK before it is asked. Throws ConfigError for faults in templates, paths, ARNs and secrets. */
export function createTarget(config: TargetConfig, deps: TargetDeps): Target {
  refuseUnreadPaths(config, deps.where);
  switch (config.type) {
    case 'http':
      return new HttpTarget(config, deps);
    case 'recorded':
      return new RecordedTarget(config, { where: deps.where });
    case 'bedrock':
      return new BedrockTarget(config, deps);
    case 'lambda':
      return new LambdaTarget(config, deps);
    case 'agentcore':
      return new AgentCoreTarget(config, deps);
    case 'bedrock-agent':
      return new BedrockAgentTarget(config, deps);
    case 'knowledge-base':
      return new KnowledgeBaseTarget(config, deps);
  }
}

const PATHS = ['contexts_path', 'trajectory_path', 'usage_path', 'cost_path'] as const;

/** These services answer in a form of their own: a path into it would never be read, and who wrote it would not learn of it. */
function refuseUnreadPaths(config: TargetConfig, where = `targets.${config.id}`): void {
  if (config.type !== 'bedrock' && config.type !== 'bedrock-agent' && config.type !== 'knowledge-base') return;
  const given = PATHS.filter((name) => config[name] !== undefined);
  if (given.length === 0) return;
  const message = `a target of type ${config.type} has no such path: contexts, steps and tokens come as the service gives them`;
  throw new ConfigError(given.map((name) => ({ field: `${where}.${name}`, message, fix: 'leave it out' })));
}
