import * as z from 'zod';
import { sha256Hex } from '../../src/core/json.ts';
import type { GateRun } from '../../src/core/schemas/registry.ts';
import { startGateRun } from '../../src/use-cases/start/start-gate-run.ts';
import { parseJsonBody } from '../shared/http-body.ts';
import { HttpProblem } from '../shared/http-problem.ts';
import { type HttpResponse, jsonResponse } from '../shared/http-response.ts';
import { givenKey, signatureKey } from './delivery-key.ts';
import { projectParameter } from './parameters.ts';
import type { ApiOperation, ApiPorts } from './ports.ts';
import { CREDENTIAL_HINT, credentialOf, isOfProject } from './webhook-auth.ts';

const optionalText = (longest: number) => z.string().max(longest).nullish();

/** Where a run comes from, for people and baselines. */
export const OriginSchema = z.looseObject({
  triggered_by: optionalText(200),
  ref: optionalText(512),
  sha: optionalText(128),
});

/** What else a sender's payload holds (GitHub's, say) is none of our business. */
export const WebhookSchema = OriginSchema.extend({ evals: z.array(z.string().max(200)).max(1_000).nullish() });

/** The webhook: starts every active eval of the project, or those that are named. */
export const startGateRunByWebhook: ApiOperation = async (request, ports) => {
  const project = projectParameter(request, 'project');
  const credential = credentialOf(request);
  if (!(await isOfProject(credential, request, project, ports))) {
    throw new HttpProblem(401, 'unauthorized', `that is not the secret of this project; ${CREDENTIAL_HINT}`);
  }
  const body = parseJsonBody(request, WebhookSchema);
  const signed = signatureKey(credential);
  const given = givenKey(request);
  if (signed !== null && given !== null) await bindKeys(project, signed, given, ports);
  const deliveryKey = given ?? signed;
  const gate = await startGateRun(
    {
      project,
      ...(body.evals == null ? {} : { evals: body.evals.map((name) => plainName(project, name)) }),
      ...originOf(body),
      ...(deliveryKey === null ? {} : { deliveryKey }),
      rawBody: request.body,
    },
    ports,
  );
  return gateStarted(gate, ports);
};

export function originOf(body: z.infer<typeof OriginSchema>) {
  return { ref: body.ref ?? null, sha: body.sha ?? null, triggeredBy: body.triggered_by ?? null };
}

/** A run starts and is not awaited: where to look for it. */
export async function gateStarted(gate: GateRun, { registry }: Pick<ApiPorts, 'registry'>): Promise<HttpResponse> {
  const runs = await Promise.all(gate.run_ids.map((runId) => registry.getRun(runId)));
  const statusUrl = `/api/gates/${gate.gate_run_id}`;
  return jsonResponse(
    202,
    {
      gate_run_id: gate.gate_run_id,
      status_url: statusUrl,
      runs: runs.flatMap((run) => (run === null ? [] : [{ run_id: run.run_id, eval: run.eval, status: run.status }])),
    },
    { location: statusUrl },
  );
}

/** The key headers are not signed: whoever replays a signed request with another key must not start runs by it. */
async function bindKeys(project: string, signed: string, given: string, { registry }: ApiPorts): Promise<void> {
  const bodyHash = sha256Hex(given);
  const earlier = await registry.rememberDelivery(project, signed, { bodyHash, gateRunId: '' });
  if (earlier === null || earlier.bodyHash === bodyHash) return;
  throw new HttpProblem(409, 'delivery-conflict', 'this signature was used before, for another delivery');
}

/** Evals may be named as the API names them, `<project>.<eval>`. */
function plainName(project: string, name: string): string {
  return name.startsWith(`${project}.`) ? name.slice(project.length + 1) : name;
}
