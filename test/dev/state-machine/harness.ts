import type { JsonObject, JsonValue } from '../../../src/core/json.ts';
import {
  type Execution,
  type ExecutionResult,
  type StartOptions,
  startExecution,
} from '../../../src/dev/state-machine/execution.ts';
import { loadStateMachine } from '../../../src/dev/state-machine/load.ts';
import type { ExecutionEvent } from '../../../src/dev/state-machine/runtime.ts';
import { lambdaInvoke, type ObjectStore, type TaskResource } from '../../../src/dev/state-machine/services.ts';
import type { Clock } from '../../../src/ports/clock.ts';

export const LAMBDA = 'arn:aws:states:::lambda:invoke';

/** Time stands still but for sleeps, which end at once and are written down; timeouts longer than `longestMs` never come. */
export class InstantClock implements Clock {
  readonly slept: number[] = [];
  private readonly longestMs: number;
  private ms = Date.UTC(2026, 0, 1);

  constructor(longestMs = Number.POSITIVE_INFINITY) {
    this.longestMs = longestMs;
  }

  now(): number {
    return this.ms;
  }

  monotonicMs(): number {
    return this.ms;
  }

  async sleep(ms: number): Promise<void> {
    if (ms > this.longestMs) return new Promise(() => {});
    this.slept.push(ms);
    this.ms += ms;
  }
}

/** Time moves only by `advance`. */
export class ManualClock implements Clock {
  private ms = Date.UTC(2026, 0, 1);
  private sleepers: { readonly at: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.ms;
  }

  monotonicMs(): number {
    return this.ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { at: this.ms + ms, wake: resolve };
      this.sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.sleepers = this.sleepers.filter((other) => other !== sleeper);
        reject(signal.reason);
      });
    });
  }

  get sleeping(): number {
    return this.sleepers.length;
  }

  advance(ms: number): void {
    this.ms += ms;
    const due = this.sleepers.filter((sleeper) => sleeper.at <= this.ms);
    this.sleepers = this.sleepers.filter((sleeper) => sleeper.at > this.ms);
    for (const sleeper of due) sleeper.wake();
  }
}

/** S3 in memory. */
export class MemoryObjects implements ObjectStore {
  readonly objects = new Map<string, Buffer>();

  put(key: string, body: string | Buffer): this {
    this.objects.set(`bucket/${key}`, Buffer.from(body));
    return this;
  }

  text(key: string): string {
    const body = this.objects.get(`bucket/${key}`);
    if (body === undefined) throw new Error(`no ${key}; there are ${[...this.objects.keys()].join(', ')}`);
    return body.toString();
  }

  async *getObject(bucket: string, key: string): AsyncGenerator<Uint8Array> {
    const body = this.objects.get(`${bucket}/${key}`);
    if (body === undefined) throw new Error('The specified key does not exist.');
    // Small and odd, so that lines and characters are cut anywhere.
    const step = body.length < 10_000 ? 7 : 9_973;
    for (let from = 0; from < body.length; from += step) yield body.subarray(from, from + step);
  }

  async putObject(bucket: string, key: string, body: AsyncIterable<Uint8Array>): Promise<void> {
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part);
    this.objects.set(`${bucket}/${key}`, Buffer.concat(parts));
  }
}

export interface RunOptions extends Partial<Omit<StartOptions, 'services' | 'input'>> {
  readonly input?: JsonValue;
  /** What every Lambda function does with its payload. */
  readonly lambda?: (payload: JsonValue, signal: AbortSignal) => Promise<JsonValue> | JsonValue;
  readonly task?: TaskResource;
  readonly objects?: ObjectStore;
}

export function start(definition: JsonObject, options: RunOptions = {}): Execution {
  const { lambda, task, objects, ...rest } = options;
  const machine = loadStateMachine(definition);
  const call = lambdaInvoke(async ({ payload, signal }) => ({
    payload: JSON.stringify((await lambda?.(JSON.parse(payload), signal)) ?? null),
    failed: false,
  }));
  return startExecution(machine, {
    input: {},
    name: 'run-1',
    clock: new InstantClock(),
    random: () => 0.5,
    ...rest,
    services: { tasks: { [LAMBDA]: task ?? call }, ...(objects === undefined ? {} : { objects }) },
  });
}

export function run(definition: JsonObject, options: RunOptions = {}): Promise<ExecutionResult> {
  return start(definition, options).done;
}

/** A machine of these states, the first one first. */
export function machine(states: JsonObject, more: JsonObject = {}): JsonObject {
  return { QueryLanguage: 'JSONata', StartAt: Object.keys(states)[0] ?? '', States: states, ...more };
}

/** A distributed Map over a JSONL object at bucket/rows.jsonl. */
export function mapOver(child: JsonObject, more: JsonObject = {}): JsonObject {
  return machine({ EvaluateRows: distributedMap(child, more) });
}

export function distributedMap(child: JsonObject, more: JsonObject = {}, executionType = 'STANDARD'): JsonObject {
  return {
    Type: 'Map',
    ItemReader: {
      Resource: 'arn:aws:states:::s3:getObject',
      ReaderConfig: { InputType: 'JSONL' },
      Arguments: { Bucket: 'bucket', Key: 'rows.jsonl' },
    },
    ItemProcessor: {
      ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: executionType },
      StartAt: Object.keys(child)[0] ?? '',
      States: child,
    },
    ...more,
    End: true,
  };
}

/** Calls the function with the state's input and puts out what it returns. */
export function invoke(more: JsonObject = {}): JsonObject {
  return {
    Type: 'Task',
    Resource: LAMBDA,
    Arguments: { FunctionName: 'evaluate-rows', Payload: '{% $states.input %}' },
    Output: '{% $states.result.Payload %}',
    End: true,
    ...more,
  };
}

export function jsonl(values: readonly JsonValue[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

export function recorder(): { readonly events: ExecutionEvent[]; readonly onEvent: (event: ExecutionEvent) => void } {
  const events: ExecutionEvent[] = [];
  return { events, onEvent: (event) => events.push(event) };
}
