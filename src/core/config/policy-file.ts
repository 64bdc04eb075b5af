import type * as z from 'zod';
import { type Policy, THRESHOLDS_OF_TYPE, type ThresholdName } from '../schemas/thresholds.ts';
import type { PolicyFileSchema } from './parse-policy.ts';

/**
 * The policy of a run as the file that gives it back: `parsePolicy` and `resolvePolicy` make the same policy of it, with the
 * same hash. Every rule that applies is in it, those that were left to their default too.
 */
export function policyFileOf(policy: Policy): z.input<typeof PolicyFileSchema> {
  const { type, veto, trial_policy, decide_by, margin, on_inconclusive, require_calibration } = policy;
  const names: readonly ThresholdName[] = THRESHOLDS_OF_TYPE[type];
  const thresholds = names.flatMap((name) => {
    const value = thresholdOf(policy, name);
    return value === undefined ? [] : [[name, value]];
  });
  return {
    thresholds: Object.fromEntries(thresholds),
    veto,
    trial_policy,
    decide_by,
    ...(margin === null ? {} : { margin }),
    on_inconclusive,
    ...(require_calibration === undefined ? {} : { require_calibration }),
  };
}

/** Undefined: the rule does not apply, which is its default. In a row gate null switches a default off, so it stands. */
function thresholdOf({ row_gate, ...run }: Policy, name: ThresholdName): unknown {
  const ofRows = (row_gate as Record<string, unknown> | undefined)?.[name];
  return ofRows === undefined ? ((run as Record<string, unknown>)[name] ?? undefined) : ofRows;
}
