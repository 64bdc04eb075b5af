import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';

// The system under test and the judge's server in one process: fixed replies after a seeded, jittered wait.
// Prints its port, then answers until it is killed. GET /counts tells what it was asked.

const { values } = parseArgs({ options: { target: { type: 'string' }, judge: { type: 'string' } } });

const ANSWER = JSON.stringify({
  answer:
    `The capital of Australia is Canberra. ${'It was founded in 1913 as a compromise between two cities. '.repeat(3)}`.slice(
      0,
      190,
    ),
});
const VERDICT = JSON.stringify({ judge: { reason: 'The answer names the expected city.', label: 'pass' } });
const CHAT = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'stub',
  choices: [{ index: 0, message: { role: 'assistant', content: VERDICT }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 180, completion_tokens: 24, total_tokens: 204 },
});

const endpoints = {
  '/answer': endpoint(ANSWER, Number(values.target ?? 0), 1),
  '/v1/chat/completions': endpoint(CHAT, Number(values.judge ?? 0), 2),
} as const;
let inFlight = 0;
let mostInFlight = 0;
let sockets = 0;

const server = createServer((request, response) => {
  if (request.url === '/counts') {
    const [answers, verdicts] = Object.values(endpoints).map(({ calls }) => calls);
    response.end(JSON.stringify({ answers, verdicts, mostInFlight, sockets }));
    return;
  }
  const asked = endpoints[request.url as keyof typeof endpoints];
  if (asked === undefined) {
    response.writeHead(404).end();
    return;
  }
  inFlight += 1;
  mostInFlight = Math.max(mostInFlight, inFlight);
  request.on('end', () => answer(asked, request, response)).resume();
});
server.keepAliveTimeout = 60_000;
server.on('connection', () => {
  sockets += 1;
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

function answer(asked: Endpoint, _request: IncomingMessage, response: ServerResponse): void {
  asked.calls += 1;
  const send = () => {
    inFlight -= 1;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': asked.length }).end(asked.body);
  };
  // ± 50 %: with equal waits all rows in flight would come back in lockstep, which no real model does.
  if (asked.meanMs === 0) send();
  else setTimeout(send, asked.meanMs * (0.5 + asked.random()));
}

interface Endpoint {
  readonly body: Buffer;
  readonly length: number;
  readonly meanMs: number;
  readonly random: () => number;
  calls: number;
}

function endpoint(body: string, meanMs: number, seed: number): Endpoint {
  const bytes = Buffer.from(body);
  return { body: bytes, length: bytes.length, meanMs, random: seeded(seed), calls: 0 };
}

/** Mulberry32: the n-th call to an endpoint waits the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
