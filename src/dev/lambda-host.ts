import { randomUUID } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';
import type { LambdaReply } from './state-machine/services.ts';

/** What a handler is told besides its event; the part of Lambda's context that ours read. */
export interface LambdaContext {
  readonly awsRequestId: string;
  readonly functionName: string;
  getRemainingTimeInMillis(): number;
}

export type LambdaHandler = (event: unknown, context: LambdaContext) => Promise<unknown>;

export interface LocalFunction {
  readonly handler: LambdaHandler;
  readonly timeoutMs: number;
}

/** Quota of a synchronous request and of its answer. */
export const MAX_SYNC_BYTES = 6 * 1024 * 1024;
/** An asynchronous call is tried this often, as Lambda does it, then given up. */
const ASYNC_ATTEMPTS = 3;
const ASYNC_WAIT_MS = 1_000;

/**
 * Runs handlers in this process the way Lambda would: events and results pass as JSON text, sizes are limited, a
 * handler has a time, and whatever it throws is an answer `{errorType, errorMessage}`. One difference is left: a handler
 * that ran out of time cannot be killed here, so its requests may still go on for a moment.
 */
export class LambdaHost {
  private readonly functions: ReadonlyMap<string, LocalFunction>;
  private readonly clock: Clock;

  private readonly waitSpeed: number;

  /** @param waitSpeed waits between attempts take this many times less. Default 1 */
  constructor(functions: Readonly<Record<string, LocalFunction>>, clock: Clock, waitSpeed = 1) {
    this.functions = new Map(Object.entries(functions));
    this.clock = clock;
    this.waitSpeed = waitSpeed;
  }

  /** Never rejects for what a handler does; a function that does not exist is a bug. */
  async invoke(name: string, payload: string): Promise<LambdaReply> {
    const found = this.functions.get(name);
    if (found === undefined) throw new TypeError(`there is no function "${name}"`);
    if (Buffer.byteLength(payload) > MAX_SYNC_BYTES) {
      return failed('RequestTooLargeException', `the request has more than ${MAX_SYNC_BYTES} bytes`);
    }
    const requestId = randomUUID();
    const endsAtMs = this.clock.monotonicMs() + found.timeoutMs;
    const context: LambdaContext = {
      awsRequestId: requestId,
      functionName: name,
      getRemainingTimeInMillis: () => Math.max(0, endsAtMs - this.clock.monotonicMs()),
    };
    const alarm = new AbortController();
    const timeout = this.clock.sleep(found.timeoutMs, alarm.signal).then(
      () => failed('Sandbox.Timedout', `RequestId: ${requestId} Error: Task timed out after ${found.timeoutMs} ms`),
      () => failed('Sandbox.Timedout', 'never seen: the call has ended'),
    );
    const reply = await Promise.race([answer(found.handler, payload, context), timeout]);
    alarm.abort();
    return reply;
  }

  /** An event that nobody waits for. Resolves when it was taken or given up after its retries: false. */
  async deliver(name: string, payload: unknown): Promise<boolean> {
    const text = JSON.stringify(payload);
    for (let attempt = 1; attempt <= ASYNC_ATTEMPTS; attempt += 1) {
      if (attempt > 1) await this.clock.sleep((ASYNC_WAIT_MS * attempt) / this.waitSpeed);
      if (!(await this.invoke(name, text)).failed) return true;
    }
    return false;
  }
}

async function answer(handler: LambdaHandler, payload: string, context: LambdaContext): Promise<LambdaReply> {
  try {
    const result = await handler(JSON.parse(payload), context);
    const text = result === undefined ? 'null' : JSON.stringify(result);
    if (Buffer.byteLength(text) <= MAX_SYNC_BYTES) return { payload: text, failed: false };
    return failed('Function.ResponseSizeTooLarge', `the answer has more than ${MAX_SYNC_BYTES} bytes`);
  } catch (error) {
    if (error instanceof Error) return failed(error.name, error.message);
    return failed('Error', String(error));
  }
}

function failed(errorType: string, errorMessage: string): LambdaReply {
  return { payload: JSON.stringify({ errorType, errorMessage, trace: [] }), failed: true };
}
