import { withDetails } from '../../src/use-cases/end/gate-details.ts';
import { readGate } from '../../src/use-cases/end/read-gate.ts';
import { HttpProblem } from '../shared/http-problem.ts';
import { jsonResponse } from '../shared/http-response.ts';
import { gateRunParameter } from './parameters.ts';
import type { ApiOperation } from './ports.ts';
import { openLinkSigner } from './report-links.ts';
import { credentialOf, isOfProject } from './webhook-auth.ts';

/**
 * The answer CI waits for. An id that is unknown, one of another project and one asked for with a wrong secret are
 * answered alike, so that nobody learns which there are.
 */
export const readGateStatus: ApiOperation = async (request, ports) => {
  const credential = credentialOf(request);
  const gateRunId = gateRunParameter(request);
  const gate = await ports.registry.getGateRun(gateRunId);
  const allowed = gate !== null && (await isOfProject(credential, request, gate.project, ports));
  const read = allowed ? await readGate(gateRunId, ports) : null;
  if (read === null || gate === null)
    throw new HttpProblem(404, 'not-found', 'there is no such id, or the secret is not the one of its project');
  const view = await withDetails(read, gate.project, ports);
  const link = view.runs.some(({ decision }) => decision !== null) ? await openLinkSigner(ports) : null;
  const runs = view.runs.map((run) => {
    // A run that could not start never gets a report.
    const hasReport = run.decision !== null;
    return {
      ...run,
      report_url: hasReport ? (link?.(run.run_id, 'report.html') ?? null) : null,
      junit_url: hasReport ? (link?.(run.run_id, 'junit.xml') ?? null) : null,
    };
  });
  const [only, ...others] = runs;
  const single = others.length === 0 ? only : undefined;
  return jsonResponse(200, {
    ...view,
    runs,
    // Of several runs each has its own, under `runs`.
    decision: single?.decision ?? null,
    report_url: single?.report_url ?? null,
    junit_url: single?.junit_url ?? null,
  });
};
