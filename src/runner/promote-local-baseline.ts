import { ConfigError } from '../core/errors.ts';
import { type BaselinePin, BaselinePinSchema } from '../core/schemas/baseline-pin.ts';
import { openFormerRun } from './former-run.ts';
import type { Workspace } from './workspace.ts';

export interface LocalPromotion {
  readonly runId: string;
  readonly force: boolean;
  readonly note: string | null;
  readonly promotedBy: string;
  readonly promotedAt: string;
}

/** The same rules as in a deployed app; the record lies beside the runs. Throws ConfigError. */
export async function promoteLocalBaseline(
  { runId, force, note, promotedBy, promotedAt }: LocalPromotion,
  { runs, index }: Workspace,
): Promise<BaselinePin> {
  const run = await openFormerRun(runId, runs);
  if (run === null) {
    throw new ConfigError([{ message: `run "${runId}" is not finished`, fix: `assay run --resume ${runId}` }]);
  }
  const { status, quarantined, score, pass_rate } = run.summary;
  const isClean = status === 'passed' && !quarantined;
  if (!isClean && !force) {
    const why = status === 'passed' ? 'is quarantined' : `is ${status}`;
    throw new ConfigError([{ message: `run "${runId}" ${why}`, fix: '--force promotes it all the same' }]);
  }
  // One line is enough to know that the file is there, and reading lines closes it.
  if ((await runs.readLines(runId, 'outcomes.jsonl.gz', { offset: 0, count: 1 })) === null) {
    throw new ConfigError([{ message: `run "${runId}" has no results to compare with`, fix: 'promote another' }]);
  }
  const name = run.config.eval.name;
  const [current] = await index.promotions(name);
  if (current?.run_id === runId) return current;
  const pin = BaselinePinSchema.parse({
    project: 'local',
    eval: name,
    run_id: runId,
    status,
    score,
    pass_rate,
    forced: !isClean,
    note,
    promoted_by: promotedBy,
    promoted_at: promotedAt,
    previous_run_id: current?.run_id ?? null,
  });
  await index.promote(pin);
  return pin;
}
