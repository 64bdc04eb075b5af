import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { readChatBody, readErrorText } from '../adapters/http/openai-protocol.ts';
import type { JudgeContent } from '../ports/judge.ts';

export interface ConverseBridgeOptions {
  /** Base URL of an OpenAI-compatible server, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  /** The model asked there. @default the id that Bedrock is asked for */
  readonly model?: string;
  readonly apiKey?: string;
  /** 0: a free port. @default 0 */
  readonly port?: number;
}

export interface ConverseBridge {
  readonly url: string;
  close(): Promise<void>;
}

const TIMEOUT_MS = 120_000;

const Blocks = z.array(z.looseObject({ text: z.string().optional() }));
const ConverseSchema = z.object({
  system: Blocks.default([]),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: Blocks })),
  inferenceConfig: z.object({ maxTokens: z.number().optional(), temperature: z.number().optional() }).default({}),
  toolConfig: z
    .object({
      tools: z.array(
        z.object({
          toolSpec: z.object({
            name: z.string(),
            description: z.string().optional(),
            inputSchema: z.object({ json: z.unknown() }),
          }),
        }),
      ),
    })
    .optional(),
  outputConfig: z
    .object({
      textFormat: z.object({
        structure: z.object({ jsonSchema: z.object({ schema: z.string(), name: z.string().optional() }) }),
      }),
    })
    .optional(),
});
type Converse = z.infer<typeof ConverseSchema>;

/** Bedrock's Converse call on this machine, answered by an OpenAI-compatible server: the judge's client stays as it is. */
export async function startConverseBridge(options: ConverseBridgeOptions): Promise<ConverseBridge> {
  const server = createServer((request, response) => {
    answer(request, options)
      .catch((error: unknown) => failure(500, 'InternalServerException', String(error)))
      .then(({ status, headers, body }) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(body));
      })
      .catch(() => response.destroy());
  });
  const url = await listen(server, options.port ?? 0);
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

async function answer(request: IncomingMessage, options: ConverseBridgeOptions): Promise<Answer> {
  const modelId = /^\/model\/([^/]+)\/converse$/.exec(request.url ?? '')?.[1];
  if (request.method !== 'POST' || modelId === undefined) {
    return failure(404, 'ResourceNotFoundException', 'this endpoint answers Converse and nothing else');
  }
  const parsed = ConverseSchema.safeParse(parseJson(await readText(request)));
  if (!parsed.success) return failure(400, 'ValidationException', z.prettifyError(parsed.error));
  const asked = toChatRequest(parsed.data, options.model ?? decodeURIComponent(modelId));
  const startedAt = performance.now();
  let reply: Response;
  try {
    reply = await fetch(`${options.url.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
      },
      body: JSON.stringify(asked),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    const why = error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
    return failure(503, 'ServiceUnavailableException', `${options.url} (ASSAY_JUDGE_URL) cannot be reached: ${why}`);
  }
  const text = await reply.text();
  if (!reply.ok) return refusal(reply.status, readErrorText(text));
  const chat = readChatBody(text);
  if (chat === null) return failure(500, 'ModelErrorException', `${options.url} answered with no chat completion`);
  const tool = parsed.data.toolConfig?.tools[0]?.toolSpec.name;
  const usage = { inputTokens: chat.usage?.input ?? 0, outputTokens: chat.usage?.output ?? 0 };
  const content = chat.content.flatMap((block) => toBlock(block, tool));
  return {
    status: 200,
    body: {
      output: { message: { role: 'assistant', content } },
      stopReason: content.some((block) => 'toolUse' in block) ? 'tool_use' : chat.stopReason,
      ...(chat.usage === null ? {} : { usage: { ...usage, totalTokens: usage.inputTokens + usage.outputTokens } }),
      metrics: { latencyMs: Math.round(performance.now() - startedAt) },
    },
  };
}

/** A forced tool and a schema for the text both become a JSON schema: most local servers have only that. */
function toChatRequest(converse: Converse, model: string) {
  const { maxTokens, temperature } = converse.inferenceConfig;
  const tool = converse.toolConfig?.tools[0]?.toolSpec;
  const format = converse.outputConfig?.textFormat.structure.jsonSchema;
  const schema = tool?.inputSchema.json ?? parseJson(format?.schema ?? '');
  const name = tool?.name ?? format?.name ?? 'verdict';
  return {
    model,
    messages: [
      ...(converse.system.length === 0 ? [] : [{ role: 'system', content: textOf(converse.system) }]),
      ...converse.messages.map(({ role, content }) => ({ role, content: textOf(content) })),
    ],
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(schema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name, schema, strict: true } } }),
  };
}

/** Text that was asked as a tool's input goes back as one; what is no JSON stays the text it is, for the judge to refuse. */
function toBlock(block: JudgeContent, tool: string | undefined): Record<string, unknown>[] {
  if (block.kind === 'reasoning') return [];
  if (block.kind === 'tool_use') return [toolUse(block.name, block.input)];
  const input = tool === undefined ? undefined : parseJson(block.text);
  if (tool === undefined || input === undefined) return [{ text: block.text }];
  return [toolUse(tool, input)];
}

function toolUse(name: string, input: unknown): Record<string, unknown> {
  return { toolUse: { toolUseId: 'bridge-1', name, input } };
}

function refusal(status: number, message: string): Answer {
  if (status === 429) return failure(429, 'ThrottlingException', message);
  if (status === 401 || status === 403) return failure(403, 'AccessDeniedException', message);
  if (status === 404) return failure(404, 'ResourceNotFoundException', message);
  if (status === 408 || status === 504) return failure(408, 'ModelTimeoutException', message);
  if (status >= 500) return failure(503, 'ServiceUnavailableException', message);
  return failure(400, 'ValidationException', message);
}

function failure(status: number, name: string, message: string): Answer {
  return { status, headers: { 'x-amzn-errortype': name }, body: { message } };
}

function textOf(blocks: z.infer<typeof Blocks>): string {
  return blocks.flatMap((block) => block.text ?? []).join('\n');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}
