import { StorageError } from '../../core/errors.ts';
import { livePace, lowerPace, MAX_HOLD_MS, type Pace, takeSlots } from '../../core/pace/pace.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PaceStore } from '../../ports/pace-store.ts';
import { MemoryPaceStore } from '../memory/memory-pace-store.ts';
import type { Patience } from './patience.ts';
import { SendRate } from './send-rate.ts';
import { type NoTurn, type Turn, TurnQueue } from './turn-queue.ts';

export interface PacerDeps {
  readonly key: string;
  readonly store: PaceStore;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** True: somebody was throttled already, so the store is asked before the first request. @default false */
  readonly isExpected?: boolean;
}

/** Nobody sleeps longer without looking whether it still makes sense. */
const NAP_MS = 1_000;
const COLLISION_MS = 200;
/** Those who wait are looked at this often at most: they may be many. */
const LOOK_MS = 100;
/** Without a throttle and without a wait for so long, the pace no longer matters. */
const RELEASE_MS = 30_000;

/**
 * The requests of this process to one other side. All go at once until one is throttled; from then on each waits for a
 * slot of the pace that everybody who asks that side keeps. Back to no pace when it no longer holds anybody up.
 */
export class RequestPacer {
  readonly #deps: PacerDeps;
  readonly #sent = new SendRate();
  readonly #queue = new TurnQueue();
  #store: PaceStore;
  #isPaced: boolean;
  /** The pace as it was when this process last saw it. */
  #known: Pace | null = null;
  /** Slots taken and not used, and when they were taken. */
  #slots: { readonly atMs: number; readonly issuedMs: number }[] = [];
  #heldMs = 0;
  #bindingMs = 0;
  #answered = 0;
  #answeredMs: number | null = null;
  #inFlight = 0;
  /** Since when it has waited without an answer to anybody. */
  #tryingSinceMs: number | null = null;
  #lowering: Promise<void> | null = null;
  #lowerings = 0;
  #isPumping = false;
  #lookedMs = 0;

  constructor(deps: PacerDeps) {
    this.#deps = deps;
    this.#store = deps.store;
    this.#isPaced = deps.isExpected === true;
  }

  /** True while a second's worth of requests waits. */
  get isFull(): boolean {
    return this.#isPaced && this.#queue.length >= Math.max(1, Math.ceil(this.#known?.rate ?? 1));
  }

  /** Resolves when a request has stopped waiting. */
  room(): Promise<void> {
    return this.#queue.room();
  }

  /** Resolves when a request may be sent; each turn ends in `answered`, `throttled` or `failed`. */
  turn(signal: AbortSignal, patience: Patience): Promise<Turn | NoTurn> {
    if (!this.#isPaced || signal.aborted) return Promise.resolve(this.#issue(null));
    this.#tryingSinceMs ??= this.#deps.clock.now();
    const turn = this.#queue.wait(signal, patience);
    void this.#pump();
    return turn;
  }

  /** The other side let it in, whatever it replied. */
  answered({ issuedMs }: Turn): void {
    this.#inFlight -= 1;
    this.#answeredMs = this.#deps.clock.now();
    this.#tryingSinceMs = null;
    if (this.#isOfThisPace(issuedMs)) this.#answered += 1;
  }

  /** No reply at all: nothing is learnt of the pace. */
  failed(): void {
    this.#inFlight -= 1;
  }

  /** Nobody of this process sends before the hold is over; the rate is lowered for all, once a wave. */
  async throttled({ issuedMs }: Turn, holdMs: number | null): Promise<void> {
    this.#inFlight -= 1;
    const nowMs = this.#deps.clock.now();
    const heldMs = nowMs + Math.min(MAX_HOLD_MS, Math.max(0, holdMs ?? 0));
    const isLonger = heldMs > this.#heldMs + NAP_MS / 2 && holdMs !== null && holdMs > 0;
    this.#heldMs = Math.max(this.#heldMs, heldMs);
    if (this.#lowering === null && (isLonger || !this.#isPaced || this.#isOfThisPace(issuedMs))) {
      this.#isPaced = true;
      this.#slots = []; // taken at the old rate
      this.#lowerings += 1;
      this.#lowering = this.#lower(issuedMs, nowMs, holdMs).finally(() => {
        this.#lowering = null;
      });
    }
    await this.#lowering;
  }

