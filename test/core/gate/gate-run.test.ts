import { expect, it } from 'vitest';
import { decideGateRun } from '../../../src/core/gate/gate-run.ts';
import type { RunStatus } from '../../../src/core/schemas/summary.ts';

const members = (...statuses: (RunStatus | `${RunStatus} quarantined`)[]) =>
  statuses.map((text, i) => {
    const [status, quarantined] = text.split(' ');
    return { eval: `eval-${i}`, status: status as RunStatus, quarantined: quarantined !== undefined };
  });

it.each([
  { given: members('passed'), gate: 'pass' },
  { given: members('failed'), gate: 'fail' },
  { given: members('error'), gate: 'error' },
  { given: members('cancelled'), gate: 'error' },
  { given: members('queued'), gate: 'pending' },
  { given: members('passed', 'running'), gate: 'pending' },
  { given: members('error', 'running'), gate: 'pending' },
  { given: members('passed', 'error'), gate: 'error' },
  { given: members('failed', 'error'), gate: 'error' },
  { given: members('passed', 'failed'), gate: 'fail' },
  { given: members('passed', 'failed quarantined'), gate: 'pass' },
  { given: members('passed', 'running quarantined'), gate: 'pass' },
  { given: members('passed quarantined'), gate: 'error' },
  { given: members(), gate: 'error' },
])('$given: $gate', ({ given, gate }) => {
  const decision = decideGateRun(given);
  expect(decision.gate).toBe(gate);
  expect(decision.reasons.length).toBeGreaterThan(0);
});

it('names what is not passed', () => {
  expect(decideGateRun(members('passed', 'failed', 'error')).reasons).toEqual(['eval-1: failed', 'eval-2: error']);
});
