import { type ChildProcess, spawn } from 'node:child_process';
import type { JsonObject } from '../../core/json.ts';
import { readExpressionValue } from '../../core/scoring/checks/javascript.ts';
import type { ExpressionResult } from '../../core/scoring/checks/text-check.ts';
import type { ExpressionEvaluator, ExpressionRequest } from '../../ports/expressions.ts';
import { EXPRESSION_SANDBOX } from './expression-sandbox.ts';

export interface JavaScriptEvaluatorOptions {
  /** Of one expression on one answer. @default 1000 */
  readonly timeoutMs?: number;
  /** Of the sandbox's heap. @default 64 */
  readonly memoryMb?: number;
}

type Reply = { readonly json: string } | { readonly error: string };
type Message = { readonly source: string; readonly timeoutMs: number; readonly data?: string };

/** Time to start the process, and for what a context's own limit cannot interrupt. */
const GRACE_MS = 5000;

/**
 * One process for a run, started with the first expression: a fresh V8 context for every answer, no require, process,
 * files, network, timers or dynamic code. A thread would not do: a single huge allocation in one ends the whole
 * process. It bounds what an eval's author may do by mistake; it is no wall against an author who means harm, which is
 * why deployed runs refuse expressions.
 */
export class JavaScriptEvaluator implements ExpressionEvaluator {
  private readonly timeoutMs: number;
  private readonly memoryMb: number;
  private sandbox: ChildProcess | null = null;
  /** One expression at a time: a process that dies takes no other answer with it. */
  private last: Promise<unknown> = Promise.resolve();

  constructor({ timeoutMs = 1000, memoryMb = 64 }: JavaScriptEvaluatorOptions = {}) {
    this.timeoutMs = timeoutMs;
    this.memoryMb = memoryMb;
  }

  async check(source: string): Promise<{ message: string; fix: string } | null> {
    // The error of a dynamic import is an object from outside the context, and a way out of it.
    if (/\bimport\b/.test(source)) {
      return { message: 'an expression cannot import', fix: 'leave the word import out, in texts too' };
    }
    const reply = await this.ask({ source, timeoutMs: this.timeoutMs });
    if (!('error' in reply)) return null;
    return { message: reply.error, fix: 'write a JavaScript expression such as output.length < 200' };
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
    this.stop();
  }

  private ask(message: Message): Promise<Reply> {
    const reply = this.last.then(() => this.askSandbox(message));
    this.last = reply;
    return reply;
  }

  private askSandbox(message: Message): Promise<Reply> {
    this.sandbox ??= this.start();
    const { sandbox } = this;
    hold(sandbox, true);
    return new Promise((resolve) => {
      const finish = (reply: Reply) => {
        clearTimeout(timer);
        sandbox.removeAllListeners();
        sandbox.on('error', () => {}); // dying after its answer is nobody's business
        hold(sandbox, false);
        resolve(reply);
      };
      const lose = (error: string) => {
        this.stop();
        finish({ error });
      };
      const timer = setTimeout(() => lose(`no end after ${message.timeoutMs} ms`), message.timeoutMs + GRACE_MS);
      sandbox.removeAllListeners();
      sandbox.on('message', (reply) => finish(reply as Reply));
      sandbox.on('error', (error) => lose(`the sandbox failed: ${error.message}`));
      sandbox.on('exit', () => lose(`it ended without a result, for want of more than ${this.memoryMb} MB of memory`));
      sandbox.send(message, (error) => {
        if (error !== null) lose(`the sandbox failed: ${error.message}`);
      });
    });
  }

  private start(): ChildProcess {
    const major = Number(process.versions.node.split('.')[0]);
    const flags = [
      // Neither files, processes nor native code.
      major >= 24 ? '--permission' : '--experimental-permission',
      '--disallow-code-generation-from-strings',
      `--max-old-space-size=${this.memoryMb}`,
      '--max-semi-space-size=8',
      '--no-warnings',
    ];
    const sandbox = spawn(process.execPath, [...flags, '--eval', EXPRESSION_SANDBOX], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    return sandbox;
  }

  private stop(): void {
    this.sandbox?.kill('SIGKILL');
    this.sandbox = null;
  }
}

/** Whether the process keeps this one alive. */
function hold(sandbox: ChildProcess, isHeld: boolean): void {
  if (isHeld) {
    sandbox.ref();
    sandbox.channel?.ref();
  } else {
    sandbox.unref();
    sandbox.channel?.unref();
  }
}
