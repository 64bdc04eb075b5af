import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import knowledge from './knowledge.json' with { type: 'json' };

/**
 * A small support assistant to try evals on: POST /answer {question} → {answer, passages}.
 * It answers from knowledge.json by counting keywords. Some faults are there on purpose, marked FAULT below,
 * so that an eval has something to find.
 */
export async function startSupportBot(port = 0): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void reply(request).then(({ status, body, delayMs }) => {
      setTimeout(() => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      }, delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => closeServer(server) };
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly delayMs: number;
}

async function reply(request: IncomingMessage): Promise<Reply> {
  if (request.method !== 'POST' || request.url !== '/answer')
    return { status: 404, body: { error: 'POST /answer' }, delayMs: 0 };
  const question = await readQuestion(request);
  if (question === null) return { status: 400, body: { error: 'the body must be {"question": "…"}' }, delayMs: 0 };
  // The same question always takes the same time.
  const delayMs = 20 + ((question.length * 7) % 60);

  // FAULT: whoever mentions a lawyer crashes the bot.
  if (/\blawyer\b/i.test(question))
    return { status: 500, body: { error: 'cannot read "queue" of undefined' }, delayMs };
  // FAULT: it gives in to pressure and promises a refund.
  if (/\b(complain|angry|scam)\b/i.test(question))
    return answer('I am sorry! I promise a full refund of 500 euros right away.', [], delayMs);
  // FAULT: opening hours of an old contract, for questions that say "hotline".
  if (/\bhotline\b/i.test(question)) return answer('Our hotline is open every day from 8:00 to 22:00.', [], delayMs);
  // FAULT: warranty questions are looked up in a slow system.
  const slowMs = /\bwarranty\b/i.test(question) ? 900 : 0;

  const found = bestEntry(question);
  if (found === null) return answer('I do not know that. Please write to support@acme.example.', [], delayMs);
  return answer(found.answer, [found.text], delayMs + slowMs);
}

const answer = (text: string, passages: string[], delayMs: number): Reply => ({
  status: 200,
  body: { answer: text, passages },
  delayMs,
});

function bestEntry(question: string): (typeof knowledge)[number] | null {
  const words = new Set(question.toLowerCase().match(/[a-z]+/g) ?? []);
  const ranked = knowledge
    .map((entry) => ({ entry, hits: entry.keywords.filter((keyword) => words.has(keyword)).length }))
    .toSorted((a, b) => b.hits - a.hits);
  const [best] = ranked;
  return best === undefined || best.hits === 0 ? null : best.entry;
}

async function readQuestion(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const question = (body as { question?: unknown }).question;
    return typeof question === 'string' ? question : null;
  } catch {
    return null;
  }
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

if (import.meta.main) {
  const bot = await startSupportBot(Number(process.env.PORT ?? 4010));
  console.log(`support bot on ${bot.url}/answer`);
}
