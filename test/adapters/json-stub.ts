import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any form
  readonly body: any;
}
export interface StubReply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  /** Text and bytes go as they are, an async iterable chunk by chunk, anything else as JSON. */
  readonly body: unknown;
}
/** What to reply, or null to break the connection, or 'hang' to never reply. */
export type Answering = (request: StubRequest, number: number) => StubReply | null | 'hang' | Promise<StubReply>;

/** A JSON server over HTTP/1.1 on this machine, which keeps what it was asked. */
export class JsonStub {
  readonly requests: StubRequest[] = [];
  connections = 0;
  answering: Answering;
  readonly #server: Server;

  constructor(answering: Answering) {
    this.answering = answering;
    this.#server = createServer(async (incoming, outgoing) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const request = { path: incoming.url ?? '', headers: incoming.headers, body };
      this.requests.push(request);
      const reply = await this.answering(request, this.requests.length - 1);
      if (reply === null) return incoming.socket.destroy();
      if (reply === 'hang') return;
      outgoing.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      if (!isChunks(reply.body)) return outgoing.end(isRaw(reply.body) ? reply.body : JSON.stringify(reply.body));
      try {
        for await (const chunk of reply.body) outgoing.write(chunk);
        outgoing.end();
      } catch {
        incoming.socket.destroy(); // a body that throws breaks off
      }
    });
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function isRaw(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

function isChunks(body: unknown): body is AsyncIterable<string | Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
