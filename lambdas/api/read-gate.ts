import { withDetails } from '../../src/use-cases/gate-details.ts';
import { readGate } from '../../src/use-cases/read-gate.ts';
import { HttpProblem } from '../shared/http-problem.ts';
import { jsonResponse } from '../shared/http-response.ts';
import { gateRunParameter } from './parameters.ts';
import type { ApiOperation } from './ports.ts';
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
  const [only, ...others] = view.runs;
  const single = others.length === 0 ? only : undefined;
  return jsonResponse(200, {
    ...view,
    // Of several runs each has its own, under `runs`.
    decision: single?.decision ?? null,
    report_url: single?.report_url ?? null,
  });
};
