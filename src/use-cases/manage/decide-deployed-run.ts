import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parsePolicy } from '../../core/config/parse-policy.ts';
import type { RunRecord } from '../../core/schemas/registry.ts';
import { type RunConfig, RunConfigSchema } from '../../core/schemas/run.ts';
import type { RunRef } from '../../ports/result-parts.ts';
import type { ByteChunks } from '../../ports/run-store.ts';
import { type DecideRunInput, decideRun, type RedecidedRun, type StoredResults } from '../decide-run.ts';
import { type DeployedPorts, isFinal, readText } from '../deployed.ts';
import { ConflictError, NotFoundError, TooLargeError } from './errors.ts';
import { readSummary } from './read-run.ts';

/** An API call has 29 s. */
const MOST_RESULTS = 20_000;
const MOST_LISTED = 1_000;

type Ports = Pick<DeployedPorts, 'registry' | 'runs' | 'parts'>;

export interface DecideDeployedRunRequest {
  readonly runId: string;
  /** As in a policy file; absent: the policy the run had. */
  readonly policy?: unknown;
}

/** Lists of rows longer than 1,000 are cut, and `cut` names them. */
export type RedecidedDeployedRun = Omit<RedecidedRun, 'summary'> & { readonly cut: readonly string[] };

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
  refuseLarge(runId, summary.counts.results);
  const input: DecideRunInput = {
    ...storedResults(config, ports),
    summary,
    outcomes: await readOutcomes(run, ports),
    eval: policy === undefined ? config.eval : parsePolicy(policy, config.eval),
    // The project's own mark is in the stored policy and nowhere else.
    defaults: policy === undefined ? { projectPassMark: config.policy.row_mark ?? undefined } : {},
    baseline: await openBaseline(run, summary.baseline?.run_id ?? null, ports),
  };
  const { summary: _summary, ...decided } = await decideRun(input);
  return shortened(decided);
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

async function openBaseline(
  { run_id: runId, project }: Named,
  baselineId: string | null,
  ports: Ports,
): Promise<DecideRunInput['baseline']> {
  if (baselineId === null) return null;
  const named = { run_id: baselineId, project };
  const [config, outcomes] = await Promise.all([readConfig(named, ports), readOutcomes(named, ports)]);
  if (config === null || outcomes === null) {
    const message = `run "${runId}" was compared with ${baselineId}, which is gone: without it the decision would be another one`;
    throw new ConflictError('baseline-gone', message);
  }
  refuseLarge(baselineId, config.rows * config.eval.targets.length * config.eval.trials);
  return { config, outcomes, stored: storedResults(config, ports) };
}

function refuseLarge(runId: string, results: number): void {
  if (results <= MOST_RESULTS) return;
  throw new TooLargeError(
    `run "${runId}" has ${results} results, and a call of the API decides up to ${MOST_RESULTS}; copy its files to .assay/runs/${runId} and use \`assay decide\`, which takes any number`,
  );
}

function shortened(decided: Omit<RedecidedRun, 'summary'>): RedecidedDeployedRun {
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
