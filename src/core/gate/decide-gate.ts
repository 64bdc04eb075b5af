import type { Decision } from '../schemas/summary.ts';
import type { Policy } from '../schemas/thresholds.ts';
import { policyHash } from '../scoring/policy.ts';
import { baselineReasons } from './baseline-reasons.ts';
import { calibrationReasons } from './calibration-reasons.ts';
import { completenessReasons } from './completeness.ts';
import type { GateInput } from './gate-input.ts';
import { cannotDecide, type Reason } from './reasons.ts';
import { thresholdReasons } from './threshold-reasons.ts';

/**
 * Figures, policy and baseline → decision. Fails closed: whatever keeps the run from being judged is an error, and a
 * limit without values never passes. Lists every broken condition, or all that held when none is broken.
 */
export function decideGate(input: GateInput): Decision {
  const { require_calibration: required } = input.policy;
  const incomplete = [
    ...completenessReasons(input),
    ...(required === undefined ? [] : calibrationReasons(required, input.calibration ?? null)),
  ];
  // Without a single score the limits would only repeat that there is none.
  const judged = input.figures.counts.scored > 0 ? [...thresholdReasons(input), ...baselineReasons(input)] : [];
  const reasons = [...incomplete, ...judged];
  const broken = reasons.filter(({ outcome }) => outcome !== 'pass');
  const policy_hash = policyHash(input.policy);
  if (broken.length > 0) return { outcome: worst(broken), policy_hash, reasons: broken };
  if (reasons.length > 0) return { outcome: 'pass', policy_hash, reasons };
  const nothing = cannotDecide('no_threshold', 'no threshold is set, so nothing decides this run');
  return { outcome: 'error', policy_hash, reasons: [nothing] };
}

/** What CI sees of a decision. */
export function gateOf(decision: Decision, policy: Pick<Policy, 'on_inconclusive'>): 'pass' | 'fail' | 'error' {
  return decision.outcome === 'inconclusive' ? policy.on_inconclusive : decision.outcome;
}

/** How a run can end. */
export type FinalStatus = 'passed' | 'failed' | 'error' | 'cancelled';

/** Final status of a run whose gate is known. */
export function statusOfGate(gate: 'pass' | 'fail' | 'error', cancelled: boolean): FinalStatus {
  if (gate === 'pass') return 'passed';
  if (gate === 'fail') return 'failed';
  return cancelled ? 'cancelled' : 'error';
}

function worst(reasons: readonly Reason[]): Decision['outcome'] {
  const has = (outcome: Decision['outcome']) => reasons.some((reason) => reason.outcome === outcome);
  return has('error') ? 'error' : has('fail') ? 'fail' : 'inconclusive';
}
