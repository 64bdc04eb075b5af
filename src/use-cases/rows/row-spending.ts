import { costInNanos, limitInNanos, type NanoUsd } from '../../core/cost/nano-usd.ts';
import type { PriceTable } from '../../core/cost/price-table.ts';
import { costBoundOfCanaries, costBounds } from '../../core/plan/cost-bound.ts';
import type { CanaryReport } from '../../core/schemas/canaries.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import { scoringFor } from '../../core/scoring/scoring-for.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SpendLedger } from '../../ports/spend-ledger.ts';
import { isPlanted } from '../judge/check-judge.ts';
import { type Admission, type Claim, CostAllowance } from './cost-allowance.ts';
import { wasCutOff } from './cut-off.ts';
import type { RowTask, TaskSpending } from './evaluate-rows.ts';

export interface EarlierSpending {
  readonly spentUsd: number;
  readonly dearestUsd: Readonly<Record<string, number>>;
}

export interface OpenSpending {
  readonly run: RunConfig;
  readonly ledger: SpendLedger;
  /** Names the batch in its run. */
  readonly part: number;
  readonly prices: PriceTable;
  /** Rows in flight. */
  readonly concurrency: number;
  readonly clock: Pick<Clock, 'sleep'>;
  /** What this run paid before its ledger began, and its dearest answers by target. @default nothing */
  readonly earlier?: EarlierSpending;
  /** @default Math.random */
  readonly random?: () => number;
}

/**
 * A target that tells what it cost only afterwards: its next answer is taken to cost at most so many times the dearest one
 * seen; until it has given one, it is asked one row at a time.
 */
const MARGIN = 2;
/** Rows that money is asked for at once, where there is plenty. */
const LEAST_CHUNK = 4;

/** What rows of a run with a hard cap may spend. Null: the run has no cap, and nothing is kept of what it spends. */
export async function openSpending(options: OpenSpending): Promise<RowSpending | null> {
  const { run, ledger, part, concurrency, clock, random = Math.random, earlier } = options;
  if (run.eval.max_cost_usd_hard === undefined) return null;
  const cap = limitInNanos(run.eval.max_cost_usd_hard);
  const account = await ledger.open({ runId: run.run_id, part }, cap);
  if (earlier !== undefined && earlier.spentUsd > 0) {
    const dearest = Object.entries(earlier.dearestUsd).map(([target, usd]) => [target, costInNanos(usd)]);
    await account.step({ spent: costInNanos(earlier.spentUsd), hold: 0, dearest: Object.fromEntries(dearest) });
  }
  const chunk = Math.max(LEAST_CHUNK, concurrency);
  return new RowSpending(new CostAllowance({ account, cap, chunk, clock, random }), options);
}

export class RowSpending implements TaskSpending {
  private readonly allowance: CostAllowance;
  private readonly config: RunConfig['eval'];
  private readonly prices: PriceTable;
  private readonly boundOf: ReturnType<typeof costBounds>;
  private readonly claims = new Map<RowTask, Claim>();

  constructor(allowance: CostAllowance, { run, prices }: Pick<OpenSpending, 'run' | 'prices'>) {
    this.allowance = allowance;
    this.config = run.eval;
    this.prices = prices;
    this.boundOf = costBounds(run.eval, scoringFor(run.eval.type), prices);
  }

  /** Why a row was refused, for people. */
  get why(): string {
    return this.allowance.why ?? 'hard cost cap reached';
  }

  async admit(task: RowTask, goesOn: () => boolean): Promise<Admission> {
    const claim = this.claimOf(task);
    const admission = await this.allowance.admit(claim, goesOn);
    if (admission === 'go') this.claims.set(task, claim);
    return admission;
  }

  settle(task: RowTask, result: RowResult): void {
    const claim = this.taken(task);
    // What a cut-off request cost, nobody tells.
    this.allowance.settle(claim, costInNanos(usdOf(result)), { isSample: isSample(result), isAll: !wasCutOff(result) });
  }

  giveBack(task: RowTask): void {
    this.allowance.giveBack(this.taken(task));
  }

  /** Planted answers, paid for before any row. Refused where the cap has no room for the most they can cost. */
  async forCanaries(ask: () => Promise<CanaryReport | null>): Promise<CanaryReport | 'refused' | null> {
    const bound = costInNanos(costBoundOfCanaries(this.config, this.prices, (judge) => isPlanted(this.config, judge)));
    const claim: Claim = { target: null, bound: () => bound };
    if ((await this.allowance.admit(claim, () => true)) !== 'go') return 'refused';
    const report = await ask();
    const usd = report?.cost.status === 'metered' ? report.cost.usd : 0;
    this.allowance.settle(claim, costInNanos(usd), { isSample: false, isAll: true });
    return report;
  }

  close(): Promise<void> {
    return this.allowance.close();
  }

  private taken(task: RowTask): Claim {
    const claim = this.claims.get(task);
    if (claim === undefined) throw new Error('a row ended that was never admitted');
    this.claims.delete(task);
    return claim;
  }

  private claimOf({ row, target: { id } }: RowTask): Claim {
    const { usd, isWhole } = this.boundOf(row, id);
    const planned = costInNanos(usd);
    const bound: Claim['bound'] = (dearest) => {
      const seen = dearest[id];
      if (isWhole) return Math.max(planned, seen ?? 0);
      return seen === undefined ? null : withinNanos(planned + seen * MARGIN);
    };
    return { target: id, bound };
  }
}

/** Adds up what stands in results, for a run that goes on with them. */
export class SpendingSoFar implements EarlierSpending {
  spentUsd = 0;
  readonly dearestUsd: Record<string, number> = {};

  note(result: RowResult): void {
    const usd = usdOf(result);
    this.spentUsd += usd;
    if (isSample(result)) this.dearestUsd[result.target] = Math.max(usd, this.dearestUsd[result.target] ?? 0);
  }
}

const usdOf = ({ cost_target_usd, cost_judge_usd }: RowResult): number =>
  (cost_target_usd ?? 0) + (cost_judge_usd ?? 0);

/** A row that was not answered tells too little of what one costs. */
const isSample = ({ status }: RowResult): boolean => status === 'scored' || status === 'judge_error';

const withinNanos = (nanos: number): NanoUsd => Math.min(Number.MAX_SAFE_INTEGER, nanos);
