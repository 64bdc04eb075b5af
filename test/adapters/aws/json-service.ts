import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = { readonly body: unknown } | { readonly error: string; readonly status?: number };
type Input = Record<string, unknown>;

/** A service of the JSON protocol that answers what a test says. */
export class JsonService {
  readonly calls: { readonly operation: string; readonly input: Input }[] = [];
  answer: (operation: string, input: Input) => Answer = () => ({ error: 'NotPlanned' });
  private readonly server = createServer(async (incoming, outgoing) => {
    const operation = String(incoming.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
    const input = JSON.parse(await textOf(incoming)) as Input;
    this.calls.push({ operation, input });
    const answer = this.answer(operation, input);
    const failed = 'error' in answer;
    const body = failed ? { __type: answer.error, message: `it says ${answer.error}` } : answer.body;
    outgoing.writeHead(failed ? (answer.status ?? 400) : 200, { 'content-type': 'application/x-amz-json-1.1' });
    outgoing.end(JSON.stringify(body));
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
