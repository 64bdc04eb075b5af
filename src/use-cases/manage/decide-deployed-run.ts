import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parsePolicy } from '../../core/config/parse-policy.ts';
import { readText } from '../../core/read-text.ts';
import type { RedecidedRun } from '../../core/schemas/redecided-run.ts';
import type { RunRecord } from '../../core/schemas/registry.ts';
import { type RunConfig, RunConfigSchema } from '../../core/schemas/run.ts';
import type { RunSummary } from '../../core/schemas/summary.ts';
import { resolvePolicy } from '../../core/scoring/policy.ts';
import type { RunRef } from '../../ports/result-parts.ts';
import type { ByteChunks } from '../../ports/run-store.ts';
import { type DecideRunInput, decideRun, type StoredResults } from '../aggregate/decide-run.ts';
import { type DeployedPorts, isFinal } from '../deployed.ts';
import { ConflictError, NotFoundError, TooLargeError } from './errors.ts';
import { readSummary } from './read-run.ts';

/** Of the run and its baseline together: an API call has 29 s and a third of a processor. */
const MOST_RESULTS = 20_000;
const MOST_LISTED = 1_000;

type Ports = Pick<DeployedPorts, 'registry' | 'runs' | 'parts'>;

export interface DecideDeployedRunRequest {
  readonly runId: string;
  /** As in a policy file; absent: the policy the run had. */
  readonly policy?: unknown;
}

/** Lists of rows longer than 1,000 are cut, and `cut` names them. */
export type RedecidedDeployedRun = RedecidedRun & { readonly cut: readonly string[] };

/**
 * A finished run under another policy, by the rules of `assay decide`: no model is asked and nothing is written.
 * Throws NotFoundError, ConflictError, TooLargeError, ConfigError for a policy that does not fit, StorageError.
 */
export async function decideDeployedRun(
  { runId, policy }: DecideDeployedRunRequest,
  ports: Ports,
): Promise<RedecidedDeployedRun> {
  const run = await ports.registry.getRun(runId);
  if (run === null) throw new NotFoundError(`there is no run "${runId}"`);
  if (!isFinal(run)) throw new ConflictError('run-not-finished', `run "${runId}" is ${run.status}`);
  const [config, summary] = await Promise.all([readConfig(run, ports), readSummary(run, ports)]);
  if (config === null || summary === null) {
    throw new ConflictError('run-without-results', `run "${runId}" has no results to decide by`);
  }
  // All that may be refused comes first: a stream that is opened and then not read would hold its connection.
  const under = policy === undefined ? config.eval : parsePolicy(policy, config.eval);
  // The project's own mark is in the stored policy and nowhere else.
  const defaults = policy === undefined ? { projectPassMark: config.policy.row_mark ?? undefined } : {};
  resolvePolicy(under, defaults);
  const former = await baselineConfig(run, summary, ports);
  // Under the policy it had, no row of the baseline is decided again.
  refuseLarge(runId, summary.counts.results, policy === undefined ? 0 : resultsOf(former));
  const input: DecideRunInput = {
    ...storedResults(config, ports),
    summary,
    baseline: former === null ? null : await openBaseline(run, former, ports),
    outcomes: await readOutcomes(run, ports),
    eval: under,
    defaults,
  };
  return shortened(await decideRun(input));
}

type Named = Pick<RunRecord, 'run_id' | 'project'>;

async function readConfig({ run_id, project }: Named, { runs }: Ports): Promise<RunConfig | null> {
  const chunks = await runs(project).read(run_id, 'config.json');
  return chunks === null ? null : RunConfigSchema.parse(JSON.parse(await readText(chunks)));
}

async function readOutcomes({ run_id, project }: Named, { runs }: Ports): Promise<ByteChunks | null> {
  const packed = await runs(project).read(run_id, 'outcomes.jsonl.gz');
  // Errors of both come out of the iteration.
  return packed === null ? null : (pipeline(packed, createGunzip(), () => {}) as AsyncIterable<Buffer>);
}

function storedResults(config: RunConfig, { runs, parts }: Ports): StoredResults {
  const { run_id: runId, project, started_at: startedAt } = config;
  const ref: RunRef = { runId, project, startedAt };
  return {
    config,
    results: () => parts.reader(ref).read(runId),
    rows: () => runs(project).read(runId, 'rows.jsonl'),
  };
}

/** Null: the run was compared with none. */
async function baselineConfig(
  { run_id: runId, project }: Named,
  { baseline }: RunSummary,
  ports: Ports,
): Promise<RunConfig | null> {
  if (baseline === null) return null;
  const config = await readConfig({ run_id: baseline.run_id, project }, ports);
  if (config === null) throw baselineGone(runId, baseline.run_id);
  return config;
}

async function openBaseline(
  { run_id: runId, project }: Named,
  config: RunConfig,
  ports: Ports,
): Promise<DecideRunInput['baseline']> {
  const outcomes = await readOutcomes({ run_id: config.run_id, project }, ports);
  if (outcomes === null) throw baselineGone(runId, config.run_id);
  return { config, outcomes, stored: storedResults(config, ports) };
}

function baselineGone(runId: string, baselineId: string): ConflictError {
  const message = `run "${runId}" was compared with ${baselineId}, which is gone: without it the decision would be another one`;
  return new ConflictError('baseline-gone', message);
}

function resultsOf(config: RunConfig | null): number {
  return config === null ? 0 : config.rows * config.eval.targets.length * config.eval.trials;
}

function refuseLarge(runId: string, results: number, ofBaseline: number): void {
  if (results + ofBaseline <= MOST_RESULTS) return;
  const more = ofBaseline === 0 ? '' : ` and its baseline ${ofBaseline}`;
  throw new TooLargeError(
    `run "${runId}" has ${results} results${more}, and a call of the API decides up to ${MOST_RESULTS}; copy its files to .assay/runs/${runId} and use \`assay decide\`, which takes any number`,
  );
}

function shortened(decided: RedecidedRun): RedecidedDeployedRun {
  const cut: string[] = [];
  const few = (name: string, ids: readonly string[]) => {
    if (ids.length > MOST_LISTED) cut.push(`${name}: ${MOST_LISTED} of ${ids.length}`);
    return ids.slice(0, MOST_LISTED);
  };
  const { now_passed, now_failed, now_unknown } = decided.changed.rows;
  const rows = {
    now_passed: few('now_passed', now_passed),
    now_failed: few('now_failed', now_failed),
    now_unknown: few('now_unknown', now_unknown),
  };
  return { ...decided, changed: { ...decided.changed, rows }, cut };
}
