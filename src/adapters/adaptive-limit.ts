/**
 * Requests in flight, lowered while the other side throttles. Starts without a limit of its own (the run has one);
 * each wave of throttling halves what was in flight, each full round of successes lets one more through.
 */
export class AdaptiveLimit {
  #limit = Number.POSITIVE_INFINITY;
  #inFlight = 0;
  #sinceRaise = 0;
  #wave = 0;
  readonly #waiting: (() => void)[] = [];

  /** Requests let through at once; Infinity until the first throttling. */
  get limit(): number {
    return this.#limit;
  }

  /** `work` is given the wave it started in, to hand back to `throttled`. */
  async run<T>(work: (wave: number) => Promise<T>): Promise<T> {
    // Only a released place wakes a waiter, and it takes the place over: nobody slips in between.
    if (this.#inFlight >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inFlight += 1;
    try {
      return await work(this.#wave);
    } finally {
      this.#inFlight -= 1;
      this.#wake();
    }
  }

  /** Requests that were sent together are throttled together: only the first of a wave lowers the limit. */
  throttled(wave: number): void {
    if (wave !== this.#wave) return;
    this.#wave += 1;
    this.#limit = Math.max(1, Math.floor(Math.min(this.#limit, this.#inFlight) / 2));
    this.#sinceRaise = 0;
  }

  succeeded(): void {
    if (this.#limit === Number.POSITIVE_INFINITY) return;
    this.#sinceRaise += 1;
    if (this.#sinceRaise < this.#limit) return;
    this.#limit += 1;
    this.#sinceRaise = 0;
  }

  #wake(): void {
    while (this.#inFlight < this.#limit) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#inFlight += 1;
      next();
    }
  }
}
