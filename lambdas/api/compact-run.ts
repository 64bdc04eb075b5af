import { isFinal } from '../../src/use-cases/deployed.ts';
import { ConflictError, NotFoundError } from '../../src/use-cases/manage/errors.ts';
import { jsonResponse } from '../shared/http-response.ts';
import { runParameter } from './parameters.ts';
import type { ApiOperation } from './ports.ts';

/** Hands the run over and does not wait: `compaction` of the run says when it is done. Asked again, it is done again. */
export const compactRunOperation: ApiOperation = async (request, { registry, compaction }) => {
  const runId = runParameter(request);
  const run = await registry.getRun(runId);
  if (run === null) throw new NotFoundError(`there is no run "${runId}"`);
  if (!isFinal(run))
    throw new ConflictError('run-not-finished', `run "${runId}" is ${run.status}: compact it when it is over`);
  await compaction.start({ run_id: runId, project: run.project });
  return jsonResponse(202, { run_id: runId, run_url: `/api/runs/${runId}` });
};
