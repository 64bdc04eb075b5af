import { type NanoUsd, usdOfNanos } from '../../core/cost/nano-usd.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LedgerOutcome, LedgerStep, LedgerView, SpendAccount } from '../../ports/spend-ledger.ts';

/** Something that is to be paid for: a row at a target, or planted answers. Itself names it. */
export interface Claim {
  /** What it can cost at most, as far as is known by now; null: it may cost anything. */
  bound(dearest: LedgerView['dearest']): NanoUsd | null;
  /** Whose dearest row it may be. */
  readonly target: string | null;
}

/** `stopped`: it was waiting for others to give money back, and its caller no longer goes on. */
export type Admission = 'go' | 'refused' | 'stopped';

export interface Settlement {
  /** It tells what others like it may cost. */
  readonly isSample: boolean;
  /** False: it may have cost more than is known, so that as much as was held for it counts as spent. */
  readonly isAll: boolean;
}

export interface CostAllowanceOptions {
  readonly account: SpendAccount;
  readonly cap: NanoUsd;
  /** Claims that money is asked for at once, at most: each time costs a write. */
  readonly chunk: number;
  readonly clock: Pick<Clock, 'sleep'>;
  /** 0 to 1. */
  readonly random: () => number;
}

/** Somebody else's claims may end at any moment: looked for after at least half of this. */
const POLL_MS = 1_500;
/**
 * What is taken at once of what is left, at most: for a chunk of claims, or for one of which nobody knows what it will
 * cost. Should its Lambda die, as much counts as spent.
 */
const LARGEST_SHARE = 0.25;

/**
 * What one batch may spend of its run's hard cap. Nothing starts before the most that it can cost is held in the ledger,
 * so that what all batches have spent and may still spend never exceeds the cap. A claim that does not fit beside the
 * claims in flight waits for them; one that does not fit beside what is spent is refused, and ends the run's spending.
 */
export class CostAllowance {
  private readonly options: CostAllowanceOptions;
  private readonly open = new Map<Claim, { readonly bound: NanoUsd; readonly isPaid: boolean }>();
  private readonly seen = new Map<string, NanoUsd>();
  /** Sum of the bounds of open claims that the ledger still has to hold. */
  private claimed: NanoUsd = 0;
  /** Paid, and not in the ledger yet. */
  private unsettled: NanoUsd = 0;
  private turn: Promise<unknown> = Promise.resolve();
  private wake: (() => void) | null = null;
  /** Claims that ended. */
  private ended = 0;
  private holdsMuch = false;
  private unknown: Claim | null = null;
  private refusal: string | null = null;

  constructor(options: CostAllowanceOptions) {
    this.options = options;
  }

  /** Why something was refused, for people; null while nothing was. */
  get why(): string | null {
    return this.refusal;
  }

  /** Claims are decided in the order they are made. `goesOn`: asked while the claim waits. */
  admit(claim: Claim, goesOn: () => boolean): Promise<Admission> {
    const decided = this.turn.then(() => this.decide(claim, goesOn));
    this.turn = decided.catch(() => undefined);
    return decided;
  }

  /** An admitted claim has cost this much. */
  settle(claim: Claim, known: NanoUsd, { isSample, isAll }: Settlement): void {
    const entry = this.release(claim);
    const cost = isAll ? known : Math.max(known, entry.bound);
    this.unsettled += entry.isPaid ? Math.max(0, cost - entry.bound) : cost;
    if (isSample && claim.target !== null) {
      this.seen.set(claim.target, Math.max(known, this.seen.get(claim.target) ?? 0));
    }
  }

  /** An admitted claim was not used. */
  giveBack(claim: Claim): void {
    this.release(claim);
  }

  /** Settles all there is. What is still open has nobody who could say what it cost: its bound counts as spent. */
  async close(): Promise<void> {
    await this.turn;
    const spent = this.unsettled + this.claimed;
    const { account } = this.options;
    // Written off meanwhile: all of it counts as spent already.
    await account.step({ spent, hold: 0, dearest: Object.fromEntries(this.seen), closes: true });
    this.unsettled = 0;
    this.claimed = 0;
    this.open.clear();
  }

  private release(claim: Claim): { readonly bound: NanoUsd; readonly isPaid: boolean } {
    const entry = this.open.get(claim);
    if (entry === undefined) throw new Error('a claim ended that was never admitted');
    this.open.delete(claim);
    if (this.unknown === claim) this.unknown = null;
    if (!entry.isPaid) this.claimed -= entry.bound;
    this.ended += 1;
    this.wake?.();
    return entry;
  }

