import type { KnowledgeBaseTargetConfig } from '../../core/schemas/target-config.ts';
import { paceKey } from '../pacing/pacers.ts';
import { type AgentRuntimeClient, createAgentRuntimeClient } from './agent-runtime-client.ts';
import { checkAwsClient } from './service-client.ts';
import { TargetCalls } from './target-calls.ts';
import { type AwsTargetDeps, clientOptionsOf, TargetReplies } from './target-replies.ts';

export interface AgentRuntimeOptions {
  readonly config: Pick<KnowledgeBaseTargetConfig, 'timeout_s' | 'retries' | 'region'> & { readonly id: string };
  readonly deps: AwsTargetDeps;
  /** As people name it: `Bedrock Agents`. */
  readonly service: string;
  /** What is asked, and throttles: requests to one of it share a pace. */
  readonly resource: string;
  /** A failure of the service in words that help. */
  explain(message: string): string;
}

/** What the targets on Bedrock's agent runtime share: one client, made at its first call, and how calls are made and told. */
export class AgentRuntime {
  readonly calls: TargetCalls;
  readonly replies: TargetReplies;
  readonly #options: AgentRuntimeOptions;
  #client: Promise<AgentRuntimeClient> | null = null;

  constructor(options: AgentRuntimeOptions) {
    const { config, deps, resource, explain } = options;
    this.#options = options;
    this.replies = new TargetReplies(deps.secrets);
    this.calls = new TargetCalls({
      ...deps,
      timeoutMs: config.timeout_s * 1000,
      retries: config.retries,
      paceKey: paceKey.resource(resource),
      explain,
    });
  }

  async check(): Promise<void> {
    const { config, deps, service } = this.#options;
    await checkAwsClient(await this.#connect(), {
      field: deps.where ?? `targets.${config.id}`,
      service,
      hasApiKey: false, // Bedrock API keys are for its models only
      otherwise: 'use a target of another type',
    });
  }

  async close(): Promise<void> {
    if (this.#client !== null) (await this.#client).destroy();
    this.#client = null;
  }

  /** The client, and the commands that it sends. */
  async open() {
    const [client, sdk] = await Promise.all([this.#connect(), import('./sdk/bedrock-agent-runtime.ts')]);
    return { client, sdk };
  }

  #connect(): Promise<AgentRuntimeClient> {
    const { config, deps } = this.#options;
    this.#client ??= createAgentRuntimeClient(clientOptionsOf(deps, config.region));
    return this.#client;
  }
}
