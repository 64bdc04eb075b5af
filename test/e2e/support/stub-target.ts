import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubReply {
  /** @default 200 */
  readonly status?: number;
  readonly answer?: string;
  /** Other fields of the body. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Answered when this resolves. */
  readonly after?: Promise<unknown>;
  /** @default 0 */
  readonly delayMs?: number;
}

export interface StubTarget {
  readonly url: string;
  /** Calls by the question asked. */
  readonly calls: Map<string, number>;
  total(): number;
  /** Most requests open at once. */
  mostOpen(): number;
  reset(): void;
  close(): Promise<void>;
}

/** A system under test: POST {question} → {answer}. `answer` sees the question, how often it came and the path. */
export async function startStubTarget(
  answer: (question: string, call: number, path: string) => StubReply,
): Promise<StubTarget> {
  const calls = new Map<string, number>();
  let open = 0;
  let most = 0;
  const server = createServer(async (request, response) => {
    open += 1;
    most = Math.max(most, open);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { question } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { question: string };
    const call = (calls.get(question) ?? 0) + 1;
    calls.set(question, call);
    const reply = answer(question, call, request.url ?? '/');
    await reply.after;
    if (reply.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, reply.delayMs));
    open -= 1;
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(JSON.stringify({ answer: reply.answer ?? '', ...reply.more }));
  });
  const url = await listen(server);
  return {
    url,
    calls,
    total: () => [...calls.values()].reduce((sum, count) => sum + count, 0),
    mostOpen: () => most,
    reset: () => {
      calls.clear();
      most = 0;
    },
    close: () => closeServer(server),
  };
}

export function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
