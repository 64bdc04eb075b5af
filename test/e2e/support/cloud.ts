import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setLogSink } from '../../../lambdas/shared/log.ts';
import { unpackResult } from '../../../src/core/packed-result.ts';
import { readText } from '../../../src/core/read-text.ts';
import type { RowResult } from '../../../src/core/schemas/result.ts';
import type { RunSummary } from '../../../src/core/schemas/summary.ts';
import { type DevStack, type DevStackOptions, startDevStack } from '../../../src/dev/dev-stack.ts';

export interface GateAnswer {
  readonly gate: 'pending' | 'pass' | 'fail' | 'error';
  readonly reasons: readonly string[];
  readonly progress: { readonly done: number; readonly total: number };
  readonly runs: readonly {
    readonly run_id: string;
    readonly eval: string;
    readonly status: string;
    readonly message: string;
    readonly attempt: number;
  }[];
}

export interface StartedGate {
  readonly gate_run_id: string;
  readonly status_url: string;
  readonly runs: readonly { readonly run_id: string; readonly eval: string }[];
}

export interface HttpReply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the API answers
  readonly body: any;
}

const GATE_DEADLINE_MS = 60_000;

/** The dev stack in a folder of its own, called as a client would: over HTTP. */
export class Cloud {
  readonly stack: DevStack;
  readonly folder: string;
  private readonly secrets = new Map<string, string>();
  private projects = 0;

  private constructor(stack: DevStack, folder: string) {
    this.stack = stack;
    this.folder = folder;
  }

  static async start(options: Partial<DevStackOptions> = {}): Promise<Cloud> {
    setLogSink(() => {});
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'assay-e2e-')));
    // Retries of the workflow wait for seconds; here they only have to happen.
    const stack = await startDevStack({ port: 0, waitSpeed: 1_000, secretsFolder: folder, ...options, folder });
    return new Cloud(stack, folder);
  }

  async stop(): Promise<void> {
    await this.stack.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<HttpReply> {
    const isForm = body instanceof FormData;
    const reply = await fetch(this.stack.url + path, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${this.stack.token}`,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm || typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  async expect(status: number, method: string, path: string, body?: unknown): Promise<HttpReply['body']> {
    const reply = await this.call(method, path, body);
    if (reply.status !== status) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  /** A project of its own for each test. */
  async project(settings: Record<string, unknown> = {}): Promise<string> {
    this.projects += 1;
    const { id, webhook_secret } = await this.expect(201, 'POST', '/api/projects', {
      id: `p${this.projects}`,
      ...settings,
    });
    this.secrets.set(id, webhook_secret);
    return id;
  }

  secret(project: string): string {
    return this.secrets.get(project) ?? '';
  }

  async putDataset(project: string, name: string, rows: readonly object[], columns = {}): Promise<void> {
    const form = new FormData();
    form.set('name', name);
    form.set('columns', JSON.stringify(columns));
    form.set('file', new Blob([rows.map((row) => JSON.stringify(row)).join('\n')]), `${name}.jsonl`);
    const reply = await this.call('POST', `/api/datasets/project/${project}`, form);
    if (reply.status !== 201 && reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  }

  async putEval(project: string, config: { name: string } & Record<string, unknown>): Promise<void> {
    const reply = await this.call('PUT', `/api/evals/${project}.${config.name}`, config);
    if (reply.status >= 300) throw new Error(JSON.stringify(reply.body));
  }

  async trigger(project: string, body: object = {}, headers: Record<string, string> = {}): Promise<StartedGate> {
    const all = { 'x-webhook-secret': this.secret(project), ...headers };
    const reply = await this.call('POST', `/api/runs/webhook/${project}`, body, all);
    if (reply.status !== 202) throw new Error(`webhook: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body as StartedGate;
  }

  async gate(project: string, started: StartedGate): Promise<GateAnswer> {
    const reply = await this.call('GET', started.status_url, undefined, { 'x-webhook-secret': this.secret(project) });
    if (reply.status !== 200) throw new Error(`gate: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body as GateAnswer;
  }

  async finalGate(project: string, started: StartedGate): Promise<GateAnswer> {
    const endsAt = Date.now() + GATE_DEADLINE_MS;
    for (;;) {
      const gate = await this.gate(project, started);
      if (gate.gate !== 'pending') return gate;
      if (Date.now() > endsAt) throw new Error(`the gate is still pending: ${JSON.stringify(gate)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Starts the project's evals, waits for the gate and for everything that follows it. */
  async run(project: string, body: object = {}): Promise<{ gate: GateAnswer; runId: string; started: StartedGate }> {
    const started = await this.trigger(project, body);
    // Polling meanwhile would cost more than the run.
    for (const { run_id } of started.runs) await this.stack.workflow.settled(run_id);
    const gate = await this.finalGate(project, started);
    return { gate, started, runId: started.runs[0]?.run_id ?? '' };
  }

  async summary(project: string, runId: string): Promise<RunSummary> {
    const chunks = await this.stack.ports.runs(project).read(runId, 'summary.json');
    if (chunks === null) throw new Error(`run ${runId} has no summary`);
    return JSON.parse(await readText(chunks)) as RunSummary;
  }

  /** Every line of every part, as they lie in the bucket. */
  async results(runId: string): Promise<RowResult[]> {
    const run = await this.stack.ports.registry.getRun(runId);
    if (run === null) throw new Error(`there is no run ${runId}`);
    const ref = { runId, project: run.project, startedAt: run.started_at };
    const results: RowResult[] = [];
    for await (const chunks of this.stack.ports.parts.reader(ref).read(runId)) {
      for (const line of (await readText(chunks)).split('\n'))
        if (line !== '') results.push(unpackResult(JSON.parse(line)));
    }
    return results.sort((a, b) => a.index - b.index || a.trial - b.trial || a.target.localeCompare(b.target));
  }
}

/** An eval of type qa that needs no judge model: the answer must hold the expected text. */
export function qaEval(url: string, more: Record<string, unknown> = {}): { name: string } & Record<string, unknown> {
  return {
    name: 'faq',
    type: 'qa',
    dataset: 'faq',
    targets: [{ type: 'http', url, body_template: { question: '{{input}}' }, response_path: 'answer', retries: 0 }],
    scorers: ['contains'],
    thresholds: { pass_rate: 0.8 },
    ...more,
  };
}

/** Rows «question n» whose right answer is «answer n». */
export function qaRows(count: number): { id: string; input: string; expected: string }[] {
  return Array.from({ length: count }, (_, n) => ({ id: `row-${n}`, input: `question ${n}`, expected: `answer ${n}` }));
}

/** The right answer to a question of `qaRows`. */
export function rightAnswer(question: string): string {
  return `It is ${question.replace('question', 'answer')}.`;
}
