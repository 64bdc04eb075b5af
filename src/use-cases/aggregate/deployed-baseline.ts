import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { saysEnough } from '../../core/aggregate/whole-baseline.ts';
import { ConfigError } from '../../core/errors.ts';
import { readText } from '../../core/read-text.ts';
import { type RunConfig, RunConfigSchema } from '../../core/schemas/run.ts';
import { type RunSummary, RunSummarySchema } from '../../core/schemas/summary.ts';
import type { DeployedPorts } from '../deployed.ts';
import type { BaselineRun } from './aggregate-run.ts';
import { countedOutcomes } from './counted-outcomes.ts';

type BaselinePorts = Pick<DeployedPorts, 'registry' | 'runs'>;

/** The run to compare with, or null when there is none yet; and what a reader has to know about the choice. */
export interface DeployedBaseline {
  readonly run: BaselineRun | null;
  readonly notes: readonly string[];
}

const NONE: DeployedBaseline = { run: null, notes: [] };
const PAGE = 50;
/** Passing runs that are looked into; each takes two reads. */
const MOST_LOOKED_INTO = 50;

/**
 * The run that this eval's `baseline` names. For `last-pass`: the newest passing one that says as much as this run, or
 * else the newest passing one; runs whose files are gone are passed over, and said. Throws ConfigError when a run that
 * somebody named has no results: to compare with nothing instead would be to pass unseen.
 */
export async function openDeployedBaseline(config: RunConfig, ports: BaselinePorts): Promise<DeployedBaseline> {
  const { baseline, name } = config.eval;
  if (baseline === 'none') return NONE;
  if (baseline === 'last-pass' || baseline === 'last-pass:same-ref') return findLastPass(config, ports);
  const [pin] = baseline === 'pinned' ? await ports.registry.listBaselinePins(config.project, name, 1) : [];
  const runId = baseline === 'pinned' ? pin?.run_id : baseline;
  if (runId === undefined) return NONE;
  const former = await readFormer(runId, config.project, ports);
  const run = former === null ? null : await openOutcomes(former, ports);
  if (run !== null) return { run, notes: [] };
  const message = `the baseline "${runId}" has no results in project "${config.project}"`;
  throw new ConfigError([{ field: 'baseline', message, fix: 'promote another run, or use last-pass' }]);
}

async function findLastPass(config: RunConfig, ports: BaselinePorts): Promise<DeployedBaseline> {
  const gone: string[] = [];
  const partial: Former[] = [];
  let lookedInto = 0;
  for await (const runId of passingRuns(config, ports)) {
    if (lookedInto === MOST_LOOKED_INTO) break;
    lookedInto += 1;
    const former = await readFormer(runId, config.project, ports);
    if (former !== null && !saysEnough(former, config)) {
      partial.push(former);
      continue;
    }
    const run = former === null ? null : await openOutcomes(former, ports);
    if (run !== null) return { run, notes: notesOf(gone) };
    gone.push(runId);
  }
  for (const former of partial) {
    const run = await openOutcomes(former, ports);
    if (run !== null) return { run, notes: notesOf(gone) };
    gone.push(former.config.run_id);
  }
  return { run: null, notes: notesOf(gone) };
}

function notesOf(gone: readonly string[]): string[] {
  if (gone.length === 0) return [];
  const ids = gone.slice(0, 5).join(', ') + (gone.length > 5 ? ', …' : '');
  return [`passing runs whose files are gone could not be the baseline: ${ids}`];
}

/** Ids of passing, non-quarantined runs on the baseline branch or on the run's own (SCORING §7), the newest first. */
async function* passingRuns(config: RunConfig, { registry }: BaselinePorts): AsyncGenerator<string> {
  const project = await registry.getProject(config.project);
  const main = project?.baseline_ref ?? 'main';
  const branch = config.eval.baseline === 'last-pass' ? main : branchOf(config.ref, main);
  let cursor: string | undefined;
  do {
    const page = await registry.listRuns(config.project, config.eval.name, { limit: PAGE, cursor });
    for (const { run_id, status, quarantined, ref } of page.items) {
      if (run_id === config.run_id || status !== 'passed' || quarantined) continue;
      if (branchOf(ref, main) === branch) yield run_id;
    }
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
}

/** Runs without `ref` count as on the baseline branch. */
const branchOf = (ref: string | null, main: string): string => ref?.replace(/^refs\/heads\//, '') ?? main;

interface Former {
  readonly config: RunConfig;
  readonly summary: RunSummary;
}

/** Null when its files are gone. */
async function readFormer(runId: string, project: string, ports: BaselinePorts): Promise<Former | null> {
  const runs = ports.runs(project);
  const [config, summary] = await Promise.all([runs.read(runId, 'config.json'), runs.read(runId, 'summary.json')]);
  if (config === null || summary === null) return null;
  return {
    config: RunConfigSchema.parse(JSON.parse(await readText(config))),
    summary: RunSummarySchema.parse(JSON.parse(await readText(summary))),
  };
}

async function openOutcomes({ config, summary }: Former, ports: BaselinePorts): Promise<BaselineRun | null> {
  const runs = ports.runs(config.project);
  const packed = await runs.read(config.run_id, 'outcomes.jsonl.gz');
  if (packed === null) return null;
  const path = runs.locate(config.run_id, 'outcomes.jsonl.gz');
  // Errors of both come out of the iteration.
  const lines = pipeline(packed, createGunzip(), () => {}) as AsyncIterable<Buffer>;
  return {
    config,
    outcomes: countedOutcomes(lines, summary.counts.rows, { path, fix: 'use another baseline, or none' }),
  };
}
