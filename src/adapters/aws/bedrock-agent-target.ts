import { randomUUID } from 'node:crypto';
import type { ResponseStream, ReturnControlPayload } from '@aws-sdk/client-bedrock-agent-runtime';
import { type AgentTrace, readAgentTrace, traceTrajectory } from '../../core/agent/agent-trace.ts';
import type { TracePart } from '../../core/agent/agent-trace-shape.ts';
import { deriveSessionId } from '../../core/agent/session-id.ts';
import { jsonToText } from '../../core/json.ts';
import type { Answer, Cost } from '../../core/schemas/answer.ts';
import type { TargetErrorCause } from '../../core/schemas/result.ts';
import type { BedrockAgentTargetConfig } from '../../core/schemas/target-config.ts';
import type { Target, TargetReply, TargetRequest } from '../../ports/target.ts';
import { AgentRuntime } from './agent-runtime.ts';
import { passagesOf } from './retrieved-passages.ts';
import type { TargetCall } from './target-calls.ts';
import { type AwsTargetDeps, NOT_METERED } from './target-replies.ts';

/** What came of one InvokeAgent call, the whole stream read. */
interface AgentReply {
  readonly text: string;
  readonly cited: readonly string[];
  readonly trace: AgentTrace;
  readonly returnControl: ReturnControlPayload | null;
}

/**
 * An agent of Amazon Bedrock Agents, asked with the row's input in a session of its own, traces on: the trace becomes the trajectory
 * (`readAgentTrace`), passages of its knowledge bases the contexts. Tokens are those the trace reports.
 */
export class BedrockAgentTarget implements Target {
  readonly id: string;
  readonly type = 'bedrock-agent';
  readonly model = null;
  readonly #config: BedrockAgentTargetConfig;
  readonly #deps: AwsTargetDeps;
  readonly #runtime: AgentRuntime;
  readonly #salt = randomUUID();
  #requests = 0;

  constructor(config: BedrockAgentTargetConfig & { id: string }, deps: AwsTargetDeps) {
    this.id = config.id;
    this.#config = config;
    this.#deps = deps;
    this.#runtime = new AgentRuntime({
      config,
      deps,
      service: 'Bedrock Agents',
      resource: `${config.agent_id}/${config.agent_alias_id}`,
      explain: (message) => withHint(message, config),
    });
  }

  check(): Promise<void> {
    return this.#runtime.check();
  }

  close(): Promise<void> {
    return this.#runtime.close();
  }

  async ask({ row, trial, signal }: TargetRequest): Promise<TargetReply> {
    const { agent_id: agentId, agent_alias_id: agentAliasId } = this.#config;
    const { client, sdk } = await this.#runtime.open();
    const call = await this.#runtime.calls.run(async (abortSignal) => {
      const sessionId = deriveSessionId({ salt: this.#salt, rowId: row.id, trial, request: this.#requests++ });
      const inputText = jsonToText(row.input);
      const command = new sdk.InvokeAgentCommand({ agentId, agentAliasId, sessionId, inputText, enableTrace: true });
      const { completion } = await client.send(command, { abortSignal });
      return readCompletion(completion);
    }, signal);
    if (!call.ok) return this.#runtime.replies.failed(call.failure.cause, call.failure.message, { call });
    return this.#toReply(call.value, call);
  }

  #toReply(reply: AgentReply, call: Pick<TargetCall<unknown>, 'latencyMs' | 'attempts' | 'throttled'>): TargetReply {
    const { trace } = reply;
    const text = reply.text === '' ? (trace.finalResponse ?? '') : reply.text;
    const contexts = [...new Set([...trace.contexts, ...reply.cited])];
    const facts = { call, usage: trace.usage, cost: this.#price(trace) };
    const fail = (cause: TargetErrorCause, message: string) => {
      const trajectory = traceTrajectory(trace, null, cause === 'crashed' ? message : undefined);
      const answer: Partial<Answer> = { contexts, ...(trajectory.steps.length === 0 ? {} : { trajectory }) };
      return this.#runtime.replies.failed(cause, message, facts, answer);
    };
    if (trace.failure !== null) return fail('crashed', `the agent failed: ${trace.failure}`);
    if (reply.returnControl !== null) return fail('crashed', returnedControl(reply.returnControl));
    if (trace.blocked) return fail('refused', `a guardrail intervened${text === '' ? '' : `: ${text.slice(0, 200)}`}`);
    return this.#runtime.replies.answered({ text, contexts, trajectory: traceTrajectory(trace, text) }, facts);
  }

  /** The trace names tokens and, in newer agents, the model; with collaborators of several models nobody can tell whose they are. */
  #price({ usage, model }: AgentTrace): Cost {
    if (usage === null) return NOT_METERED;
    if (model === null || this.#deps.priceUsage === undefined) {
      return { status: 'unknown', model: `bedrock-agent ${this.#config.agent_id}` };
    }
    return this.#deps.priceUsage(model, usage);
  }
}

/** Reads the stream to its end; an exception within it is thrown by the SDK. */
async function readCompletion(completion: AsyncIterable<ResponseStream> | undefined): Promise<AgentReply> {
  const parts: TracePart[] = [];
  const cited: string[] = [];
  const decoder = new TextDecoder(); // a character may be cut in two by the chunks
  let text = '';
  let returnControl: ReturnControlPayload | null = null;
  for await (const event of completion ?? []) {
    if (event.chunk !== undefined) {
      text += decoder.decode(event.chunk.bytes, { stream: true });
      for (const citation of event.chunk.attribution?.citations ?? [])
        cited.push(...passagesOf(citation.retrievedReferences));
    } else if (event.trace !== undefined) parts.push(event.trace);
    else if (event.returnControl !== undefined) returnControl = event.returnControl;
  }
  return { text: text + decoder.decode(), cited, trace: readAgentTrace(parts), returnControl };
}

function returnedControl({ invocationInputs = [] }: ReturnControlPayload): string {
  const names = invocationInputs.map(({ functionInvocationInput: call, apiInvocationInput: api }) =>
    call !== undefined
      ? `${call.actionGroup}.${call.function ?? '?'}`
      : `${api?.actionGroup ?? '?'} ${api?.apiPath ?? '?'}`,
  );
  const what = names.length === 0 ? 'a function' : names.join(', ');
  return `the agent returned control and waits for the result of ${what}: Assay runs no functions of an agent`;
}

function withHint(message: string, { agent_id, agent_alias_id }: BedrockAgentTargetConfig): string {
  if (!/^(?:ResourceNotFound|AccessDenied)Exception/i.test(message)) return message;
  return `${message} (check that agent ${agent_id} has the alias ${agent_alias_id} and that the role may bedrock:InvokeAgent it; deployed: list it in the stage's targets.agents)`;
}
