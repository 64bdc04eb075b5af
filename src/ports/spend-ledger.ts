import type { NanoUsd } from '../core/cost/nano-usd.ts';

/** Where a run's money stands. `spent` + what all accounts hold = `committed`. */
export interface LedgerView {
  /** Paid, and written off. */
  readonly spent: NanoUsd;
  readonly committed: NanoUsd;
  /** Part of `spent`: held by deliveries that another one of the same part followed; they may have spent all of it. */
  readonly writtenOff: NanoUsd;
  /** Dearest row seen, by target id; a target without an entry has answered none. */
  readonly dearest: Readonly<Record<string, NanoUsd>>;
  /** A row did not fit under the cap: nobody is to start another one. Never taken back. */
  readonly reached: boolean;
}

export interface LedgerStep {
  /** Paid since the last step. */
  readonly spent: NanoUsd;
  /** What the account holds from now on. */
  readonly hold: NanoUsd;
  /**
   * It asks for more than is left to the account: it counts only where all commitments stay within the cap. False: it is
   * recorded in any case, since it tells of what is paid or in flight. @default false
   */
  readonly mustFit?: boolean;
  /** Dearest rows seen by this account, by target id. @default none */
  readonly dearest?: Readonly<Record<string, NanoUsd>>;
  /** The cap is reached. @default as it was */
  readonly reached?: boolean;
  /** The account is done: it must hold nothing. @default false */
  readonly closes?: boolean;
}

/**
 * `done`: all of the step counts. `does not fit`: nothing of it does, since more would be committed than the cap.
 * `written off`: nothing of it does, since another delivery of the part took what this account held for spent; it
 * holds nothing, and may go on.
 */
export type LedgerOutcome = 'done' | 'does not fit' | 'written off';

/** What one delivery of one part of a run holds. For one caller at a time. Throws StorageError where the medium fails. */
export interface SpendAccount {
  /** As of the last call. */
  readonly view: LedgerView;
  /** What it holds, as of the last call. */
  readonly held: NanoUsd;
  /** In one indivisible step: spent, then held. */
  step(step: LedgerStep): Promise<LedgerOutcome>;
}

/** What runs with a hard cost cap have spent and may spend, shared by batches that run side by side. */
export interface SpendLedger {
  /**
   * Opens an account of its own for this delivery of the part. What earlier deliveries of the same part still hold counts
   * as spent from now on: nobody knows how far they came.
   */
  open(of: { readonly runId: string; readonly part: number }, cap: NanoUsd): Promise<SpendAccount>;
}
