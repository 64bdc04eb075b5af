import * as z from 'zod';
import { type BaselinePin, BaselinePinSchema } from '../../core/schemas/baseline-pin.ts';
import { RUN_ID_PATTERN } from '../../core/schemas/run.ts';
import { type DeployedPorts, isFinal } from '../deployed.ts';
import { ConflictError, NotFoundError } from './errors.ts';

export const PromotionSchema = z.strictObject({
  run_id: z.string().regex(RUN_ID_PATTERN, 'no run id'),
  /** A run that did not pass, or is quarantined, is promoted too. */
  force: z.boolean().default(false),
  /** Why, for those who read the record. */
  note: BaselinePinSchema.shape.note.optional(),
});

export interface Promotion extends z.infer<typeof PromotionSchema> {
  readonly project: string;
  readonly eval: string;
  readonly promotedBy: string;
}

type Ports = Pick<DeployedPorts, 'registry' | 'runs' | 'clock'>;

/**
 * Makes a run the one that `baseline: pinned` compares with, and records who did. Promoted again while it holds, nothing
 * is added. Throws NotFoundError, and ConflictError for a run that is not over, has no results or did not pass.
 */
export async function promoteBaseline(request: Promotion, ports: Ports): Promise<BaselinePin> {
  const { project, run_id } = request;
  const run = await ports.registry.getRun(run_id);
  if (run === null || run.project !== project || run.eval !== request.eval) {
    throw new NotFoundError(`there is no run "${run_id}" of this eval`);
  }
  if (!isFinal(run)) throw new ConflictError('run-not-finished', `run "${run_id}" is ${run.status}`);
  const isClean = run.status === 'passed' && !run.quarantined;
  if (!isClean && !request.force) {
    const why = run.status === 'passed' ? 'is quarantined' : `is ${run.status}`;
    throw new ConflictError('run-not-passed', `run "${run_id}" ${why}; "force": true promotes it all the same`);
  }
  if (!(await hasResults(run, ports))) {
    throw new ConflictError('run-without-results', `run "${run_id}" has no results to compare with`);
  }
  const [current] = await ports.registry.listBaselinePins(project, request.eval, 1);
  if (current?.run_id === run_id) return current;
  const pin = BaselinePinSchema.parse({
    project,
    eval: request.eval,
    run_id,
    status: run.status,
    score: run.score,
    pass_rate: run.pass_rate,
    forced: !isClean,
    note: request.note ?? null,
    promoted_by: request.promotedBy,
    promoted_at: new Date(ports.clock.now()).toISOString(),
    previous_run_id: current?.run_id ?? null,
  });
  await ports.registry.addBaselinePin(pin);
  return pin;
}

/** A run that broke early has a record and no outcomes. */
async function hasResults({ project, run_id }: { project: string; run_id: string }, ports: Ports): Promise<boolean> {
  const chunks = await ports.runs(project).read(run_id, 'outcomes.jsonl.gz');
  if (chunks === null) return false;
  for await (const _ of chunks) return true;
  return false;
}
