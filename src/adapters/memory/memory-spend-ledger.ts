import type { NanoUsd } from '../../core/cost/nano-usd.ts';
import type { LedgerOutcome, LedgerStep, LedgerView, SpendAccount, SpendLedger } from '../../ports/spend-ledger.ts';

interface Ledger {
  spent: NanoUsd;
  writtenOff: NanoUsd;
  dearest: Record<string, NanoUsd>;
  reached: boolean;
  readonly accounts: Map<MemoryAccount, { readonly part: number; held: NanoUsd }>;
}

/** The ledgers of runs of this process. */
export class MemorySpendLedger implements SpendLedger {
  private readonly ledgers = new Map<string, Ledger>();

  async open({ runId, part }: { runId: string; part: number }, cap: NanoUsd): Promise<SpendAccount> {
    const ledger = this.ledgers.get(runId) ?? newLedger();
    this.ledgers.set(runId, ledger);
    for (const [account, entry] of ledger.accounts) {
      if (entry.part !== part) continue;
      ledger.accounts.delete(account);
      ledger.spent += entry.held;
      ledger.writtenOff += entry.held;
    }
    return new MemoryAccount(ledger, part, cap);
  }
}

class MemoryAccount implements SpendAccount {
  view: LedgerView;
  held: NanoUsd = 0;
  private readonly ledger: Ledger;
  private readonly part: number;
  private readonly cap: NanoUsd;
  private isKnown = false;

  constructor(ledger: Ledger, part: number, cap: NanoUsd) {
    this.ledger = ledger;
    this.part = part;
    this.cap = cap;
    this.view = viewOf(ledger);
  }

  async step({ spent, hold, mustFit, dearest = {}, reached, closes }: LedgerStep): Promise<LedgerOutcome> {
    const { ledger } = this;
    if (this.isKnown && !ledger.accounts.has(this)) {
      this.isKnown = false;
      this.held = 0;
      this.view = viewOf(ledger);
      return 'written off';
    }
    this.view = viewOf(ledger);
    if (mustFit === true && this.view.committed + spent + hold - this.held > this.cap) return 'does not fit';
    ledger.spent += spent;
    for (const [target, cost] of Object.entries(dearest)) {
      ledger.dearest[target] = Math.max(ledger.dearest[target] ?? 0, cost);
    }
    ledger.reached ||= reached === true;
    if (closes === true) ledger.accounts.delete(this);
    else ledger.accounts.set(this, { part: this.part, held: hold });
    this.isKnown = closes !== true;
    this.held = hold;
    this.view = viewOf(ledger);
    return 'done';
  }
}

function newLedger(): Ledger {
  return { spent: 0, writtenOff: 0, dearest: {}, reached: false, accounts: new Map() };
}

function viewOf({ spent, writtenOff, dearest, reached, accounts }: Ledger): LedgerView {
  const held = [...accounts.values()].reduce((sum, entry) => sum + entry.held, 0);
  return { spent, committed: spent + held, writtenOff, dearest: { ...dearest }, reached };
}