  private async decide(claim: Claim, goesOn: () => boolean): Promise<Admission> {
    for (;;) {
      if (this.view.reached) return this.refused(null);
      const bound = claim.bound(this.dearest());
      if (bound === null && this.unknown !== null) {
        // One of them at a time: it tells what the next may cost.
        if (!goesOn()) return 'stopped';
        await this.wait();
        continue;
      }
      if (bound !== null && this.holdsMuch) {
        // Taken for a claim of unknown cost, and known to be too much by now.
        const hold = this.claimed + Math.min(Math.max(0, this.room), bound * this.chunkOf(bound));
        if ((await this.step({ spent: this.unsettled, hold })) === 'done') this.holdsMuch = false;
        continue;
      }
      if (bound !== null && this.room >= bound) return this.take(claim, bound);
      const left = this.left;
      if (bound === null ? left > 0 : left >= bound) {
        const more = bound === null ? Math.ceil(left * LARGEST_SHARE) : bound * this.chunkOf(bound);
        const outcome = await this.step({ spent: this.unsettled, hold: this.claimed + more, mustFit: true });
        if (outcome !== 'done' || bound !== null) continue;
        this.holdsMuch = true;
        this.unknown = claim;
        return this.take(claim, this.room);
      }
      // Not by what was known last: what is not needed goes back, and the answer says how things stand now.
      const endedBefore = this.ended;
      await this.step({ spent: this.unsettled, hold: this.claimed });
      if (bound === null ? this.left > 0 : this.left >= bound) continue;
      if (this.view.spent + Math.max(1, bound ?? 1) > this.options.cap) return this.end(bound);
      if (!goesOn()) return 'stopped';
      if (endedBefore === this.ended) await this.wait();
    }
  }

  private get view(): LedgerView {
    return this.options.account.view;
  }

  /** What is held and not claimed. */
  private get room(): NanoUsd {
    return this.options.account.held - this.claimed - this.unsettled;
  }

  /** What could be held beside what is claimed. */
  private get left(): NanoUsd {
    return this.options.cap - this.view.committed + this.room;
  }

  private chunkOf(bound: NanoUsd): number {
    if (bound === 0) return 1;
    return Math.max(1, Math.min(this.options.chunk, Math.floor((this.left * LARGEST_SHARE) / bound)));
  }

  private dearest(): LedgerView['dearest'] {
    const dearest = { ...this.view.dearest };
    for (const [target, cost] of this.seen) dearest[target] = Math.max(cost, dearest[target] ?? 0);
    return dearest;
  }

  private take(claim: Claim, bound: NanoUsd): Admission {
    this.open.set(claim, { bound, isPaid: false });
    this.claimed += bound;
    return 'go';
  }

  private async step(step: LedgerStep): Promise<LedgerOutcome> {
    const outcome = await this.options.account.step({ ...step, dearest: Object.fromEntries(this.seen) });
    if (outcome === 'done') this.unsettled -= step.spent;
    if (outcome === 'written off') {
      // All that was held counts as spent, and with it what is open and what was not settled yet.
      for (const [claim, { bound }] of this.open) this.open.set(claim, { bound, isPaid: true });
      this.claimed = 0;
      this.unsettled = 0;
    }
    return outcome;
  }

  private async end(bound: NanoUsd | null): Promise<Admission> {
    await this.step({ spent: this.unsettled, hold: this.claimed, reached: true });
    return this.refused(bound);
  }

  private refused(bound: NanoUsd | null): Admission {
    const { spent, writtenOff } = this.view;
    const parts = [
      `${dollars(spent)} spent`,
      ...(writtenOff === 0 ? [] : [`up to ${dollars(writtenOff)} of it by batches that broke off`]),
      ...(bound === null ? [] : [`the next row may cost ${dollars(bound)}`]),
    ];
    this.refusal ??= `hard cost cap of ${dollars(this.options.cap)} reached: ${parts.join(', ')}`;
    return 'refused';
  }

  private async wait(): Promise<void> {
    const { clock, random } = this.options;
    const woken = new AbortController();
    this.wake = () => woken.abort();
    await clock.sleep(POLL_MS / 2 + (POLL_MS / 2) * random(), woken.signal).catch((error: unknown) => {
      if (!woken.signal.aborted) throw error;
    });
    this.wake = null;
  }
}

/** To the billionth for small amounts, to five digits for larger ones. */
function dollars(nanos: NanoUsd): string {
  return `$${Number(usdOfNanos(nanos).toPrecision(5))}`;
}
