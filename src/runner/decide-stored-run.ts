import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfigFile } from '../adapters/local/eval-file.ts';
import { type FileRunStore, openForReading } from '../adapters/local/file-run-store.ts';
import { parsePolicy } from '../core/config/parse-policy.ts';
import { ConfigError, StorageError } from '../core/errors.ts';
import type { RedecidedRun } from '../core/schemas/redecided-run.ts';
import { RUN_ID_PATTERN, type RunConfig } from '../core/schemas/run.ts';
import { resolvePolicy } from '../core/scoring/policy.ts';
import { type DecideRunInput, decideRun, type StoredResults } from '../use-cases/aggregate/decide-run.ts';
import { openFormerRun } from './former-run.ts';
import { BASELINE_FILE_PREFIX, readImportedBaseline } from './imported-baseline.ts';
import { inFile } from './source-file.ts';
import type { Workspace } from './workspace.ts';

/** Decisions that were made of a run later on, a line each, beside its own in summary.json. */
const DECISIONS = 'decisions.jsonl';

export interface DecideStoredRunOptions {
  /** YAML or JSON; absent: the run's own policy. */
  readonly policyFile?: string | undefined;
  readonly decidedAt: string;
}

/** A run of this folder, decided again and noted beside it. Throws ConfigError, StorageError. */
export async function decideStoredRun(
  runId: string,
  { runs }: Pick<Workspace, 'runs'>,
  { policyFile, decidedAt }: DecideStoredRunOptions,
): Promise<RedecidedRun> {
  const former = RUN_ID_PATTERN.test(runId) ? await openFormerRun(runId, runs) : null;
  if (former === null) {
    const fix = 'name a folder under .assay/runs';
    throw new ConfigError([{ message: `there is no finished run "${runId}"`, fix }]);
  }
  const { config, summary } = former;
  const input: DecideRunInput = {
    ...storedResults(config, runs),
    summary,
    outcomes: former.outcomes,
    eval: config.eval,
    // The project's own mark is in the stored policy and nowhere else.
    defaults: { projectPassMark: config.policy.row_mark ?? undefined },
    baseline: await openBaseline(config, summary.baseline?.run_id ?? null, runs),
  };
  const decided = await decideUnder(policyFile, input);
  await note(decided, decidedAt, runs);
  return decided;
}

async function decideUnder(policyFile: string | undefined, input: DecideRunInput): Promise<RedecidedRun> {
  if (policyFile === undefined) return decideRun(input);
  const { value, lineOf } = await loadConfigFile(policyFile);
  const under = inFile(policyFile, lineOf, () => {
    const eval_ = parsePolicy(value, input.config.eval);
    resolvePolicy(eval_);
    return eval_;
  });
  return decideRun({ ...input, eval: under, defaults: {} });
}

function storedResults(config: RunConfig, runs: FileRunStore): StoredResults {
  const { run_id } = config;
  return {
    config,
    async *results() {
      const chunks = await openForReading(runs.locate(run_id, 'results.jsonl'));
      if (chunks === null) throw new StorageError(`run ${run_id} has no results.jsonl: it cannot be decided again`);
      yield chunks;
    },
    rows: () => runs.read(run_id, 'rows.jsonl'),
  };
}

async function openBaseline(
  config: RunConfig,
  baselineId: string | null,
  runs: FileRunStore,
): Promise<DecideRunInput['baseline']> {
  if (baselineId === null) return null;
  if (config.eval.baseline.startsWith(BASELINE_FILE_PREFIX)) {
    return { ...(await readImportedBaseline(config, runs)), stored: null };
  }
  const former = RUN_ID_PATTERN.test(baselineId) ? await openFormerRun(baselineId, runs) : null;
  if (former === null) {
    const message = `the run was compared with ${baselineId}, which is gone: without it the decision would be another one`;
    throw new StorageError(message);
  }
  return { ...former, stored: storedResults(former.config, runs) };
}

async function note(decided: RedecidedRun, decidedAt: string, runs: FileRunStore): Promise<void> {
  const { policy, decision, gate } = decided;
  const line = JSON.stringify({ decided_at: decidedAt, policy_hash: decision.policy_hash, gate, decision, policy });
  const path = join(runs.folder(decided.run_id), DECISIONS);
  try {
    await appendFile(path, `${line}\n`);
  } catch (error) {
    throw new StorageError(`cannot write ${path}: ${(error as Error).message}`, { cause: error });
  }
}
