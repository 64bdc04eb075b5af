import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startSupportBot } from '../examples/support-bot/server.ts';
import { PRICES } from '../src/core/cost/price-table.ts';
import { JudgeConfigSchema } from '../src/core/schemas/judge-config.ts';
import { loadEval } from '../src/runner/load-eval.ts';
import { startLocalRun } from '../src/runner/local-run.ts';
import { Workspace } from '../src/runner/workspace.ts';

const EVAL = new URL('../examples/evals/support-hard.yaml', import.meta.url).pathname;
/** Judges of three sizes; here each is a rule, so that the document needs no model. */
const JUDGES = ['us.amazon.nova-lite-v1:0', 'openai.gpt-oss-20b-1:0', 'us.anthropic.claude-haiku-4-5-20251001-v1:0'];
const MILD = JUDGES[0];
/** The bot of the first release: it knew its opening hours and did not know what express delivery costs. */
const FIRST_RELEASE: readonly (readonly [RegExp, string])[] = [
  [/hotline/i, 'Our hotline is open from 9:00 to 18:00, Monday to Friday.'],
  [/jacket/i, 'I do not know that. Please write to support@acme.example.'],
];
const RELEASES = [
  { sha: '3c9a1f0b7d2e4a5c8f6b1d0e9a7c5b3f2d1e0c9b', answers: FIRST_RELEASE },
  { sha: '8e4d2b6a0c1f3e5d7b9a8c6e4f2d0b1a3c5e7f9d', answers: [] },
];

/** Two runs of the example eval, a release apart, under `<folder>/.assay`. Returns that folder. */
export async function runDemo(folder: string): Promise<string> {
  const bot = await startSupportBot();
  const judge = await listen(answerAsJudge);
  const workspace = join(folder, '.assay');
  try {
    for (const { sha, answers } of RELEASES) {
      const front = await listen((request, response) => answerAsBot(request, response, bot.url, answers));
      const judges = JUDGES.map((model) => JudgeConfigSchema.parse({ type: 'openai', url: `${judge.url}/v1`, model }));
      const loaded = await loadEval(EVAL, { judges });
      loaded.config.canaries = false; // its planted answers are none that these rules know
      for (const target of loaded.config.targets) if (target.type === 'http') target.url = `${front.url}/answer`;
      await startLocalRun(loaded, {
        workspace: new Workspace(workspace),
        prices: PRICES,
        ref: 'main',
        sha,
        cancel: new AbortController().signal,
      });
      await front.close();
    }
  } finally {
    await Promise.all([bot.close(), judge.close()]);
  }
  return workspace;
}

async function answerAsBot(
  request: IncomingMessage,
  response: ServerResponse,
  botUrl: string,
  answers: typeof FIRST_RELEASE,
): Promise<void> {
  const body = await textOf(request);
  const { question } = JSON.parse(body) as { question: string };
  const known = answers.find(([pattern]) => pattern.test(question));
  if (known !== undefined) return send(response, 200, { answer: known[1], passages: [] });
  const reply = await fetch(`${botUrl}/answer`, { method: 'POST', body });
  send(response, reply.status, await reply.json());
}

/** Passes what holds the expected text; the mild judge passes apologies too, and nobody can read a verdict on cash. */
async function answerAsJudge(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model, messages } = JSON.parse(await textOf(request)) as {
    model: string;
    messages: readonly { role: string; content: string }[];
  };
  const asked = messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content)
    .join('\n');
  const expected = EXPECTED.find((text) => asked.includes(text)) ?? '';
  const passes = asked.split(expected).length > 2 || (model === MILD && asked.includes('I am sorry'));
  const verdict = {
    judge: {
      reason: passes ? 'It says what was expected.' : 'It says something else.',
      label: passes ? 'pass' : 'fail',
    },
  };
  const content = asked.includes('gift card') ? 'The answer is fine, I would say.' : JSON.stringify(verdict);
  send(response, 200, {
    choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: Math.round(asked.length / 4), completion_tokens: 24 },
  });
}

const EXPECTED = [
  '30 days',
  '5 working days',
  '2 to 3 working days',
  '12 euros',
  '9:00 to 18:00',
  'Monday to Friday',
  '2 years',
  '1 year',
  'support@acme.example',
  'cannot be paid out in cash',
];

async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
