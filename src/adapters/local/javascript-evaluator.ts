import { Worker } from 'node:worker_threads';
import type { JsonObject } from '../../core/json.ts';
import { readExpressionValue } from '../../core/scoring/checks/javascript.ts';
import type { ExpressionResult } from '../../core/scoring/checks/text-check.ts';
import type { ExpressionEvaluator, ExpressionRequest } from '../../ports/expressions.ts';
import { EXPRESSION_WORKER } from './expression-worker.ts';

export interface JavaScriptEvaluatorOptions {
  /** Of one expression on one answer. @default 1000 */
  readonly timeoutMs?: number;
  /** Of the worker's heap. @default 64 */
  readonly memoryMb?: number;
}

type Reply = { readonly json: string } | { readonly error: string };
type Message = { readonly source: string; readonly timeoutMs: number; readonly data?: string };

/**
 * One worker thread for a run, started with the first expression: a fresh V8 context for every answer, no require,
 * process, network, timers or dynamic code. It bounds what an eval's author may do by mistake; it is no wall against an
 * author who means harm, which is why deployed runs refuse expressions.
 */
export class JavaScriptEvaluator implements ExpressionEvaluator {
  private readonly timeoutMs: number;
  private readonly memoryMb: number;
  private worker: Worker | null = null;
  /** One expression at a time: a worker that dies takes no other answer with it. */
  private last: Promise<unknown> = Promise.resolve();

  constructor({ timeoutMs = 1000, memoryMb = 64 }: JavaScriptEvaluatorOptions = {}) {
    this.timeoutMs = timeoutMs;
    this.memoryMb = memoryMb;
  }

  async check(source: string): Promise<{ message: string; fix: string } | null> {
    // The error of a dynamic import is an object from outside the sandbox, and a way out of it.
    if (/\bimport\b/.test(source)) {
      return { message: 'an expression cannot import', fix: 'leave the word import out, in texts too' };
    }
    const reply = await this.ask({ source, timeoutMs: this.timeoutMs });
    return 'error' in reply
      ? { message: reply.error, fix: 'write a JavaScript expression such as output.length < 200' }
      : null;
  }

  async evaluate({ source, variables, threshold }: ExpressionRequest): Promise<ExpressionResult> {
    const reply = await this.ask({ source, timeoutMs: this.timeoutMs, data: JSON.stringify(variables) });
    if ('error' in reply) return { status: 'error', message: `javascript: ${reply.error}` };
    try {
      const { value, error } = JSON.parse(reply.json) as JsonObject;
      if (typeof error === 'string') return { status: 'error', message: `javascript: ${error.slice(0, 300)}` };
      return readExpressionValue(value, threshold);
    } catch {
      return { status: 'error', message: 'javascript: the expression gave nothing that can be read' };
    }
  }

  async close(): Promise<void> {
    await this.last;
    await this.stopWorker();
  }

  private ask(message: Message): Promise<Reply> {
    const reply = this.last.then(() => this.askWorker(message));
    this.last = reply;
    return reply;
  }

  private askWorker(message: Message): Promise<Reply> {
    this.worker ??= this.startWorker();
    const worker = this.worker;
    worker.ref();
    return new Promise((resolve) => {
      const finish = (reply: Reply) => {
        clearTimeout(timer);
        worker.removeAllListeners();
        worker.on('error', () => {}); // dying after its answer is nobody's business
        worker.unref();
        resolve(reply);
      };
      const lose = (error: string) => {
        this.worker = null;
        finish({ error });
        void worker.terminate();
      };
      // The context has its own limit; this one is for what that cannot interrupt.
      const timer = setTimeout(() => lose(`no end after ${message.timeoutMs} ms`), message.timeoutMs + 2000);
      worker.removeAllListeners();
      worker.on('message', finish);
      worker.on('error', (error: NodeJS.ErrnoException) => {
        const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        lose(outOfMemory ? `more than ${this.memoryMb} MB of memory` : error.message);
      });
      worker.on('exit', () => lose('the worker ended'));
      worker.postMessage(message);
    });
  }

  private startWorker(): Worker {
    return new Worker(EXPRESSION_WORKER, {
      eval: true,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: this.memoryMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    });
  }

  private async stopWorker(): Promise<void> {
    await this.worker?.terminate();
    this.worker = null;
  }
}
