import type { PriceTable } from '../core/cost/price-table.ts';
import type { RowResult } from '../core/schemas/result.ts';
import type { RunConfig } from '../core/schemas/run.ts';
import type { RunGuard } from '../use-cases/rows/run-guard.ts';
import type { Workspace } from './workspace.ts';

/** Why a run started no further row; null when all were started. */
export type Stopped = RunGuard['stopped'];

export interface LocalRunContext {
  readonly workspace: Workspace;
  readonly prices: PriceTable;
  readonly ref: string | null;
  readonly sha: string | null;
  /** Aborted: no further row starts, those in flight end, the run is finished as cancelled. */
  readonly cancel: AbortSignal;
  onStart?(run: RunConfig, alreadyDone: number): void;
  /** So many rows passed in the baseline and fail now: they are tried again. */
  onConfirm?(rows: number, trials: number): void;
  onResult?(result: RowResult): void;
}
