import { createServer } from 'node:http';
import { closeServer, listen } from './stub-target.ts';

export interface ConverseReply {
  /** Name of an exception instead of a verdict. */
  readonly error?: { readonly status: number; readonly name: string; readonly message?: string };
  /** @default the best verdict that the schema of the call allows */
  readonly input?: unknown;
  /** @default 100 in, 20 out */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
}

export interface StubConverse {
  readonly url: string;
  total(): number;
  close(): Promise<void>;
}

/** Bedrock's Converse call: answers with the verdict as the forced tool's input. `reply` sees how often it was called. */
export async function startStubConverse(
  reply: (call: number, body: { messages: { content: { text: string }[] }[] }) => ConverseReply,
): Promise<StubConverse> {
  let calls = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    calls += 1;
    const { error, input, usage = { inputTokens: 100, outputTokens: 20 } } = reply(calls, body);
    if (error !== undefined) {
      response.writeHead(error.status, { 'content-type': 'application/json', 'x-amzn-errortype': error.name });
      response.end(JSON.stringify({ message: error.message ?? error.name }));
      return;
    }
    const name = body.toolConfig?.tools[0]?.toolSpec.name ?? 'verdict';
    const schema = body.toolConfig?.tools[0]?.toolSpec.inputSchema.json;
    const content = [{ toolUse: { toolUseId: 't1', name, input: input ?? bestVerdict(schema) } }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        output: { message: { role: 'assistant', content } },
        stopReason: 'tool_use',
        usage: { ...usage, totalTokens: usage.inputTokens + usage.outputTokens },
        metrics: { latencyMs: 1 },
      }),
    );
  });
  const url = await listen(server);
  return { url, total: () => calls, close: () => closeServer(server) };
}

interface VerdictSchema {
  readonly properties: Record<string, { readonly properties: Record<string, { readonly enum?: readonly string[] }> }>;
}

function bestVerdict(schema: VerdictSchema): Record<string, unknown> {
  const verdicts = Object.entries(schema.properties).map(([name, { properties }]) => {
    const ruling = 'score' in properties ? { score: 1 } : { label: properties.label?.enum?.[0] };
    return [name, { reason: 'As the stub has it.', ...ruling }];
  });
  return Object.fromEntries(verdicts);
}
