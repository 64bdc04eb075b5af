import type {
  BedrockRuntimeClient,
  ContentBlock,
  ConverseCommandInput,
  ConverseCommandOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { NO_COST, priceUsage } from '../../core/cost/cost.ts';
import { type PriceTable, priceOf } from '../../core/cost/price-table.ts';
import type { JudgePrompt } from '../../core/judging/prompt.ts';
import { asFreeText } from '../../core/judging/render-prompt.ts';
import type { Usage } from '../../core/schemas/answer.ts';
import type { JudgeConfig } from '../../core/schemas/judge-config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Judge, JudgeContent, JudgeReply, JudgeRequest } from '../../ports/judge.ts';
import { startDeadline } from '../call-deadline.ts';
import { type AttemptOutcome, withBackoff } from '../judge-backoff.ts';
import { Pacers, paceKey, type Turns } from '../pacing/pacers.ts';
import { capabilitiesOf, lessCapable, type ModelCapabilities } from './bedrock-capabilities.ts';
import { type BedrockClientOptions, checkBedrockClient, createBedrockClient } from './bedrock-client.ts';
import { classifyBedrockError } from './bedrock-errors.ts';
import { readTokenUsage, withModelHint } from './converse-reply.ts';
import { plainDocument } from './sdk-document.ts';
import { retryAfterOf } from './service-errors.ts';

export type BedrockJudgeConfig = Extract<JudgeConfig, { type: 'bedrock' }>;

export interface BedrockJudgeDeps {
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly prices: PriceTable;
  readonly client: BedrockClientOptions;
  /** A Bedrock API key stands in for AWS credentials. */
  readonly hasApiKey: boolean;
  /** Who else keeps the pace of a model that throttles. @default nobody */
  readonly pacers?: Pacers;
}

/** A model on Amazon Bedrock, through Converse. Throttling slows it down; only what retries cannot mend fails a call. */
export class BedrockJudge implements Judge {
  readonly type = 'bedrock';
  readonly isModel = true;
  readonly id: string;
  readonly model: string;
  readonly #config: BedrockJudgeConfig;
  readonly #deps: BedrockJudgeDeps;
  readonly #turns: Turns;
  #capabilities: ModelCapabilities;
  #client: Promise<BedrockRuntimeClient> | null = null;

  constructor(config: BedrockJudgeConfig, deps: BedrockJudgeDeps) {
    this.id = config.model;
    this.model = config.model;
    this.#config = config;
    this.#deps = deps;
    this.#capabilities = capabilitiesOf(config.model);
    this.#turns = (deps.pacers ?? new Pacers(deps)).turnsOf({
      by: 'judges',
      key: paceKey.model(deps.client.region, config.model),
      timeoutS: config.timeout_s,
      attempts: 2,
    });
  }

  get channel(): Judge['channel'] {
    const { mode } = this.#capabilities;
    if (mode === 'schema') return 'schema';
    return mode === 'tool' || mode === 'any-tool' ? 'tool' : 'text';
  }

  async check(): Promise<void> {
    await checkBedrockClient(await this.#connect(), 'judge', this.#deps.hasApiKey);
  }

  async close(): Promise<void> {
    if (this.#client !== null) (await this.#client).destroy();
    this.#client = null;
  }

  async ask({ prompt, signal }: JudgeRequest): Promise<JudgeReply> {
    let adapted = 0;
    let throttledBefore = 0;
    for (;;) {
      const capabilities = this.#capabilities;
      const input = toConverseInput(this.#config, prompt, capabilities);
      const backoff = { ...this.#deps, turns: this.#turns };
      const tried = await withBackoff(() => this.#attempt(input, signal), signal, backoff);
      const { outcome } = tried;
      const attempts = tried.attempts + adapted;
      const throttled = tried.throttled + throttledBefore;
      if (outcome.ok) return { ...this.#toReply(outcome.value, capabilities, attempts), throttled };
      const { cause, message } = outcome.failure;
      const less = cause === 'bad-request' ? lessCapable(capabilities, message) : null;
      if (less === null || signal.aborted) {
        const cost = priceOf(this.model, this.#deps.prices) === null ? this.#price(null) : NO_COST;
        return { status: 'failed', cause, message, usage: null, cost, attempts, throttled };
      }
      this.#capabilities = less; // kept for the run: the next call asks right at once
      adapted = attempts;
      throttledBefore = throttled;
    }
  }

  async #attempt(input: ConverseCommandInput, signal: AbortSignal): Promise<AttemptOutcome<ConverseCommandOutput>> {
    if (signal.aborted) return failure('unavailable', 'the run stopped before the judge was asked', 'never');
    const timeoutMs = this.#config.timeout_s * 1000;
    const deadline = startDeadline(signal, timeoutMs);
    try {
      const [client, { ConverseCommand }] = await Promise.all([this.#connect(), import('./sdk/bedrock-runtime.ts')]);
      const value = await client.send(new ConverseCommand(input), { abortSignal: deadline.signal });
      return { ok: true, value };
    } catch (error) {
      if (deadline.timedOut()) return failure('timeout', `the judge did not reply within ${timeoutMs} ms`, 'once');
      if (signal.aborted) return failure('unavailable', 'the run stopped while the judge was asked', 'never');
      const classified = classifyBedrockError(error);
      const retryAfterMs = retryAfterOf(error, this.#deps.clock.now());
      const message = withModelHint(classified.message, this.model);
      return { ok: false, failure: { ...classified, message, ...(retryAfterMs === null ? {} : { retryAfterMs }) } };
    } finally {
      deadline.clear();
    }
  }

  #toReply(output: ConverseCommandOutput, { mode }: ModelCapabilities, attempts: number): JudgeReply {
    const usage = readTokenUsage(output.usage);
    const content = (output.output?.message?.content ?? []).flatMap(toContent);
    const stopReason = output.stopReason ?? 'missing';
    return {
      status: 'replied',
      stopReason,
      content,
      schemaText: mode === 'schema',
      usage,
      cost: this.#price(usage),
      attempts,
    };
  }

  #price(usage: Usage | null) {
    return priceUsage(this.model, usage, this.#deps.prices);
  }

  #connect(): Promise<BedrockRuntimeClient> {
    this.#client ??= createBedrockClient(this.#deps.client);
    return this.#client;
  }
}

function failure(
  cause: 'timeout' | 'unavailable',
  message: string,
  retry: 'once' | 'never',
): AttemptOutcome<ConverseCommandOutput> {
  return { ok: false, failure: { cause, message, retry } };
}

function toConverseInput(
  config: BedrockJudgeConfig,
  prompt: JudgePrompt,
  { mode, temperature }: ModelCapabilities,
): ConverseCommandInput {
  const { system, user } = mode === 'text' || mode === 'auto-tool' ? asFreeText(prompt) : prompt;
  return {
    modelId: config.model,
    system: [{ text: system }],
    messages: [{ role: 'user', content: [{ text: user }] }],
    inferenceConfig: { maxTokens: config.max_tokens, ...(temperature ? { temperature: config.temperature } : {}) },
    ...verdictForm(prompt, mode),
  };
}

function verdictForm(
  { schema, schemaName }: JudgePrompt,
  mode: ModelCapabilities['mode'],
): Pick<ConverseCommandInput, 'toolConfig' | 'outputConfig'> {
  if (mode === 'text') return {};
  if (mode === 'schema') {
    const jsonSchema = { schema: JSON.stringify(schema), name: schemaName };
    return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } };
  }
  const description = 'Hands in the verdict.';
  const tools = [{ toolSpec: { name: schemaName, description, inputSchema: { json: schema } } }];
  const toolChoice =
    mode === 'tool' ? { tool: { name: schemaName } } : mode === 'any-tool' ? { any: {} } : { auto: {} };
  return { toolConfig: { tools, toolChoice } };
}

function toContent(block: ContentBlock): readonly JudgeContent[] {
  if (block.text !== undefined) return [{ kind: 'text', text: block.text }];
  if (block.reasoningContent !== undefined) return [{ kind: 'reasoning' }];
  if (block.toolUse === undefined) return [];
  return [{ kind: 'tool_use', name: block.toolUse.name ?? '', input: plainDocument(block.toolUse.input) }];
}