  #isOfThisPace(issuedMs: number | null): boolean {
    return this.#isPaced && issuedMs !== null && issuedMs > (this.#known?.lowered_ms ?? 0);
  }

  async #lower(issuedMs: number | null, nowMs: number, holdMs: number | null): Promise<void> {
    const throttle = { nowMs, issuedMs, sentPerSecond: this.#sent.perSecond(nowMs), holdMs };
    await this.#update((pace) => {
      const lowered = lowerPace(pace, throttle);
      return { pace: lowered, result: lowered };
    });
    this.#answered = 0;
    this.#bindingMs = nowMs;
  }

  /** One at a time gives out the slots, in the order of asking. */
  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      while (this.#queue.length > 0) await this.#step();
    } catch (error) {
      this.#queue.failAll(error);
    } finally {
      this.#isPumping = false;
    }
  }

  async #step(): Promise<void> {
    const { clock } = this.#deps;
    await this.#lowering;
    const nowMs = clock.now();
    this.#dismissHopeless(nowMs);
    if (this.#queue.length === 0) return;
    // One that was left over, by whoever gave up: used late it would be one too many.
    this.#slots = this.#slots.filter(({ atMs }) => atMs > nowMs - NAP_MS);
    const [slot] = this.#slots;
    if (!this.#isPaced) this.#queue.give(this.#issue(null));
    else if (nowMs < this.#heldMs) await this.#nap(this.#heldMs - nowMs);
    else if (slot === undefined) await this.#take(nowMs);
    else if (slot.atMs > nowMs) await this.#nap(slot.atMs - nowMs);
    else {
      this.#slots.shift();
      this.#queue.give(this.#issue(slot.issuedMs));
    }
  }

  async #take(nowMs: number): Promise<void> {
    // Also those that will come in the next half second, so that the store is not asked for each of them.
    const wanted = Math.max(this.#queue.length, Math.ceil(this.#sent.perSecond(nowMs) / 2));
    const request = { nowMs, wanted, answered: this.#answered, answeredMs: this.#answeredMs };
    this.#answered = 0;
    const lowerings = this.#lowerings;
    const taken = await this.#update((pace) => {
      const live = livePace(pace, nowMs);
      if (live === null) return { pace: null, result: null };
      const slots = takeSlots(live, request);
      return { pace: slots.pace, result: slots };
    });
    if (lowerings !== this.#lowerings) return; // lowered meanwhile: these slots are of the old rate
    if (taken === null) {
      this.#isPaced = false;
      return;
    }
    if (taken.isBinding) this.#bindingMs = nowMs;
    this.#heldMs = Math.max(this.#heldMs, taken.pace.held_ms);
    const issuedMs = Math.max(nowMs, taken.pace.lowered_ms + 1);
    this.#slots = taken.slots.map((atMs) => ({ atMs, issuedMs }));
    const { lowered_ms, held_ms } = taken.pace;
    if (nowMs - Math.max(this.#bindingMs, lowered_ms, held_ms) > RELEASE_MS) this.#isPaced = false;
    // Others who come back for the same slots must not all come at once.
    else if (taken.slots.length === 0) await this.#nap(taken.retryMs - nowMs + this.#deps.random() * COLLISION_MS);
  }

  /** Where the shared pace cannot be had this process keeps one of its own: slower is better than not at all. */
  async #update<T extends Pace | { readonly pace: Pace } | null>(
    change: (pace: Pace | null) => { pace: Pace | null; result: T },
  ): Promise<T> {
    let result: T;
    try {
      result = await this.#store.update(this.#deps.key, change);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#store = new MemoryPaceStore();
      const known = this.#known;
      if (known !== null) await this.#store.update(this.#deps.key, () => ({ pace: known, result: null }));
      result = await this.#store.update(this.#deps.key, change);
    }
    const given: Pace | { readonly pace: Pace } | null = result;
    const seen: Pace | null = given !== null && 'pace' in given ? given.pace : given;
    // What was asked first may come back last.
    if (seen === null || seen.lowered_ms >= (this.#known?.lowered_ms ?? 0)) this.#known = seen;
    return result;
  }

  #dismissHopeless(nowMs: number): void {
    if (nowMs - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = nowMs;
    const silentMs = nowMs - Math.max(this.#known?.answered_ms ?? 0, this.#tryingSinceMs ?? nowMs);
    this.#queue.dismiss(({ mayWait, silenceMs }) => {
      if (!mayWait()) return 'waiting is over';
      // What is in flight may still be answered.
      return this.#inFlight === 0 && silentMs > silenceMs ? 'nobody is answered' : null;
    });
  }

  #issue(issuedMs: number | null): Turn {
    this.#inFlight += 1;
    this.#sent.note(this.#deps.clock.now());
    return { issuedMs };
  }

  /** Not tied to a run's signal: the waiters have theirs. */
  #nap(ms: number): Promise<void> {
    return this.#deps.clock.sleep(Math.min(NAP_MS, Math.max(1, ms)));
  }
}
