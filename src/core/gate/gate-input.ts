import type { Aggregate } from '../aggregate/aggregate.ts';
import type { SkipCause } from '../schemas/result.ts';
import type { BaselineComparison, RunCalibration } from '../schemas/summary.ts';
import type { Policy } from '../schemas/thresholds.ts';
import type { EstimatedMean } from '../statistics/floor-evidence.ts';

/** Why a run ended before its manifest did. `stopped`: the judge failed before grading anything. */
export type StopCause = Exclude<SkipCause, 'lost'>;

/** The figures of a run that its gate looks at. */
export interface GateFigures
  extends Pick<
    Aggregate,
    'counted' | 'passed' | 'score' | 'scoreCi95' | 'passRate' | 'passRateCi95' | 'coverage' | 'weakest'
  > {
  readonly counts: Pick<
    Aggregate['counts'],
    'rows' | 'results' | 'scored' | 'target_error' | 'judge_error' | 'skipped'
  >;
  readonly metrics: Readonly<Record<string, EstimatedMean & { readonly ci95?: readonly [number, number] | null }>>;
  readonly targets: readonly {
    readonly id: string;
    readonly counts: Pick<Aggregate['counts'], 'scored' | 'target_error' | 'judge_error'>;
  }[];
  readonly latency: { readonly p95_ms: number | null };
  readonly cost: { readonly total_usd: number | null; readonly unknown: readonly string[] };
}

export interface GateGuards {
  /** Planted answers on which a judge ruled wrongly, in words. @default none */
  readonly compromised?: readonly string[];
  readonly stopped: StopCause | null;
  /** Results of the manifest that nobody wrote. */
  readonly lost: number;
  readonly costCapReached: boolean;
  readonly cancelled: boolean;
}

export interface GateInput {
  readonly policy: Policy;
  readonly figures: GateFigures;
  /** Null: there is none to compare with. */
  readonly baseline: BaselineComparison | null;
  readonly guards: GateGuards;
  /** How the judge did beside human labels. @default null, never compared */
  readonly calibration?: RunCalibration | null;
}
