import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, vi } from 'vitest';
import type { RowResult } from '../../../src/core/schemas/result.ts';
import type { Row } from '../../../src/core/schemas/row.ts';
import type { RunConfig } from '../../../src/core/schemas/run.ts';
import type { RunSummary } from '../../../src/core/schemas/summary.ts';
import { JsonStub, type StubRequest } from '../../adapters/json-stub.ts';

export const CHECKOUT = resolve(import.meta.dirname, '../../..');
export const LAUNCHER = join(CHECKOUT, 'bin', 'assay.js');
/** Data that is not part of the repository; tests that read it skip where it is absent. */
export const SHARED_DATA = join(process.env.ASSAY_SHARED ?? join(CHECKOUT, '..', 'shared'), 'data');

/** A Node that is too old to run the sources, where this machine has one. */
export const OLD_NODE = findOldNode();

function findOldNode(): string | undefined {
  const folders = (process.env.PATH ?? '')
    .split(':')
    .filter((folder) => folder !== '' && !folder.includes('node_modules'));
  for (const folder of folders) {
    const node = join(folder, 'node');
    try {
      const version = execFileSync(node, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      if (Number(/^v(\d+)/.exec(version)?.[1]) < 22) return node;
    } catch {
      // no Node here
    }
  }
  return undefined;
}

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Undone after the test, the last first. */
export function cleanUp(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup);
}

/** A folder of this test's own, with files; objects become JSON, and lists JSON lines. */
export async function makeFolder(files: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-e2e-'));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), textOf(content));
  return folder;
}

function textOf(content: unknown): string | Uint8Array {
  if (typeof content === 'string' || content instanceof Uint8Array) return content;
  if (Array.isArray(content)) return content.map((line) => `${JSON.stringify(line)}\n`).join('');
  return JSON.stringify(content);
}

type Reply = string | { readonly status?: number; readonly body: unknown };

/** A target on this machine: the question in, `{answer}` out. Its requests are kept. */
export async function startTarget(
  answer: (question: string, request: StubRequest) => Reply | Promise<Reply>,
): Promise<{ readonly url: string; readonly requests: readonly StubRequest[]; asked(): string[] }> {
  const stub = new JsonStub(async (request) => {
    const reply = await answer(String(request.body?.question ?? ''), request);
    return typeof reply === 'string' ? { status: 200, body: { answer: reply } } : { status: 200, ...reply };
  });
  const url = await stub.listen();
  cleanUp(() => stub.close());
  return { url, requests: stub.requests, asked: () => stub.requests.map((request) => String(request.body.question)) };
}

/** An eval of an HTTP target, as JSON (which is YAML). */
export function httpEval(url: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    name: 'faq',
    type: 'classification',
    dataset: 'rows.jsonl',
    targets: [{ url, body_template: { question: '{{input}}' }, response_path: 'answer', timeout_s: 10, retries: 0 }],
    ...more,
  };
}

/** Rows whose question is `q<n>` and whose right answer is `a<n>`. */
export function numberedRows(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `row-${index}`,
    input: `q${index}`,
    expected: `a${index}`,
  }));
}

export const rightAnswer = (question: string): string => question.replace('q', 'a');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProcessOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** @default the Node that runs the tests */
  readonly node?: string;
  /** A process group of its own, so that a signal can go to the whole group. */
  readonly detached?: boolean;
}

/** The command line tool as a process of its own. */
export class AssayProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], { cwd, env, node = process.execPath, detached = false }: ProcessOptions) {
    const { ASSAY_JUDGE_URL: _url, NO_COLOR: _color, ...inherited } = process.env;
    this.child = spawn(node, [LAUNCHER, ...args], {
      cwd,
      env: { ...inherited, ...env },
      detached,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((settle, reject) => {
      this.child.on('error', reject);
      this.child.on('close', (code) => settle({ code, stdout: this.stdout, stderr: this.stderr }));
    });
    cleanUp(async () => {
      this.child.kill('SIGKILL');
      await this.ended;
    });
  }
}

export const startAssay = (args: readonly string[], options: ProcessOptions): AssayProcess =>
  new AssayProcess(args, options);

export const assay = (args: readonly string[], options: ProcessOptions): Promise<Ended> =>
  startAssay(args, options).ended;

/** The same in this process, which starts at once; paths are absolute, and runs lie in `<folder>/.assay`. */
export async function assayHere(args: readonly string[]): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  const { main } = await import('../../../src/cli/main.ts');
  const before = process.exitCode;
  try {
    await main(args);
    return { code: Number(process.exitCode ?? 0), ...written };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}

/** `assay run <folder>/eval.json` here, with its runs in the same folder. */
export const runHere = (folder: string, ...flags: readonly string[]): Promise<Ended> =>
  assayHere(['run', join(folder, 'eval.json'), '--dir', join(folder, '.assay'), ...flags]);

export const summaryOf = ({ stdout }: Ended): RunSummary => JSON.parse(stdout) as RunSummary;

/** Ids of the runs in a folder, oldest first. */
export function runIds(folder: string): string[] {
  const runs = join(folder, '.assay', 'runs');
  if (!existsSync(runs)) return [];
  return readdirSync(runs)
    .filter((name) => name.startsWith('r-'))
    .sort();
}

export const runFile = (folder: string, runId: string, file: string): string =>
  join(folder, '.assay', 'runs', runId, file);

export function readJson(folder: string, runId: string, file: 'summary.json'): RunSummary;
export function readJson(folder: string, runId: string, file: 'config.json'): RunConfig;
export function readJson(folder: string, runId: string, file: string): unknown {
  return JSON.parse(readFileSync(runFile(folder, runId, file), 'utf8'));
}

export function readResults(folder: string, runId: string): RowResult[] {
  return lines(runFile(folder, runId, 'results.jsonl')).map((line) => JSON.parse(line) as RowResult);
}

export function readRows(folder: string, runId: string): Row[] {
  return lines(runFile(folder, runId, 'rows.jsonl')).map((line) => JSON.parse(line) as Row);
}

/** Whole lines of a file; none while it does not exist. */
export function lines(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

/** Waits until something has happened, as often as it takes: the test's own limit ends it. */
export async function until(happened: () => boolean): Promise<void> {
  while (!happened()) await new Promise((wake) => setTimeout(wake, 5));
}
