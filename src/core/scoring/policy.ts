import { ConfigError, type Fault } from '../errors.ts';
import { canonicalJson, sha256Hex } from '../json.ts';
import type { EvalConfig, EvalType } from '../schemas/eval.ts';
import { type Policy, PolicySchema, THRESHOLDS_OF_TYPE, type ThresholdName } from '../schemas/thresholds.ts';
import { agentGateOf } from './agent-gate.ts';
import { ragGateOf } from './rag-gate.ts';

export const DEFAULT_PASS_MARK = 0.8;
export const DEFAULT_MIN_COVERAGE = 0.9;

export interface PolicyDefaults {
  /** The project's pass mark, 0..1; for evals of type metrics that set no `min_score`. @default 0.8 */
  readonly projectPassMark?: number;
}

/**
 * What decides a run: the eval's thresholds with the defaults of its type (SCORING §7).
 * Throws ConfigError where a threshold does not belong to the type or contradicts another.
 */
export function resolvePolicy(config: EvalConfig, defaults: PolicyDefaults = {}): Policy {
  const faults = checkThresholds(config);
  if (faults.length > 0) throw new ConfigError(faults);
  const { thresholds, type } = config;
  const isMetrics = type === 'metrics';
  const passMark = isMetrics ? (thresholds.min_score ?? defaults.projectPassMark ?? DEFAULT_PASS_MARK) : null;
  return PolicySchema.parse({
    type,
    row_mark: rowMark(type, passMark),
    ...rowGate(config),
    pass_rate: thresholds.pass_rate ?? (isMetrics ? null : 1),
    min_score: passMark ?? thresholds.min_score ?? null,
    // By interval the margin rules on drops; that one flip fails would leave it nothing to decide.
    fail_on_regression: thresholds.fail_on_regression ?? (!isMetrics && config.decide_by === 'point'),
    max_score_drop: thresholds.max_score_drop ?? null,
    max_mean_score_drop: thresholds.max_mean_score_drop ?? null,
    same_rows_only: thresholds.same_rows_only ?? false,
    max_cost_usd: thresholds.max_cost_usd ?? null,
    max_p95_latency_ms: thresholds.max_p95_latency_ms ?? null,
    min_coverage: thresholds.min_coverage ?? DEFAULT_MIN_COVERAGE,
    require_baseline: thresholds.require_baseline ?? false,
    strict_baseline: thresholds.strict_baseline ?? false,
    metric_floors: thresholds.metric_floors ?? {},
    veto: config.veto,
    trial_policy: config.trial_policy,
    decide_by: config.decide_by,
    margin: config.margin ?? null,
    on_inconclusive: config.on_inconclusive,
    ...(config.require_calibration === undefined ? {} : { require_calibration: config.require_calibration }),
  } satisfies Policy);
}

/** SHA-256 of the policy: names the rules a decision was made under. */
export function policyHash(policy: Policy): string {
  return sha256Hex(canonicalJson(policy));
}

/** Thresholds that would be silently without effect. */
export function checkThresholds(config: EvalConfig): readonly Fault[] {
  const faults: Fault[] = [];
  const allowed: readonly ThresholdName[] = THRESHOLDS_OF_TYPE[config.type];
  for (const name of Object.keys(config.thresholds) as ThresholdName[]) {
    if (config.thresholds[name] === undefined || allowed.includes(name)) continue;
    const message = `${name} does not belong to an eval of type ${config.type}`;
    faults.push({ field: `thresholds.${name}`, message, fix: `it takes ${allowed.join(', ')}` });
  }
  if (config.decide_by === 'point' && config.margin !== undefined) {
    const fix = 'set decide_by: interval, or use thresholds.max_score_drop';
    faults.push({ field: 'margin', message: 'a margin has no effect with decide_by: point', fix });
  }
  if (config.baseline === 'none' && config.thresholds.require_baseline === true) {
    const message = 'require_baseline needs a baseline, and baseline is none';
    faults.push({ field: 'thresholds.require_baseline', message, fix: 'set baseline: last-pass, or drop it' });
  }
  return faults;
}

function rowGate({ type, thresholds }: EvalConfig): Pick<Policy, 'row_gate'> {
  if (type === 'rag') return { row_gate: ragGateOf(thresholds) };
  return type === 'agent' ? { row_gate: agentGateOf(thresholds) } : {};
}

function rowMark(type: EvalType, passMark: number | null): number | null {
  return type === 'rag' || type === 'agent' ? null : (passMark ?? 1);
}
