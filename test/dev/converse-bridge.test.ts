import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConverseBridge, startConverseBridge } from '../../src/dev/converse-bridge.ts';

const schema = { type: 'object', properties: { score: { type: 'number' } }, required: ['score'] };

describe('the Converse endpoint over an OpenAI-compatible server', () => {
  let server: Server;
  let bridge: ConverseBridge;
  let client: BedrockRuntimeClient;
  let asked: Record<string, unknown> | undefined;
  let key: string | undefined;
  let reply: { status: number; body: unknown };
  beforeEach(async () => {
    asked = undefined;
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      asked = JSON.parse(Buffer.concat(chunks).toString());
      key = request.headers.authorization;
      response.writeHead(reply.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply.body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
    bridge = await startConverseBridge({ url, model: 'local-model', apiKey: 'k' });
    client = new BedrockRuntimeClient({
      endpoint: bridge.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'x', secretAccessKey: 'y' },
      maxAttempts: 1,
      requestHandler: new NodeHttpHandler(),
    });
  });
  afterEach(async () => {
    client.destroy();
    await bridge.close();
    server.close();
    server.closeAllConnections();
  });

  const chat = (message: object, finish_reason = 'stop') => ({
    status: 200,
    body: { choices: [{ message, finish_reason }], usage: { prompt_tokens: 7, completion_tokens: 3 } },
  });
  const converse = (more: object = {}) =>
    client.send(
      new ConverseCommand({
        modelId: 'us.amazon.nova-2-lite-v1:0',
        system: [{ text: 'Be a judge.' }],
        messages: [{ role: 'user', content: [{ text: 'How good?' }] }],
        inferenceConfig: { maxTokens: 300, temperature: 0 },
        ...more,
      }),
    );
  const toolConfig = { tools: [{ toolSpec: { name: 'submit_verdict', inputSchema: { json: schema } } }] };

  it('asks the server the same, and a forced tool becomes a schema and comes back as a tool call', async () => {
    reply = chat({ content: '{"score": 0.5}' });
    const output = await converse({ toolConfig });
    expect(asked).toEqual({
      model: 'local-model',
      messages: [
        { role: 'system', content: 'Be a judge.' },
        { role: 'user', content: 'How good?' },
      ],
      max_tokens: 300,
      temperature: 0,
      response_format: { type: 'json_schema', json_schema: { name: 'submit_verdict', schema, strict: true } },
    });
    expect(key).toBe('Bearer k');
    expect(output.stopReason).toBe('tool_use');
    expect(output.output?.message?.content?.[0]?.toolUse).toMatchObject({
      name: 'submit_verdict',
      input: { score: 0.5 },
    });
    expect(output.usage).toMatchObject({ inputTokens: 7, outputTokens: 3, totalTokens: 10 });
  });

  it('text under a schema, and text that is no JSON, stay text', async () => {
    reply = chat({ content: '{"score": 1}' });
    const structure = { jsonSchema: { schema: JSON.stringify(schema), name: 'v' } };
    const asText = await converse({ outputConfig: { textFormat: { type: 'json_schema', structure } } });
    expect(asText.output?.message?.content).toEqual([{ text: '{"score": 1}' }]);
    reply = chat({ content: 'I think it is fine.' }, 'length');
    const prose = await converse({ toolConfig });
    expect(prose.output?.message?.content).toEqual([{ text: 'I think it is fine.' }]);
    expect(prose.stopReason).toBe('max_tokens');
  });

  it.each([
    { status: 429, name: 'ThrottlingException' },
    { status: 401, name: 'AccessDeniedException' },
    { status: 404, name: 'ResourceNotFoundException' },
    { status: 400, name: 'ValidationException' },
    { status: 500, name: 'ServiceUnavailableException' },
  ])('HTTP $status is a $name', async ({ status, name }) => {
    reply = { status, body: { error: { message: 'so it is' } } };
    await expect(converse()).rejects.toMatchObject({ name, message: 'so it is' });
  });

  it('an answer that is no chat completion, and a server that is not there, say so', async () => {
    reply = { status: 200, body: { hello: 'world' } };
    await expect(converse()).rejects.toThrow(/no chat completion/);
    server.close();
    server.closeAllConnections();
    await expect(converse()).rejects.toThrow(/ASSAY_JUDGE_URL.* cannot be reached/);
  });
});
