import { stringify } from 'yaml';
import { systemClock } from '../../adapters/system-clock.ts';
import { policyFileOf } from '../../core/config/policy-file.ts';
import { ConfigError } from '../../core/errors.ts';
import type { RedecidedRun } from '../../core/schemas/redecided-run.ts';
import type { Policy } from '../../core/schemas/thresholds.ts';
import { policyHash } from '../../core/scoring/policy.ts';
import { countOf } from '../../report/format.ts';
import { snippet, visibleLine } from '../../report/visible-text.ts';
import { decideStoredRun } from '../../runner/decide-stored-run.ts';
import { readRunConfig } from '../../runner/former-run.ts';
import { type DecidedByApp, decideDeployed } from '../decide-deployed.ts';
import { EXIT_PASSED, exitOfGate } from '../exit.ts';
import { parseOptions } from '../options.ts';
import { findRuns, RUN_SOURCE_HELP, RUN_SOURCE_OPTIONS, type RunSource } from '../run-source.ts';

const HELP = `assay decide <run> [--policy policy.yaml] [--json]     decide a stored run again, asking no model
assay decide <run> --print-policy > policy.yaml     the policy it was decided by, to start from

The policy file holds thresholds, veto, trial_policy, decide_by, margin, on_inconclusive, require_calibration, or is an eval
file of which these count. What it leaves out takes its default. Without --policy: the policy the run had.
Rows are decided again from their stored scores, so other row marks and vetoes count too. The stored decision stands;
of a run on this machine the new one is noted in decisions.jsonl beside it. A deployed app decides runs of up to 20,000
results, and a token that only reads will do.

${RUN_SOURCE_HELP}
Exit codes: 0 passed, or failed and quarantined; 1 failed, 2 could not decide.
`;

const ROWS_SHOWN = 10;

export async function decide(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    policy: { type: 'string' },
    'print-policy': { type: 'boolean' },
    json: { type: 'boolean' },
    ...RUN_SOURCE_OPTIONS,
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const runId = options.only(
    'run',
    'assay decide <run> --policy policy.yaml, with the name of a folder under .assay/runs',
  );
  const source = await findRuns([runId], options);
  const policyFile = options.text('policy');
  if (options.flag('print-policy')) {
    if (policyFile !== undefined) {
      throw new ConfigError([{ message: '--print-policy prints the policy of the run', fix: 'leave out --policy' }]);
    }
    process.stdout.write(policyText(runId, await policyInForce(runId, source)));
    return EXIT_PASSED;
  }
  const { decided, cut } = await decideIn(source, runId, policyFile);
  const shown = options.flag('json')
    ? `${JSON.stringify(cut.length === 0 ? decided : { ...decided, cut }, null, 2)}\n`
    : describe(decided, cut);
  process.stdout.write(shown);
  return exitOfGate(decided);
}

async function decideIn(source: RunSource, runId: string, policyFile: string | undefined): Promise<DecidedByApp> {
  if (source.kind === 'deployed') return decideDeployed(runId, policyFile, source.client);
  const decidedAt = new Date(systemClock.now()).toISOString();
  return { decided: await decideStoredRun(runId, source.workspace, { policyFile, decidedAt }), cut: [] };
}

async function policyInForce(runId: string, source: RunSource): Promise<Policy> {
  if (source.kind === 'deployed') return (await decideDeployed(runId, undefined, source.client)).decided.policy;
  const config = await readRunConfig(runId, source.workspace.runs);
  if (config !== null) return config.policy;
  throw new ConfigError([{ message: `there is no run "${runId}"`, fix: 'name a folder under .assay/runs' }]);
}

function policyText(runId: string, policy: Policy): string {
  return `# Policy ${policyHash(policy).slice(0, 12)} of run ${runId}. What is left out takes its default.\n${stringify(policyFileOf(policy))}`;
}

function describe(decided: RedecidedRun, cut: readonly string[]): string {
  const { run_id, eval: name, gate, decision, stored, changed, warnings, quarantined } = decided;
  const lines = [
    `${run_id}  ${visibleLine(name)}`,
    `policy    ${decision.policy_hash.slice(0, 12)}${changed.policy.length === 0 ? ', the one it was decided by' : `, was ${stored.decision.policy_hash.slice(0, 12)}`}`,
    ...changed.policy.map(
      ({ field, from, to }) => `  ${visibleLine(`${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`)}`,
    ),
    ...rowLines(changed.rows),
    ...cut.map((list) => `cut       ${visibleLine(list)}`),
    ...warnings.map((warning) => `warning: ${visibleLine(warning)}`),
    `stored    ${stored.gate.toUpperCase()}`,
    ...decision.reasons.map((reason) => `${reason.outcome.padEnd(12)}  ${visibleLine(reason.text)}`),
    `gate: ${gate.toUpperCase()}${decision.outcome === 'inconclusive' ? ' (inconclusive)' : ''}${changed.gate ? `, it was ${stored.gate.toUpperCase()}` : ', as before'}`,
    ...(quarantined ? ['quarantined: does not decide'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function rowLines({ now_passed, now_failed, now_unknown }: RedecidedRun['changed']['rows']): string[] {
  const line = (what: string, ids: readonly string[]) =>
    ids.length === 0
      ? []
      : [
          `${countOf(ids.length, 'row')} now ${what}: ${ids
            .slice(0, ROWS_SHOWN)
            .map((id) => snippet(id, 60))
            .join(', ')}${ids.length > ROWS_SHOWN ? ', …' : ''}`,
        ];
  return [...line('passed', now_passed), ...line('failed', now_failed), ...line('without a verdict', now_unknown)];
}
