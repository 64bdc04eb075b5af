import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { NanoUsd } from '../../core/cost/nano-usd.ts';
import { StorageError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LedgerOutcome, LedgerStep, LedgerView, SpendAccount, SpendLedger } from '../../ports/spend-ledger.ts';
import type { DynamoTable, Item } from './dynamo-table.ts';
import type { Key } from './table-keys.ts';
import { keys } from './table-keys.ts';

/** What one delivery of a part holds. `step` counts its writes, so that the repetition of one has no effect. */
const EntrySchema = z.object({ held: z.number(), step: z.number() });

const LedgerSchema = z.object({
  spent: z.number(),
  committed: z.number(),
  written_off: z.number(),
  dearest: z.record(z.string(), z.number()),
  reached: z.boolean(),
  accounts: z.record(z.string(), EntrySchema),
});
type Ledger = z.infer<typeof LedgerSchema>;

export interface DynamoSpendLedgerOptions {
  readonly table: DynamoTable;
  readonly clock: Pick<Clock, 'sleep'>;
  /** 0 to 1, for the jitter between attempts. @default Math.random */
  readonly random?: () => number;
}

/**
 * One item a run: the sums, and what each open account holds (some 60 bytes; closed ones are gone). DynamoDB's conditions
 * cannot add, so the sum of all that is spent or held is kept beside them: a step is one update under the condition that
 * this sum leaves room for it. Steps of different accounts do not get in each other's way.
 */
export class DynamoSpendLedger implements SpendLedger {
  private readonly options: DynamoSpendLedgerOptions;

  constructor(options: DynamoSpendLedgerOptions) {
    this.options = options;
  }

  async open({ runId, part }: { runId: string; part: number }, cap: NanoUsd): Promise<SpendAccount> {
    const key = keys.spending(runId);
    const ledger = await this.writeOff(key, part, await this.openLedger(key));
    return new DynamoAccount(key, `${part}#${randomBytes(9).toString('base64url')}`, cap, ledger, this.options);
  }

  private async openLedger(key: Key): Promise<Ledger> {
    const { table } = this.options;
    const found = await table.get(key);
    if (found !== null) return readLedger(found);
    const ledger: Ledger = { spent: 0, committed: 0, written_off: 0, dearest: {}, reached: false, accounts: {} };
    const { written, found: other } = await table.putIf(
      { ...key, ...ledger },
      { expression: 'attribute_not_exists(pk)' },
    );
    return written || other === null ? ledger : readLedger(other);
  }

  /** What is held becomes spent; the sum of both stays. An account that moves meanwhile is read anew. */
  private async writeOff(key: Key, part: number, first: Ledger): Promise<Ledger> {
    let ledger = first;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const former = Object.entries(ledger.accounts).find(([name]) => name.startsWith(`${part}#`));
      if (former === undefined) return ledger;
      const [name, { held, step }] = former;
      const update = {
        add: ['spent :held', 'written_off :held'],
        remove: ['accounts.#name'],
        names: { '#name': name },
        values: { ':held': held },
      };
      const condition = {
        expression: 'accounts.#name.#step = :step',
        names: { '#step': 'step' },
        values: { ':step': step },
      };
      const item =
        (await this.options.table.updateIf(key, update, condition)) ?? (await readAgain(key, attempt, this.options));
      ledger = readLedger(item);
    }
    throw busy(key);
  }
}

const ATTEMPTS = 20;
const LONGEST_WAIT_MS = 500;

class DynamoAccount implements SpendAccount {
  view: LedgerView;
  held: NanoUsd = 0;
  private readonly key: Key;
  private readonly name: string;
  private readonly cap: NanoUsd;
  private readonly options: DynamoSpendLedgerOptions;
  /** Of the last step; 0: the ledger does not know this account. */
  private steps = 0;

  constructor(key: Key, name: string, cap: NanoUsd, ledger: Ledger, options: DynamoSpendLedgerOptions) {
    this.key = key;
    this.name = name;
    this.cap = cap;
    this.options = options;
    this.view = viewOf(ledger);
  }

