import * as z from 'zod';
import { PolicyFileSchema } from '../../src/core/config/parse-policy.ts';
import { cancelRun } from '../../src/use-cases/manage/cancel-run.ts';
import { compareDeployedRuns } from '../../src/use-cases/manage/compare-deployed-runs.ts';
import { decideDeployedRun } from '../../src/use-cases/manage/decide-deployed-run.ts';
import { NotFoundError } from '../../src/use-cases/manage/errors.ts';
import { listResults } from '../../src/use-cases/manage/list-results.ts';
import { readRow } from '../../src/use-cases/manage/read-row.ts';
import { readRun } from '../../src/use-cases/manage/read-run.ts';
import { parseJsonBody } from '../shared/http-body.ts';
import { HttpProblem } from '../shared/http-problem.ts';
import { type HttpResponse, jsonResponse, PRIVATE } from '../shared/http-response.ts';
import { countQuery, flagQuery, runParameter } from './parameters.ts';
import type { ApiOperation, ApiPorts } from './ports.ts';
import { type LinkedFile, openLinkSigner, runOfLink } from './report-links.ts';

/** Below the 6 MB that a Lambda may answer. */
const LARGEST_PAGE_BYTES = 4_000_000;

export const readRunOperation: ApiOperation = async (request, ports) => {
  const runId = runParameter(request);
  const run = await readRun(runId, ports);
  if (run === null) throw new NotFoundError(`there is no run "${runId}"`);
  const link = run.gate === 'pending' ? null : await openLinkSigner(ports);
  return jsonResponse(200, {
    ...run,
    results_url: `/api/datasets/runs/${runId}/results`,
    report_url: link?.(runId, 'report.html') ?? null,
    junit_url: link?.(runId, 'junit.xml') ?? null,
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
      short: flagQuery(request, 'short'),
      ...(cursor === '' ? {} : { cursor }),
      maxBytes: LARGEST_PAGE_BYTES,
    },
    ports,
  );
  return jsonResponse(200, page);
};

/** A row of which nothing but the id may be known: ids are any text, so it is no path segment. */
export const readRowOperation: ApiOperation = async (request, ports) => {
  const runId = runParameter(request);
  if ((await ports.registry.getRun(runId)) === null) throw new NotFoundError(`there is no run "${runId}"`);
  const rowId = request.query.get('row_id') ?? '';
  if (rowId === '') throw new HttpProblem(400, 'invalid-query', 'row_id must be the id of a row');
  const index = request.query.get('index') ?? '';
  if (index !== '' && !/^\d{1,9}$/.test(index)) {
    throw new HttpProblem(400, 'invalid-query', 'index must be a whole number, the position of the row');
  }
  const at = index === '' ? {} : { index: Number(index) };
  return jsonResponse(200, await readRow({ runId, rowId, ...at, maxBytes: LARGEST_PAGE_BYTES }, ports));
};

export const readReportOperation: ApiOperation = (request, ports) =>
  openFile(runParameter(request), 'report.html', ports);

export const readJUnitOperation: ApiOperation = (request, ports) => openFile(runParameter(request), 'junit.xml', ports);

/** For people whose browser brings no token: the link proves that somebody with a right to it gave it to them. */
export const openReportLinkOperation: ApiOperation = async (request, ports) =>
  openFile(await runOfLink(request, 'report.html', ports), 'report.html', ports);

export const openJUnitLinkOperation: ApiOperation = async (request, ports) =>
  openFile(await runOfLink(request, 'junit.xml', ports), 'junit.xml', ports);

async function openFile(runId: string, file: LinkedFile, ports: ApiPorts): Promise<HttpResponse> {
  const run = await ports.registry.getRun(runId);
  if (run === null) throw new NotFoundError(`there is no run "${runId}"`);
  const page = await ports.openReport(run.project, runId, file);
  if (page === null) throw new HttpProblem(404, 'no-report', `run "${runId}" has no report: it is ${run.status}`);
  return 'url' in page ? redirectTo(page.url) : showPage(page.html, file);
}

/** Nobody is told where the reader came from, and no search engine keeps where it led. */
const UNLISTED = { ...PRIVATE, 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex, nofollow' } as const;

function redirectTo(url: string): HttpResponse {
  return { statusCode: 302, headers: { ...UNLISTED, location: url }, body: '' };
}

function showPage(body: string, file: LinkedFile): HttpResponse {
  const type = file === 'report.html' ? 'text/html; charset=utf-8' : 'application/xml';
  return { statusCode: 200, headers: { ...UNLISTED, 'content-type': type }, body };
}
