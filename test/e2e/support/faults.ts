import { AsyncLocalStorage } from 'node:async_hooks';
import { StorageError } from '../../../src/core/errors.ts';
import type { FunctionName } from '../../../src/dev/dev-functions.ts';
import type { DevPorts } from '../../../src/dev/dev-ports.ts';
import type { LocalFunction } from '../../../src/dev/lambda-host.ts';

/** Such as `evaluate-rows parts.write`, `prepare-run runs.write config.json`, or `aggregate-run` for the handler itself. */
export interface Fault {
  readonly at: string;
  /** `before`: it was not done. `after`: it was done, and the caller does not learn of it. */
  readonly when: 'before' | 'after';
  /** It happens this often, then never again. */
  readonly times: number;
}

type Functions = Record<FunctionName, LocalFunction>;
// biome-ignore lint/suspicious/noExplicitAny: a proxy passes on whatever it is given
type AnyFunction = (...args: any[]) => any;

/** Lets calls of handlers and of their ports fail on purpose. */
export class Faults {
  private readonly running = new AsyncLocalStorage<FunctionName>();
  private armed: Fault | null = null;
  private left = 0;
  private condition: ((label: string, args: readonly unknown[]) => boolean) | null = null;
  /** How often the fault happened. */
  happened = 0;
  /** Every batch is delivered twice at once. */
  double = false;

  arm(fault: Fault): void {
    this.armed = fault;
    this.left = fault.times;
    this.happened = 0;
  }

  /** Every call that the condition is true of fails before it is done. */
  armWhen(condition: (label: string, args: readonly unknown[]) => boolean): void {
    this.condition = condition;
  }

  disarm(): void {
    this.armed = null;
    this.condition = null;
  }

  readonly wrapPorts = (ports: DevPorts): DevPorts => ({
    ...ports,
    registry: this.proxy('registry', ports.registry),
    slots: this.proxy('slots', ports.slots),
    events: this.proxy('events', ports.events),
    parts: this.proxy('parts', ports.parts),
    rowIndex: this.proxy('rowIndex', ports.rowIndex),
    datasets: this.proxy('datasets', ports.datasets),
    runs: (project) => this.proxy('runs', ports.runs(project)),
  });

  readonly wrapFunctions = (functions: Functions): Functions => {
    const wrapped = Object.entries(functions).map(([name, { handler, timeoutMs }]) => {
      const run: LocalFunction['handler'] = (event, context) =>
        this.running.run(name as FunctionName, () =>
          this.guard(name, async () => {
            const deliveries = this.double && name === 'evaluate-rows' ? 2 : 1;
            const results = await Promise.all(Array.from({ length: deliveries }, () => handler(event, context)));
            return results[0];
          }),
        );
      return [name, { timeoutMs, handler: run }];
    });
    return Object.fromEntries(wrapped) as Functions;
  };

  private proxy<T extends object>(port: string, target: T): T {
    return new Proxy(target, {
      get: (object, method, receiver) => {
        const value = Reflect.get(object, method, receiver) as unknown;
        if (typeof value !== 'function') return value;
        const call = value.bind(object) as AnyFunction;
        // A reader is handed out at once; it is its reading that could fail.
        if (['reader', 'locate', 'notTold'].includes(String(method))) return call;
        return (...args: unknown[]) => {
          const file = port === 'runs' ? ` ${String(args[1])}` : '';
          const label = `${this.running.getStore() ?? ''} ${port}.${String(method)}${file}`;
          if (this.condition?.(label, args) === true) return Promise.reject(new StorageError(`injected: ${label}`));
          return this.guard(label, () => call(...args));
        };
      },
    });
  }

  private async guard<T>(label: string, call: () => Promise<T>): Promise<T> {
    const hit = this.armed?.at === label && this.left > 0 ? this.armed : null;
    if (hit !== null) this.left -= 1;
    if (hit?.when === 'before') this.fail(label);
    const result = await call();
    if (hit?.when === 'after') this.fail(label);
    return result;
  }

  private fail(label: string): never {
    this.happened += 1;
    throw new StorageError(`injected: ${label}`);
  }
}