  async step(step: LedgerStep): Promise<LedgerOutcome> {
    if (step.closes === true && this.steps === 0) return this.closeUnknown(step);
    const delta = step.spent + step.hold - this.held;
    const limit = step.mustFit === true ? this.cap - delta : null;
    if (limit !== null && limit < 0) return 'does not fit';
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const updated = await this.write(step, delta, limit);
      if (updated !== null) return this.done(step, readLedger(updated));
      const ledger = readLedger(await readAgain(this.key, attempt, this.options));
      const entry = ledger.accounts[this.name];
      // Its reply was lost, and the SDK's repetition found what the first attempt wrote.
      if (entry?.step === this.steps + 1) return this.done(step, ledger);
      this.view = viewOf(ledger);
      if (entry === undefined && this.steps > 0) {
        this.steps = 0;
        this.held = 0;
        // An account that closed has left no entry either, if it was that reply which was lost: nothing is left to do.
        return 'written off';
      }
      if (limit !== null && ledger.committed > limit) return 'does not fit';
    }
    throw busy(this.key);
  }

  /** Only an entry tells a repeated write from a first one. */
  private async closeUnknown({ closes: _, ...step }: LedgerStep): Promise<LedgerOutcome> {
    if (step.spent === 0 && step.reached !== true) return 'done';
    const outcome = await this.step(step);
    return outcome === 'done' ? this.step({ spent: 0, hold: 0, closes: true }) : outcome;
  }

  private write({ spent, hold, dearest = {}, reached, closes }: LedgerStep, delta: NanoUsd, limit: NanoUsd | null) {
    const records = Object.entries(dearest).filter(([target, cost]) => cost > (this.view.dearest[target] ?? -1));
    const entry = { held: hold, step: this.steps + 1 };
    const names: Record<string, string> = { '#me': this.name };
    const values: Record<string, unknown> = {
      ':delta': delta,
      ':spent': spent,
      ...(closes === true ? {} : { ':entry': entry }),
      ...(reached === true ? { ':true': true } : {}),
    };
    const conditions = [this.steps === 0 ? 'attribute_not_exists(accounts.#me)' : 'accounts.#me.#step = :step'];
    if (this.steps > 0) {
      names['#step'] = 'step';
      values[':step'] = this.steps;
    }
    if (limit !== null) {
      conditions.push('committed <= :limit');
      values[':limit'] = limit;
    }
    for (const [at, [target, cost]] of records.entries()) {
      names[`#t${at}`] = target;
      values[`:d${at}`] = cost;
      conditions.push(`(attribute_not_exists(dearest.#t${at}) OR dearest.#t${at} < :d${at})`);
    }
    return this.options.table.updateIf(
      this.key,
      {
        add: ['committed :delta', 'spent :spent'],
        set: [
          ...(closes === true ? [] : ['accounts.#me = :entry']),
          ...(reached === true ? ['reached = :true'] : []),
          ...records.map((_, at) => `dearest.#t${at} = :d${at}`),
        ],
        ...(closes === true ? { remove: ['accounts.#me'] } : {}),
        names,
        values,
      },
      { expression: conditions.join(' AND ') },
    );
  }

  private done({ hold, closes }: LedgerStep, ledger: Ledger): LedgerOutcome {
    this.steps = closes === true ? 0 : this.steps + 1;
    this.held = hold;
    this.view = viewOf(ledger);
    return 'done';
  }
}

async function readAgain(key: Key, attempt: number, options: DynamoSpendLedgerOptions): Promise<Item> {
  if (attempt > 1) {
    const ceilingMs = Math.min(LONGEST_WAIT_MS, 10 * 2 ** attempt);
    await options.clock.sleep(ceilingMs * (options.random ?? Math.random)());
  }
  const item = await options.table.get(key);
  if (item === null) throw new StorageError(`${key.pk}: what the run has spent has vanished`);
  return item;
}

function busy(key: Key): StorageError {
  return new StorageError(`${key.pk}: what the run has spent is being written by too many at once`);
}

function readLedger(item: Item): Ledger {
  return LedgerSchema.parse(item);
}

function viewOf({ spent, committed, written_off, dearest, reached }: Ledger): LedgerView {
  return { spent, committed, writtenOff: written_off, dearest, reached };
}
