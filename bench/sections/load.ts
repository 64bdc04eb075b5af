import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Answered, awaitGates, type LoadedApp, pollGates, postAtOnce } from '../load-calls.ts';
import { fixed, table } from '../numbers.ts';
import type { Section } from '../section.ts';

const launcher = fileURLToPath(new URL('../../bin/assay.js', import.meta.url));
const POSTS = 200;
const DELIVERIES = 100;
const POLLS = 2_000;
const POLLS_AT_ONCE = 50;
const DEADLINE_MS = 600_000;

/** The whole application under load: `assay dev` in a process of its own, its handlers, workflow and emulators in it. */
export const load: Section = async ({ progress }) => {
  const target = await startTarget();
  const dev = await startDev();
  try {
    const app = await prepare(dev, target.url);
    progress(`${POSTS} webhook calls at once`);
    const posted = await postAtOnce(app, { posts: POSTS, deliveries: DELIVERIES });
    const gates = posted.map((answers) => answers[0]?.gateRunId ?? '');
    progress(`${POLLS} status polls`);
    const polled = await pollGates(app, gates, { polls: POLLS, atOnce: POLLS_AT_ONCE });
    progress('until every gate is final');
    const startedAt = performance.now();
    const ends = await awaitGates(app, gates, DEADLINE_MS);
    const restS = (performance.now() - startedAt) / 1_000;
    const calls = posted.flat();
    const wrong =
      calls.filter(({ status }) => status !== 202).length +
      polled.filter(({ status }) => status !== 200).length +
      ends.filter((gate) => gate !== 'pass').length;
    const asked = target.total();
    const putOff = [...calls, ...polled].reduce((sum, answered) => sum + answered.putOff, 0);
    const isRight = wrong === 0 && new Set(calls.map(({ gateRunId }) => gateRunId)).size === DELIVERIES;
    const rows = [
      ofCalls(`webhook, ${POSTS} at once, each delivery twice`, calls),
      ofCalls(`gate status, ${POLLS_AT_ONCE} at once, ${fixed(POLLS, 0)} in all, runs under way`, polled),
    ];
    return {
      text: `${table(['what', 'p50 ms', 'p95 ms', 'most ms'], rows)}\n\n${DELIVERIES} runs of 2 rows came of it, ${asked} questions to the target; ${putOff} calls were put off (5xx) and asked again; every gate passed ${restS.toFixed(1)} s after the last poll. One process does all of it here, table and bucket included: what a deployed app takes is for a deployed app to show.`,
      aims: [
        {
          what: `${POSTS} webhook calls, ${fixed(POLLS, 0)} polls`,
          aim: 'no wrong answer, one run a delivery',
          measured: `${wrong} wrong, ${asked / 2} runs of ${DELIVERIES} deliveries`,
          met: isRight && asked === DELIVERIES * 2,
        },
      ],
    };
  } finally {
    dev.stop();
    target.close();
  }
};

function ofCalls(what: string, calls: readonly Answered[]): string[] {
  const sorted = calls.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number) => fixed(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN, 0);
  return [what, at(0.5), at(0.95), at(1)];
}

async function startTarget(): Promise<{ url: string; total(): number; close(): void }> {
  let total = 0;
  const server = createServer((request, response) => {
    total += 1;
    request.resume().on('end', () => response.end('{"answer":"Hello"}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, total: () => total, close: () => server.close() };
}

interface Dev {
  readonly url: string;
  readonly token: string;
  stop(): void;
}

async function startDev(): Promise<Dev> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-load-'));
  const port = String(await freePort());
  const child = spawn(process.execPath, [launcher, 'dev', '--dir', folder, '--port', port], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', stop);
  let out = '';
  for await (const chunk of child.stdout) {
    out += chunk;
    if (out.includes('Ctrl-C stops it.')) break;
  }
  const find = (name: string) => new RegExp(`${name} +(\\S+)`).exec(out)?.[1] ?? '';
  if (find('API') === '') throw new Error(`assay dev did not start: ${out}`);
  return { url: find('API'), token: find('token'), stop };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function prepare({ url, token }: Dev, target: string): Promise<LoadedApp> {
  const authorization = `Bearer ${token}`;
  const send = async (path: string, body: string | FormData) => {
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const reply = await fetch(url + path, { method: 'POST', headers: { authorization, ...type }, body });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as { webhook_secret: string };
  };
  const { webhook_secret: secret } = await send('/api/projects', '{"id":"load"}');
  const form = new FormData();
  form.set('file', new Blob(['input,expected\nHi,Hello\nHey,Hello\n']), 'faq.csv');
  await send('/api/datasets/project/load', form);
  const config = { name: 'faq', type: 'qa', dataset: 'faq', scorers: ['contains'] };
  const asks = { url: target, body_template: { question: '{{input}}' }, response_path: 'answer' };
  await send('/api/evals/project/load', JSON.stringify({ ...config, target: asks }));
  return { url, project: 'load', secret };
}
