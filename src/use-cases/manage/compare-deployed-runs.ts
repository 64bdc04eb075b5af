import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readText } from '../../core/read-text.ts';
import { RunConfigSchema } from '../../core/schemas/run.ts';
import { RunSummarySchema } from '../../core/schemas/summary.ts';
import { type ComparedRun, compareRuns, type RunComparison } from '../aggregate/compare-runs.ts';
import { type DeployedPorts, isFinal } from '../deployed.ts';
import { ConflictError, NotFoundError } from './errors.ts';

/** The first run's outcomes are held in memory. */
const MOST_ROWS = 250_000;
const MOST_LISTED = 1_000;

type Ports = Pick<DeployedPorts, 'registry' | 'runs'>;

/** Lists longer than 1,000 are cut, and `cut` names them. Throws NotFoundError, ConflictError. */
export async function compareDeployedRuns(
  request: { readonly first: string; readonly second: string },
  ports: Ports,
): Promise<RunComparison & { readonly cut: readonly string[] }> {
  const [first, second] = await Promise.all([open(request.first, ports), open(request.second, ports)]);
  const comparison = await compareRuns(first, second);
  const cut: string[] = [];
  const shortened = Object.entries(comparison).map(([name, value]) => {
    if (!Array.isArray(value) || value.length <= MOST_LISTED) return [name, value];
    cut.push(`${name}: ${MOST_LISTED} of ${value.length}`);
    return [name, value.slice(0, MOST_LISTED)];
  });
  return { ...comparison, ...Object.fromEntries(shortened), cut };
}

async function open(runId: string, { registry, runs }: Ports): Promise<ComparedRun> {
  const run = await registry.getRun(runId);
  if (run === null) throw new NotFoundError(`there is no run "${runId}"`);
  if (!isFinal(run)) throw new ConflictError('run-not-finished', `run "${runId}" is ${run.status}`);
  const store = runs(run.project);
  const [config, summary] = await Promise.all([store.read(runId, 'config.json'), store.read(runId, 'summary.json')]);
  if (config === null || summary === null) {
    throw new ConflictError('run-without-results', `run "${runId}" has no results to compare`);
  }
  const parsed = RunConfigSchema.parse(JSON.parse(await readText(config)));
  if (parsed.rows > MOST_ROWS) {
    throw new ConflictError(
      'run-too-large',
      `run "${runId}" has more than ${MOST_ROWS} rows; ask Athena (regressions)`,
    );
  }
  const outcomes = await store.read(runId, 'outcomes.jsonl.gz');
  if (outcomes === null) throw new ConflictError('run-without-results', `run "${runId}" has no results to compare`);
  return {
    config: parsed,
    summary: RunSummarySchema.parse(JSON.parse(await readText(summary))),
    // Errors of both come out of the iteration.
    outcomes: pipeline(outcomes, createGunzip(), () => {}) as AsyncIterable<Buffer>,
  };
}
