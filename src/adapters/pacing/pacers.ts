import { sha256Hex } from '../../core/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PaceStore } from '../../ports/pace-store.ts';
import type { Pacing, ThrottleCounts } from '../../ports/pacing.ts';
import { MemoryPaceStore } from '../memory/memory-pace-store.ts';
import { type Patience, patienceOf } from './patience.ts';
import { RequestPacer } from './request-pacer.ts';
import type { NoTurn, Turn } from './turn-queue.ts';

export interface PacersDeps {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Where processes keep their paces together. @default each process its own */
  readonly store?: PaceStore;
  /** True: some of these paces may be in force already. @default false */
  readonly isExpected?: boolean;
  /** Whose requests to hosts these are: another project's say nothing about them. @default '' */
  readonly scope?: string;
  /** How long judges wait on after targets may not, in ms. @default 0 */
  readonly judgeGraceMs?: number;
  onFirstThrottle?(): void;
}

/** The requests of one target or judge. */
export interface Turns {
  /** Resolves when a request may be sent. A turn ends in `answered`, `throttled` or `failed`. */
  take(signal: AbortSignal): Promise<Turn | NoTurn>;
  answered(turn: Turn): void;
  throttled(turn: Turn, holdMs: number | null): Promise<void>;
  failed(turn: Turn): void;
}

export interface TurnsOf {
  readonly by: 'targets' | 'judges';
  /** Who is asked: all that ask the same keep one pace. */
  readonly key: string;
  readonly timeoutS: number;
  /** Requests that one row may make. */
  readonly attempts: number;
}

/** Keys of paces. A model's quota is the account's, a host's limit its caller's. */
export const paceKey = {
  model: (region: string | undefined, model: string): string => `model:${region ?? 'default'}:${model}`,
  resource: (id: string): string => `resource:${id}`,
  /** Not the host itself, which may hold a secret. */
  host: (url: string): string => `host:${sha256Hex(URL.parse(url)?.host ?? url).slice(0, 16)}`,
};

/** The pacers of a run's environment, one a key. */
export class Pacers implements Pacing {
  readonly #deps: PacersDeps;
  readonly #store: PaceStore;
  readonly #pacers = new Map<string, RequestPacer>();
  readonly #throttled = { targets: 0, judges: 0 };
  #mayWait: () => boolean = () => true;
  #overSinceMs: number | null = null;
  #told = false;

  constructor(deps: PacersDeps) {
    this.#deps = deps;
    this.#store = deps.store ?? new MemoryPaceStore();
  }

  turnsOf({ by, key, timeoutS, attempts }: TurnsOf): Turns {
    const pacer = this.#pacerOf(key.startsWith('host:') ? `${key}:${this.#deps.scope ?? ''}` : key);
    const mayWait = by === 'targets' ? () => this.#mayWait() : () => this.#mayJudgeWait();
    const patience: Patience = patienceOf(timeoutS, attempts, mayWait);
    return {
      take: (signal) => pacer.turn(signal, patience),
      answered: (turn) => pacer.answered(turn),
      failed: () => pacer.failed(),
      throttled: (turn, holdMs) => {
        this.#throttled[by] += 1;
        if (!this.#told) this.#deps.onFirstThrottle?.();
        this.#told = true;
        return pacer.throttled(turn, holdMs);
      },
    };
  }

  get throttled(): ThrottleCounts {
    return { ...this.#throttled };
  }

  get isFull(): boolean {
    return this.#full() !== undefined;
  }

  async room(): Promise<void> {
    for (let full = this.#full(); full !== undefined; full = this.#full()) await full.room();
  }

  waitWhile(mayWait: () => boolean): void {
    this.#mayWait = mayWait;
    this.#overSinceMs = null;
  }

  #full(): RequestPacer | undefined {
    for (const pacer of this.#pacers.values()) if (pacer.isFull) return pacer;
    return undefined;
  }

  #mayJudgeWait(): boolean {
    if (this.#mayWait()) return true;
    const nowMs = this.#deps.clock.monotonicMs();
    this.#overSinceMs ??= nowMs;
    return nowMs - this.#overSinceMs < (this.#deps.judgeGraceMs ?? 0);
  }

  #pacerOf(key: string): RequestPacer {
    const known = this.#pacers.get(key);
    if (known !== undefined) return known;
    const { clock, random, isExpected } = this.#deps;
    const pacer = new RequestPacer({ key, store: this.#store, clock, random, isExpected: isExpected === true });
    this.#pacers.set(key, pacer);
    return pacer;
  }
}
