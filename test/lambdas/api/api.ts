import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Context } from 'aws-lambda';
import { beforeEach, vi } from 'vitest';
import { createHandler } from '../../../lambdas/api/handler.ts';
import type { ApiPorts, ReportPage } from '../../../lambdas/api/ports.ts';
import { ROUTES, routeKey } from '../../../lambdas/routes.ts';
import type { HttpResponse } from '../../../lambdas/shared/http-response.ts';
import { writtenFaults } from '../../../src/adapters/http/written-faults.ts';
import { unpackDataset } from '../../../src/adapters/local/dataset-file.ts';
import { MemoryCalibrations } from '../../../src/adapters/memory/memory-calibrations.ts';
import { MemoryDatasetStore } from '../../../src/adapters/memory/memory-dataset-store.ts';
import { MemoryRegistry } from '../../../src/adapters/memory/memory-registry.ts';
import { MemoryResultParts } from '../../../src/adapters/memory/memory-result-parts.ts';
import { MemoryRowIndex } from '../../../src/adapters/memory/memory-row-index.ts';
import { MemoryRunEvents } from '../../../src/adapters/memory/memory-run-events.ts';
import { MemoryRunSlots } from '../../../src/adapters/memory/memory-run-slots.ts';
import { MemoryRunStore } from '../../../src/adapters/memory/memory-run-store.ts';
import { MemorySchedules } from '../../../src/adapters/memory/memory-schedules.ts';
import { MemorySystemSecrets } from '../../../src/adapters/memory/memory-system-secrets.ts';
import { MemoryWorkflow } from '../../../src/adapters/memory/memory-workflow.ts';
import { parseEval } from '../../../src/core/config/parse-eval.ts';
import type { CompactRequest } from '../../../src/core/schemas/compaction.ts';
import type { IngestRequest } from '../../../src/core/schemas/ingest.ts';
import type { RunRecord } from '../../../src/core/schemas/registry.ts';
import type { Outcome } from '../../../src/core/schemas/result.ts';
import { ingestDataset } from '../../../src/use-cases/manage/ingest-dataset.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';
import { finishedRun, runConfig } from '../../report/finished-run.ts';

export const TOKEN = 'first-token';
export const SECRET = 'demo-webhook-secret-A1';
export const LINK_KEY = 'demo-key-of-links-A1';
export const START_MS = Date.UTC(2026, 10, 30, 10);

export interface Call {
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  readonly query?: string;
  readonly base64?: boolean;
}

