import type { RunStatus } from '../schemas/summary.ts';

export interface GateRunMember {
  readonly eval: string;
  readonly status: RunStatus;
  /** Shown, never decides. */
  readonly quarantined: boolean;
}

export interface GateRunDecision {
  readonly gate: 'pending' | 'pass' | 'fail' | 'error';
  readonly reasons: readonly string[];
}

/** The gate of the runs that one call started: pending until all that count are final, then as bad as the worst. */
export function decideGateRun(members: readonly GateRunMember[]): GateRunDecision {
  const counting = members.filter(({ quarantined }) => !quarantined);
  if (counting.length === 0) {
    const why = members.length === 0 ? 'no eval was started' : 'every eval is quarantined';
    return { gate: 'error', reasons: [`${why}, so nothing was checked`] };
  }
  const waiting = counting.filter(({ status }) => !isFinal(status));
  if (waiting.length > 0) return { gate: 'pending', reasons: [`waiting for ${names(waiting)}`] };
  const broken = counting.filter(({ status }) => status !== 'passed');
  if (broken.length === 0) return { gate: 'pass', reasons: [`passed: ${names(counting)}`] };
  const gate = broken.every(({ status }) => status === 'failed') ? 'fail' : 'error';
  return { gate, reasons: broken.map((member) => `${member.eval}: ${member.status}`) };
}

function isFinal(status: RunStatus): boolean {
  return status !== 'queued' && status !== 'running';
}

function names(members: readonly GateRunMember[]): string {
  return members.map((member) => member.eval).join(', ');
}
