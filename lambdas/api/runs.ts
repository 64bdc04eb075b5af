import * as z from 'zod';
import { PolicyFileSchema } from '../../src/core/config/parse-policy.ts';
import { cancelRun } from '../../src/use-cases/manage/cancel-run.ts';
import { compareDeployedRuns } from '../../src/use-cases/manage/compare-deployed-runs.ts';
import { decideDeployedRun } from '../../src/use-cases/manage/decide-deployed-run.ts';
import { NotFoundError } from '../../src/use-cases/manage/errors.ts';
import { listResults } from '../../src/use-cases/manage/list-results.ts';
import { readRun } from '../../src/use-cases/manage/read-run.ts';
import { parseJsonBody } from '../shared/http-body.ts';
import { HttpProblem } from '../shared/http-problem.ts';
import { type HttpResponse, jsonResponse, PRIVATE } from '../shared/http-response.ts';
import { countQuery, flagQuery, runParameter } from './parameters.ts';
import type { ApiOperation } from './ports.ts';

/** Below the 6 MB that a Lambda may answer. */
const LARGEST_PAGE_BYTES = 4_000_000;

export const readRunOperation: ApiOperation = async (request, ports) => {
  const runId = runParameter(request);
  const run = await readRun(runId, ports);
  if (run === null) throw new NotFoundError(`there is no run "${runId}"`);
  return jsonResponse(200, {
    ...run,
    results_url: `/api/datasets/runs/${runId}/results`,
    report_url: `/api/runs/${runId}/report`,
  });
};

export const compareRunsOperation: ApiOperation = async (request, ports) => {
  const [first, second] = [runParameter(request), runParameter(request, 'other')];
  return jsonResponse(200, await compareDeployedRuns({ first, second }, ports));
};

/** The policy is parsed against its run, which knows what metrics there are. */
const RawDecideSchema = z.strictObject({ policy: z.looseObject({}).optional() });
/** The same as clients read it. */
export const DecideSchema = z.strictObject({
  policy: PolicyFileSchema.optional().describe('as in a policy file of `assay decide`; absent: the policy the run had'),
});

export const decideRunOperation: ApiOperation = async (request, ports) => {
  const runId = runParameter(request);
  const { policy } = parseJsonBody(request, RawDecideSchema);
  return jsonResponse(200, await decideDeployedRun({ runId, policy }, ports));
};

export const cancelRunOperation: ApiOperation = async (request, ports) => {
  const { run_id, status, cancel_requested } = await cancelRun(runParameter(request), ports);
  return jsonResponse(202, { run_id, status, cancel_requested });
};

export const listResultsOperation: ApiOperation = async (request, ports) => {
  const runId = runParameter(request);
  const cursor = request.query.get('cursor') ?? '';
  const page = await listResults(
    {
      runId,
      failedOnly: flagQuery(request, 'failed_only'),
      limit: countQuery(request, 'limit'),
      ...(cursor === '' ? {} : { cursor }),
      maxBytes: LARGEST_PAGE_BYTES,
    },
    ports,
  );
  return jsonResponse(200, page);
};

export const readReportOperation: ApiOperation = async (request, ports) => {
  const runId = runParameter(request);
  const run = await ports.registry.getRun(runId);
  if (run === null) throw new NotFoundError(`there is no run "${runId}"`);
  const page = await ports.openReport(run.project, runId);
  if (page === null) throw new HttpProblem(404, 'no-report', `run "${runId}" has no report: it is ${run.status}`);
  return 'url' in page ? redirectTo(page.url) : showPage(page.html);
};

function redirectTo(url: string): HttpResponse {
  return { statusCode: 302, headers: { ...PRIVATE, location: url }, body: '' };
}

function showPage(html: string): HttpResponse {
  return { statusCode: 200, headers: { ...PRIVATE, 'content-type': 'text/html; charset=utf-8' }, body: html };
}
