import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { compileEventPaths, type EventPaths } from '../../core/agent/event-answer.ts';
import { eventData } from '../../core/agent/server-sent-events.ts';
import { deriveSessionId } from '../../core/agent/session-id.ts';
import { findIn } from '../../core/dataset/json-limits.ts';
import type { JsonValue } from '../../core/json.ts';
import type { AgentCoreTargetConfig } from '../../core/schemas/target-config.ts';
import { type AnswerPaths, compileAnswerPaths } from '../../core/template/read-answer.ts';
import type { Target, TargetReply, TargetRequest } from '../../ports/target.ts';
import { parseReply } from '../http/parse-reply.ts';
import { paceKey } from '../pacing/pacers.ts';
import { compilePayload, type PayloadTemplate, regionOfArn } from './payload-template.ts';
import { awsClientSettings, checkAwsClient } from './service-client.ts';
import { TargetCalls } from './target-calls.ts';
import { type AwsTargetDeps, clientOptionsOf, NOT_CALLED, TargetReplies } from './target-replies.ts';

type AgentCoreSdk = typeof import('./sdk/bedrock-agentcore.ts');
type Client = InstanceType<AgentCoreSdk['BedrockAgentCoreClient']>;

/** An agent's answer is text; more is a fault of the agent, and would not fit into memory beside the other rows. */
const MAX_REPLY_BYTES = 10_000_000;

/**
 * An agent on AgentCore Runtime. Each request has a session of its own, so that no row hears of another. What it answers is read by its
 * content type: a stream of events (see `compileEventPaths`), or JSON or text as from an HTTP target.
 */
export class AgentCoreTarget implements Target {
  readonly id: string;
  readonly type = 'agentcore';
  readonly model = null;
  readonly #config: AgentCoreTargetConfig;
  readonly #deps: AwsTargetDeps;
  readonly #where: string;
  readonly #region: string;
  readonly #payload: PayloadTemplate;
  readonly #paths: AnswerPaths;
  readonly #eventPaths: EventPaths;
  readonly #calls: TargetCalls;
  readonly #replies: TargetReplies;
  readonly #salt = randomUUID();
  #requests = 0;
  #client: Promise<Client> | null = null;

  /** Throws ConfigError for an ARN, a template or a path that is none. */
  constructor(config: AgentCoreTargetConfig & { id: string }, deps: AwsTargetDeps) {
    this.id = config.id;
    this.#config = config;
    this.#deps = deps;
    this.#where = deps.where ?? `targets.${config.id}`;
    this.#region = regionOfArn(config.agent_runtime_arn, 'bedrock-agentcore', `${this.#where}.agent_runtime_arn`);
    this.#payload = compilePayload(config.payload_template, { where: this.#where });
    const reading = { where: this.#where, fallbackModel: config.id, priceUsage: deps.priceUsage };
    this.#paths = compileAnswerPaths(config, reading);
    this.#eventPaths = compileEventPaths(config, reading);
    this.#replies = new TargetReplies(deps.secrets);
    this.#calls = new TargetCalls({
      ...deps,
      timeoutMs: config.timeout_s * 1000,
      retries: config.retries,
      paceKey: paceKey.resource(config.agent_runtime_arn),
      explain: (message) => withHint(message, config.agent_runtime_arn),
    });
  }

  async check(): Promise<void> {
    await checkAwsClient(await this.#connect(), {
      field: this.#where,
      service: 'AgentCore',
      hasApiKey: false,
      otherwise: 'use a target of another type',
    });
  }

  async close(): Promise<void> {
    if (this.#client !== null) (await this.#client).destroy();
    this.#client = null;
  }

  async ask({ row, trial, signal }: TargetRequest): Promise<TargetReply> {
    const payload = this.#payload.render({ row, secrets: this.#deps.secrets });
    if (!payload.ok) return this.#replies.failed('bad-request', payload.message, NOT_CALLED);
    const { agent_runtime_arn: agentRuntimeArn, qualifier } = this.#config;
    const [client, sdk] = await Promise.all([this.#connect(), import('./sdk/bedrock-agentcore.ts')]);
    const call = await this.#calls.run(async (abortSignal) => {
      const runtimeSessionId = deriveSessionId({ salt: this.#salt, rowId: row.id, trial, request: this.#requests++ });
      const command = new sdk.InvokeAgentRuntimeCommand({
        agentRuntimeArn,
        runtimeSessionId,
        payload: payload.value,
        contentType: 'application/json',
        accept: 'application/json, text/event-stream',
        ...(qualifier === undefined ? {} : { qualifier }),
      });
      const { response, contentType } = await client.send(command, { abortSignal });
      return { contentType: contentType ?? '', text: await readText(response as Readable | undefined) };
    }, signal);
    if (!call.ok) return this.#replies.failed(call.failure.cause, call.failure.message, { call });
    const { text, contentType } = call.value;
    if (text === undefined)
      return this.#replies.failed('too-large', `the answer is longer than ${MAX_REPLY_BYTES / 1e6} MB`, { call });
    const reading = this.#read(text, contentType);
    if ('cause' in reading) return this.#replies.failed(reading.cause, reading.message, { call });
    const { outcome, usage, cost } = reading;
    if (outcome.ok) return this.#replies.answered(outcome.answer, { call, usage, cost });
    return this.#replies.failed(outcome.cause, outcome.message, { call, usage, cost }, outcome.answer);
  }

  #read(text: string, contentType: string) {
    if (/^\s*text\/event-stream\b/i.test(contentType)) return this.#eventPaths.read(eventData(text).map(eventValue));
    const parsed = parseReply(
      { status: 200, contentType, retryAfter: undefined, text },
      { needsJson: this.#paths.needsJson, allowedStatus: [], redactor: this.#replies.redactor },
    );
    return parsed.ok ? this.#paths.read(parsed.body) : parsed;
  }

  #connect(): Promise<Client> {
    this.#client ??= this.#createClient();
    return this.#client;
  }

  async #createClient(): Promise<Client> {
    const [{ BedrockAgentCoreClient }, settings] = await Promise.all([
      import('./sdk/bedrock-agentcore.ts'),
      awsClientSettings(clientOptionsOf(this.#deps, this.#region)),
    ]);
    return new BedrockAgentCoreClient(settings);
  }
}

/** Undefined when it is too long; the connection is then closed. */
async function readText(body: Readable | undefined): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_REPLY_BYTES) return undefined; // leaving the loop destroys the stream
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Agents send JSON or plain text; text that is no JSON, or JSON that could not be written down again, is itself. */
function eventValue(data: string): JsonValue {
  try {
    const value = JSON.parse(data) as JsonValue;
    return findIn(value, 0) === null ? value : data;
  } catch {
    return data;
  }
}

function withHint(message: string, arn: string): string {
  if (!/^(?:ResourceNotFound|AccessDenied)Exception/.test(message)) return message;
  return `${message} (check that ${arn} exists and that the role may bedrock-agentcore:InvokeAgentRuntime it; deployed: list it in the stage's targets.agentRuntimes)`;
}
