import type { BedrockRuntimeClient, ConverseCommandOutput } from '@aws-sdk/client-bedrock-runtime';
import { type Chat, type CompiledChat, compileChat } from '../../core/agent/chat-prompt.ts';
import { type MockTools, parseMockTools } from '../../core/agent/mock-tools.ts';
import { NO_USAGE } from '../../core/cost/cost.ts';
import type { Cost, Usage } from '../../core/schemas/answer.ts';
import type { BedrockTargetConfig } from '../../core/schemas/target-config.ts';
import { stepChecksOf } from '../../core/scoring/agent-tools.ts';
import type { Target, TargetReply, TargetRequest } from '../../ports/target.ts';
import { paceKey } from '../pacing/pacers.ts';
import { createBedrockClient } from './bedrock-client.ts';
import { stopFailure } from './bedrock-stop-reasons.ts';
import { runToolLoop } from './bedrock-tool-loop.ts';
import { readModelReply, withModelHint } from './converse-reply.ts';
import { firstMessages, formFor, type RequestForm, refusedPart, toConverseInput } from './converse-request.ts';
import { checkAwsClient } from './service-client.ts';
import { type TargetCall, TargetCalls } from './target-calls.ts';
import { type AwsTargetDeps, clientOptionsOf, hasBedrockApiKey, NOT_CALLED, TargetReplies } from './target-replies.ts';

/**
 * A model on Amazon Bedrock, through Converse: the prompt or the messages filled in from the row, one call a row. A row with `tools`
 * is a tool-use loop against its mock tools, and its answer has a trajectory; `latencyMs` is then the last call's.
 */
export class BedrockTarget implements Target {
  readonly id: string;
  readonly type = 'bedrock';
  readonly model: string;
  readonly #config: BedrockTargetConfig;
  readonly #deps: AwsTargetDeps;
  readonly #where: string;
  readonly #chat: CompiledChat;
  readonly #calls: TargetCalls;
  readonly #replies: TargetReplies;
  #form: RequestForm;
  #client: Promise<BedrockRuntimeClient> | null = null;

  /** Throws ConfigError for templates that are none. */
  constructor(config: BedrockTargetConfig & { id: string }, deps: AwsTargetDeps) {
    this.id = config.id;
    this.model = config.model;
    this.#config = config;
    this.#deps = deps;
    this.#where = deps.where ?? `targets.${config.id}`;
    this.#chat = compileChat(config, { where: this.#where });
    this.#replies = new TargetReplies(deps.secrets);
    this.#form = formFor(config.model);
    this.#calls = new TargetCalls({
      ...deps,
      timeoutMs: config.timeout_s * 1000,
      retries: config.retries,
      paceKey: paceKey.model(clientOptionsOf(deps, config.region).region, config.model),
      explain: (message) => withModelHint(message, config.model),
    });
  }

  async check(): Promise<void> {
    await checkAwsClient(await this.#connect(), {
      field: this.#where,
      service: 'Bedrock',
      hasApiKey: hasBedrockApiKey(this.#deps),
      otherwise: 'use a target of another type',
    });
  }

  async close(): Promise<void> {
    if (this.#client !== null) (await this.#client).destroy();
    this.#client = null;
  }

  async ask({ row, signal }: TargetRequest): Promise<TargetReply> {
    const chat = this.#chat.render({ row, secrets: this.#deps.secrets });
    if (!chat.ok) return this.#replies.failed('bad-request', chat.message, this.#notCalled());
    // A row whose steps are checked gets them, even where its agent has no tools.
    const mocks = row.tools ?? (stepChecksOf(row.checks).length > 0 ? [] : null);
    if (mocks === null) return this.#askOnce(chat.value, signal);
    const tools = parseMockTools(mocks);
    if ('fault' in tools) return this.#replies.failed('bad-request', tools.fault, this.#notCalled());
    return this.#askWithTools(chat.value, tools, signal);
  }

  async #askOnce(chat: Chat, signal: AbortSignal): Promise<TargetReply> {
    const call = await this.#converse({ ...chat, messages: firstMessages(chat), tools: [] }, signal);
    if (!call.ok)
      return this.#replies.failed(call.failure.cause, call.failure.message, { call, cost: this.#price(NO_USAGE) });
    const reply = readModelReply(call.value);
    const facts = { call, usage: reply.usage, cost: this.#price(reply.usage) };
    const failure = stopFailure(reply, this.#config.max_tokens);
    if (failure === null) return this.#replies.answered({ text: reply.text }, facts);
    return this.#replies.failed(failure.cause, failure.message, facts, reply.text === '' ? {} : { text: reply.text });
  }

  async #askWithTools(chat: Chat, tools: MockTools, signal: AbortSignal): Promise<TargetReply> {
    const end = await runToolLoop({
      first: firstMessages(chat),
      tools: tools.open(),
      maxTurns: this.#config.max_iterations,
      maxTokens: this.#config.max_tokens,
      clock: this.#deps.clock,
      signal,
      converse: (messages) => this.#converse({ system: chat.system, messages, tools: tools.specs }, signal),
      price: (usage) => this.#price(usage),
    });
    const { record, call } = end;
    const cost = record.usage === null && !end.ok ? this.#price(NO_USAGE) : record.cost;
    const facts = { call, usage: record.usage, cost };
    if (end.ok) return this.#replies.answered({ text: end.text, trajectory: record.toTrajectory() }, facts);
    const { cause, message } = end.failure;
    const trajectory = record.toTrajectory(cause === 'crashed' ? message : undefined);
    return this.#replies.failed(cause, message, facts, trajectory.steps.length === 0 ? {} : { trajectory });
  }

  /** A model that refuses a part of the request is asked without it, and so is every later row. */
  async #converse(
    conversation: Parameters<typeof toConverseInput>[1],
    signal: AbortSignal,
  ): Promise<TargetCall<ConverseCommandOutput>> {
    // Loaded before the clock runs: the time of a reply is not that of our own start.
    const [client, { ConverseCommand }] = await Promise.all([this.#connect(), import('./sdk/bedrock-runtime.ts')]);
    let adapted = { attempts: 0, throttled: 0 };
    for (;;) {
      const form = this.#form;
      const input = toConverseInput(this.#config, conversation, form);
      const send = (abortSignal: AbortSignal) => client.send(new ConverseCommand(input), { abortSignal });
      const call = await this.#calls.run(send, signal);
      const tally = {
        attempts: call.attempts + adapted.attempts,
        throttled: call.throttled + adapted.throttled,
      };
      const refused = call.ok || signal.aborted ? null : refusedPart(form, call.failure.message);
      if (refused === null) return { ...call, ...tally };
      this.#form = { ...this.#form, [refused]: false };
      adapted = tally;
    }
  }

  #price(usage: Usage | null): Cost {
    const { priceUsage } = this.#deps;
    return usage === null || priceUsage === undefined
      ? { status: 'unknown', model: this.model }
      : priceUsage(this.model, usage);
  }

  /** Nothing was spent; a model without a price stays unknown all the same. */
  #notCalled() {
    return { ...NOT_CALLED, cost: this.#price(NO_USAGE) };
  }

  #connect(): Promise<BedrockRuntimeClient> {
    this.#client ??= createBedrockClient(clientOptionsOf(this.#deps, this.#config.region));
    return this.#client;
  }
}
