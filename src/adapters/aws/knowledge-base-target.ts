import type { Citation, RetrieveAndGenerateCommandOutput } from '@aws-sdk/client-bedrock-agent-runtime';
import { jsonToText } from '../../core/json.ts';
import type { KnowledgeBaseTargetConfig } from '../../core/schemas/target-config.ts';
import type { Target, TargetReply, TargetRequest } from '../../ports/target.ts';
import { AgentRuntime } from './agent-runtime.ts';
import { passagesOf } from './retrieved-passages.ts';
import type { AwsTargetDeps, TargetReplies } from './target-replies.ts';

/**
 * A knowledge base of Amazon Bedrock: RetrieveAndGenerate with the row's input. Contexts are the passages that the answer cites, each
 * once; an answer that cites nothing has none. The service reports no tokens, so it is not metered.
 */
export class KnowledgeBaseTarget implements Target {
  readonly id: string;
  readonly type = 'knowledge-base';
  readonly model: string;
  readonly #config: KnowledgeBaseTargetConfig;
  readonly #runtime: AgentRuntime;

  constructor(config: KnowledgeBaseTargetConfig & { id: string }, deps: AwsTargetDeps) {
    this.id = config.id;
    this.model = config.model;
    this.#config = config;
    this.#runtime = new AgentRuntime({
      config,
      deps,
      service: 'Bedrock Knowledge Bases',
      resource: config.knowledge_base_id,
      explain: (message) => withHint(message, config),
    });
  }

  check(): Promise<void> {
    return this.#runtime.check();
  }

  close(): Promise<void> {
    return this.#runtime.close();
  }

  async ask({ row, signal }: TargetRequest): Promise<TargetReply> {
    const { knowledge_base_id: knowledgeBaseId, model: modelArn } = this.#config;
    const { client, sdk } = await this.#runtime.open();
    const call = await this.#runtime.calls.run(async (abortSignal) => {
      const command = new sdk.RetrieveAndGenerateCommand({
        input: { text: jsonToText(row.input) },
        retrieveAndGenerateConfiguration: {
          type: 'KNOWLEDGE_BASE',
          knowledgeBaseConfiguration: { knowledgeBaseId, modelArn },
        },
      });
      return client.send(command, { abortSignal });
    }, signal);
    if (!call.ok) return this.#runtime.replies.failed(call.failure.cause, call.failure.message, { call });
    return this.#toReply(call.value, { call });
  }

  #toReply(
    { output, citations = [], guardrailAction }: RetrieveAndGenerateCommandOutput,
    facts: Parameters<TargetReplies['answered']>[1],
  ): TargetReply {
    const contexts = contextsOf(citations);
    const text = output?.text;
    if (guardrailAction === 'INTERVENED') {
      return this.#runtime.replies.failed('refused', `a guardrail intervened: ${(text ?? '').slice(0, 200)}`, facts, {
        contexts,
      });
    }
    if (text === undefined)
      return this.#runtime.replies.failed('path-not-found', 'the reply has no output', facts, { contexts });
    return this.#runtime.replies.answered({ text, contexts }, facts);
  }
}

function contextsOf(citations: readonly Citation[]): string[] {
  return [...new Set(citations.flatMap(({ retrievedReferences }) => passagesOf(retrievedReferences)))];
}

function withHint(message: string, { knowledge_base_id, model }: KnowledgeBaseTargetConfig): string {
  if (!/^(?:ResourceNotFound|AccessDenied)Exception/.test(message)) return message;
  return `${message} (check that knowledge base ${knowledge_base_id} exists and that the role may bedrock:RetrieveAndGenerate, bedrock:Retrieve it and call "${model}"; deployed: list it in the stage's targets.knowledgeBases)`;
}
