import type { RowResult } from '../schemas/result.ts';
import type { RowChecks } from '../schemas/row.ts';
import type { Policy } from '../schemas/thresholds.ts';
import { agentComposite, agentGateFailures } from './agent-gate.ts';
import { COMPOSITE } from './composite.ts';
import { ragComposite, ragGateFailures } from './rag-gate.ts';
import { decideRow, type RowOutcome } from './row-outcome.ts';

/**
 * A scored result under another policy, from its stored scores alone: no target and no judge is asked. `checks` are
 * those of its row. Not for results that were never scored: their status stands.
 */
export function redecideRow(
  { scores, failed_checks }: Pick<RowResult, 'scores' | 'failed_checks'>,
  policy: Policy,
  checks: RowChecks,
): RowOutcome {
  const former = failed_checks.filter((check) => !check.startsWith('veto: '));
  const gate = policy.row_gate;
  if (gate === undefined) return decideRow({ scores, failedChecks: former, warnings: [] }, policy);
  if ('require_contains' in gate) {
    const failedChecks = ragGateFailures(scores, gate, checks);
    return decideRow(
      { scores: { ...scores, [COMPOSITE]: ragComposite(scores, gate) }, failedChecks, warnings: [] },
      policy,
    );
  }
  const failedGates = agentGateFailures(scores, gate, checks);
  const failedChecks = [
    ...failedGates,
    ...(failedGates.includes('min_tool_score') ? former.filter((check) => check.startsWith('must_')) : []),
    // A limit of the row, whatever the policy says.
    ...former.filter((check) => check.startsWith('max_tool_calls')),
  ];
  return decideRow(
    { scores: { ...scores, [COMPOSITE]: agentComposite(scores, gate) }, failedChecks, warnings: [] },
    policy,
  );
}
