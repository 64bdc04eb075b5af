import { isJsonObject, type JsonValue } from '../../core/json.ts';
import type { LambdaTargetConfig } from '../../core/schemas/target-config.ts';
import { type AnswerPaths, compileAnswerPaths } from '../../core/template/read-answer.ts';
import type { Target, TargetReply, TargetRequest } from '../../ports/target.ts';
import { parseReply } from '../http/parse-reply.ts';
import { paceKey } from '../pacing/pacers.ts';
import { compilePayload, type PayloadTemplate, regionOfArn } from './payload-template.ts';
import { awsClientSettings, checkAwsClient } from './service-client.ts';
import { TargetCalls } from './target-calls.ts';
import { type AwsTargetDeps, clientOptionsOf, NOT_CALLED, TargetReplies } from './target-replies.ts';

type LambdaSdk = typeof import('./sdk/lambda.ts');
type Client = InstanceType<LambdaSdk['LambdaClient']>;

/**
 * A Lambda function, called synchronously: the payload from its template, the answer taken out of what it returns by path.
 * A function that throws or runs into its own limits has crashed; it is not called again, since it may have had effects.
 */
export class LambdaTarget implements Target {
  readonly id: string;
  readonly type = 'lambda';
  readonly model = null;
  readonly #config: LambdaTargetConfig;
  readonly #deps: AwsTargetDeps;
  readonly #where: string;
  readonly #region: string;
  readonly #payload: PayloadTemplate;
  readonly #paths: AnswerPaths;
  readonly #calls: TargetCalls;
  readonly #replies: TargetReplies;
  #client: Promise<Client> | null = null;

  /** Throws ConfigError for an ARN, a template or a path that is none. */
  constructor(config: LambdaTargetConfig & { id: string }, deps: AwsTargetDeps) {
    this.id = config.id;
    this.#config = config;
    this.#deps = deps;
    this.#where = deps.where ?? `targets.${config.id}`;
    this.#region = regionOfArn(config.function_arn, 'lambda', `${this.#where}.function_arn`);
    this.#payload = compilePayload(config.payload_template, { where: this.#where });
    this.#paths = compileAnswerPaths(config, {
      where: this.#where,
      fallbackModel: config.id,
      priceUsage: deps.priceUsage,
    });
    this.#replies = new TargetReplies(deps.secrets);
    this.#calls = new TargetCalls({
      ...deps,
      timeoutMs: config.timeout_s * 1000,
      retries: config.retries,
      paceKey: paceKey.resource(config.function_arn),
      explain: (message) => withHint(message, config.function_arn),
    });
  }

  async check(): Promise<void> {
    await checkAwsClient(await this.#connect(), {
      field: this.#where,
      service: 'Lambda',
      hasApiKey: false,
      otherwise: 'use a target of another type',
    });
  }

  async close(): Promise<void> {
    if (this.#client !== null) (await this.#client).destroy();
    this.#client = null;
  }

  async ask({ row, signal }: TargetRequest): Promise<TargetReply> {
    const payload = this.#payload.render({ row, secrets: this.#deps.secrets });
    if (!payload.ok) return this.#replies.failed('bad-request', payload.message, NOT_CALLED);
    const [client, { InvokeCommand }] = await Promise.all([this.#connect(), import('./sdk/lambda.ts')]);
    const call = await this.#calls.run(async (abortSignal) => {
      const command = new InvokeCommand({ FunctionName: this.#config.function_arn, Payload: payload.value });
      const { FunctionError, Payload } = await client.send(command, { abortSignal });
      return { functionError: FunctionError, text: Buffer.from(Payload ?? []).toString('utf8') };
    }, signal);
    if (!call.ok) return this.#replies.failed(call.failure.cause, call.failure.message, { call });
    const { functionError, text } = call.value;
    if (functionError !== undefined) return this.#replies.failed('crashed', crashOf(functionError, text), { call });
    const parsed = parseReply(
      { status: 200, contentType: 'application/json', retryAfter: undefined, text },
      { needsJson: true, allowedStatus: [], redactor: this.#replies.redactor },
    );
    if (!parsed.ok) return this.#replies.failed(parsed.cause, parsed.message, { call });
    const { outcome, usage, cost } = this.#paths.read(parsed.body);
    if (outcome.ok) return this.#replies.answered(outcome.answer, { call, usage, cost });
    return this.#replies.failed(outcome.cause, outcome.message, { call, usage, cost }, outcome.answer);
  }

  #connect(): Promise<Client> {
    this.#client ??= this.#createClient();
    return this.#client;
  }

  async #createClient(): Promise<Client> {
    const [{ LambdaClient }, settings] = await Promise.all([
      import('./sdk/lambda.ts'),
      awsClientSettings(clientOptionsOf(this.#deps, this.#region)),
    ]);
    return new LambdaClient(settings);
  }
}

/** What Lambda says of an error: `{errorType, errorMessage, …}`, or, when the runtime itself broke, anything. */
function crashOf(functionError: string, text: string): string {
  const details = parseObject(text);
  const type = typeof details?.errorType === 'string' ? `${details.errorType}: ` : '';
  const message = typeof details?.errorMessage === 'string' ? details.errorMessage : text.slice(0, 500);
  return `the function failed (${functionError}): ${type}${message}`;
}

function parseObject(text: string): { readonly [key: string]: JsonValue } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function withHint(message: string, arn: string): string {
  if (!/^(?:ResourceNotFound|AccessDenied)Exception/.test(message)) return message;
  return `${message} (check that ${arn} exists and that the role may lambda:InvokeFunction it; deployed: list it in the stage's targets.functions)`;
}
