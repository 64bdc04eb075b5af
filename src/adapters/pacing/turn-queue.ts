import type { Patience } from './patience.ts';

/** Leave to send one request. */
export interface Turn {
  /** When its slot was taken, wall clock: a throttle says something about the pace it was taken from. Null: no slot. */
  readonly issuedMs: number | null;
}

/** Why a request got no turn: waiting is over for the run, or the other side answers nobody. */
export type NoTurn = 'waiting is over' | 'nobody is answered';

interface Waiter {
  readonly patience: Patience;
  settle(turn: Turn | NoTurn): void;
  fail(error: unknown): void;
}

/** Requests that wait for their turn, in the order of asking. */
export class TurnQueue {
  readonly #waiters = new Set<Waiter>();
  #onRoom: (() => void)[] = [];

  get length(): number {
    return this.#waiters.size;
  }

  /** Waits for a turn; an aborted signal ends that at once. */
  wait(signal: AbortSignal, patience: Patience): Promise<Turn | NoTurn> {
    return new Promise((resolve, reject) => {
      const onAbort = () => this.#end(waiter, 'waiting is over');
      const forget = () => signal.removeEventListener('abort', onAbort);
      const waiter: Waiter = {
        patience,
        settle: (given) => {
          forget();
          resolve(given);
        },
        fail: (error) => {
          forget();
          reject(error);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  /** Resolves when somebody has stopped waiting. */
  room(): Promise<void> {
    return new Promise((resolve) => this.#onRoom.push(resolve));
  }

  /** Gives the next one its turn; somebody must wait. */
  give(turn: Turn): void {
    const [next] = this.#waiters;
    if (next !== undefined) this.#end(next, turn);
  }

  /** Sends those away for whom `why` gives a reason. */
  dismiss(why: (patience: Patience) => NoTurn | null): void {
    for (const waiter of this.#waiters) {
      const reason = why(waiter.patience);
      if (reason !== null) this.#end(waiter, reason);
    }
  }

  failAll(error: unknown): void {
    for (const waiter of this.#waiters) {
      this.#waiters.delete(waiter);
      waiter.fail(error);
    }
    this.#wake();
  }

  #end(waiter: Waiter, given: Turn | NoTurn): void {
    this.#waiters.delete(waiter);
    waiter.settle(given);
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#onRoom.splice(0)) wake();
  }
}