/** What the handler logs, kept out of the report of the tests. */
export const logged: unknown[] = [];
beforeEach(() => {
  logged.length = 0;
  for (const level of ['warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((line: unknown) => void logged.push(line));
  }
});

/** The API over ports in this process, called as API Gateway calls it. */
export class TestApi {
  readonly clock = new VirtualClock(START_MS);
  readonly registry = new MemoryRegistry(this.clock);
  readonly slots = new MemoryRunSlots();
  readonly events = new MemoryRunEvents();
  readonly workflow = new MemoryWorkflow();
  readonly schedules = new MemorySchedules();
  readonly systemSecrets = new MemorySystemSecrets(TOKEN);
  readonly datasets = new MemoryDatasetStore();
  readonly parts = new MemoryResultParts();
  readonly rowIndex = new MemoryRowIndex();
  readonly files = new MemoryRunStore();
  private readonly calibrated = new Map<string, MemoryCalibrations>();
  /** Of one project: kept apart, as every adapter does. */
  readonly calibrations = (project: string): MemoryCalibrations => {
    const known = this.calibrated.get(project) ?? new MemoryCalibrations();
    this.calibrated.set(project, known);
    return known;
  };
  readonly ingestions: IngestRequest[] = [];
  readonly compactions: CompactRequest[] = [];
  readonly reports = new Map<string, ReportPage>();
  private random = 0;
  private readonly handler;

  constructor(changes: Partial<ApiPorts> = {}) {
    this.handler = createHandler({ ...this.ports(), ...changes });
  }

  /** `path` as a client sends it; parameters are cut out of it as the gateway does. */
  call(method: string, path: string, call: Call = {}): Promise<Answer> {
    const { key, parameters } = findRoute(method, path);
    return this.send({
      version: '2.0',
      routeKey: key,
      rawPath: path,
      rawQueryString: call.query ?? '',
      headers: call.headers ?? {},
      pathParameters: parameters,
      body: bodyOf(call),
      isBase64Encoded: call.base64 ?? call.body instanceof Uint8Array,
      requestContext: { http: { method, path } },
    });
  }

  /** A management call with the token. */
  manage(method: string, path: string, json?: unknown, call: Call = {}): Promise<Answer> {
    const headers = { authorization: `Bearer ${TOKEN}`, ...call.headers };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    return this.call(method, path, { ...call, ...body, headers });
  }

  async upload(project: string, fields: Record<string, string | File>): Promise<Answer> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const encoded = new Response(form);
    const type = encoded.headers.get('content-type') ?? '';
    const body = new Uint8Array(await encoded.arrayBuffer());
    return this.manage('POST', `/api/datasets/project/${project}`, undefined, {
      headers: { 'content-type': type },
      body,
    });
  }

  async send(event: unknown): Promise<Answer> {
    const response = (await this.handler(event, {} as Context)) as HttpResponse;
    return new Answer(response);
  }

  /** Does what `ingest-dataset` would with everything handed to it so far. */
  async ingestAll(): Promise<void> {
    const unpack = (chunks: AsyncIterable<Uint8Array>, name: string) => unpackDataset(chunks, name);
    for (const request of this.ingestions.splice(0)) await ingestDataset(request, { ...this, unpack });
  }

  /** A project `shop` with its secret, a dataset and the named active evals. */
  async seed(evals: readonly string[] = ['faq']): Promise<void> {
    await this.manage('POST', '/api/projects', { id: 'shop' });
    await this.systemSecrets.putWebhook('shop', { current: SECRET });
    await this.systemSecrets.putReportLinks({ current: LINK_KEY });
    await this.upload('shop', { file: csv('input,expected\nHi,Hello\n'), name: 'faq' });
    for (const name of evals) await this.manage('POST', '/api/evals/project/shop', evalNamed(name));
  }

  async startRun(): Promise<{ runId: string; gateId: string }> {
    const { json } = await this.call('POST', '/api/runs/webhook/shop', { headers: { 'x-webhook-secret': SECRET } });
    return { runId: json.runs[0].run_id, gateId: json.gate_run_id };
  }

  /** The run is over, with these outcomes, as its last state would have left it. */
  async finishRun(
    runId: string,
    outcomes: readonly Partial<Outcome>[] = [{}],
    status: RunRecord['status'] = 'passed',
  ): Promise<void> {
    const lines = outcomes.map((outcome, index) => ({
      row_id: `row-${index}`,
      content: 'c'.repeat(16),
      status: 'scored',
      passed: true,
      score: 1,
      ...outcome,
    }));
    const summary = finishedRun({ run_id: runId, status, eval: 'faq' });
    await this.files.write(
      runId,
      'config.json',
      JSON.stringify({ ...runConfig(), eval: parseEval(evalNamed('faq')), run_id: runId }),
    );
    await this.files.write(runId, 'summary.json', JSON.stringify(summary));
    const packed = gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await this.files.write(runId, 'outcomes.jsonl.gz', packed);
    await this.registry.updateRun(runId, ['queued', 'running'], { status, score: 1, pass_rate: 1 });
  }

  private ports(): ApiPorts {
    return {
      registry: this.registry,
      slots: this.slots,
      events: this.events,
      runLimits: { maxConcurrentRuns: null, maxQueuedRuns: 3 },
      runs: () => this.files,
      parts: this.parts,
      rowIndex: this.rowIndex,
      calibrations: this.calibrations,
      datasets: this.datasets,
      clock: this.clock,
      workflow: this.workflow,
      schedules: this.schedules,
      systemSecrets: this.systemSecrets,
      ingestion: { start: async (request) => void this.ingestions.push(request) },
      compaction: { start: async (request) => void this.compactions.push(request) },
      auth: 'token',
      writtenFaults: (config) => writtenFaults(config, { loopback: false }),
      randomBytes: (count) => {
        this.random += 1;
        return Buffer.alloc(count, this.random);
      },
      unpack: unpackDataset,
      consoleFiles: async () =>
        new Map([
          ['index.html', '<!doctype html>'],
          ['closed.html', 'closed'],
          ['app.js', 'run()'],
        ]),
      openReport: async (_project, runId, file) =>
        this.reports.get(file === 'report.html' ? runId : `${runId} ${file}`) ?? null,
      reportLinkDays: 7,
    };
  }
}

export class Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  constructor(response: HttpResponse) {
    this.status = response.statusCode;
    this.headers = response.headers;
    this.text = response.body;
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever JSON came
  get json(): any {
    return JSON.parse(this.text);
  }
}

export function csv(text: string, name = 'faq.csv'): File {
  return new File([text], name, { type: 'text/csv' });
}

export function evalNamed(name: string, changes: object = {}) {
  return {
    name,
    type: 'qa',
    dataset: 'faq',
    target: { url: 'https://bot.example.com/answer' },
    scorers: ['contains'],
    ...changes,
  };
}

/** `X-Assay-…` headers over the exact bytes. */
export function signed(body: string, options: { secret?: string; atMs?: number } = {}): Record<string, string> {
  const timestamp = String(Math.floor((options.atMs ?? START_MS) / 1000));
  const mac = createHmac('sha256', options.secret ?? SECRET)
    .update(`${timestamp}.${body}`)
    .digest('hex');
  return { 'x-assay-timestamp': timestamp, 'x-assay-signature': `sha256=${mac}` };
}

function bodyOf({ body }: Call): string | undefined {
  return body instanceof Uint8Array ? Buffer.from(body).toString('base64') : body;
}

function findRoute(method: string, path: string): { key: string; parameters: Record<string, string> } {
  const segments = path.split('/');
  const matching = ROUTES.flatMap((route) => {
    const wanted = route.path.split('/');
    if (route.method !== method || wanted.length !== segments.length) return [];
    const variables = wanted.flatMap((part, at) =>
      part.startsWith('{') ? [[part.slice(1, -1), segments[at] ?? '']] : [],
    );
    const fits = wanted.every((part, at) => part.startsWith('{') || part === segments[at]);
    return fits ? [{ key: routeKey(route), parameters: Object.fromEntries(variables) as Record<string, string> }] : [];
  });
  const [best] = matching.sort((a, b) => Object.keys(a.parameters).length - Object.keys(b.parameters).length);
  return best ?? { key: '$default', parameters: {} };
}
