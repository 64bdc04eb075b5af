import { AssayError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/json.ts';
import { entropyOfKey, makeId, timeOfId } from '../../core/run-id.ts';
import type { EvalVersion, GateRun, RunRecord } from '../../core/schemas/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import { enterQueue, type QueuePorts, startRuns } from './run-queue.ts';

export interface StartGateRunRequest {
  readonly project: string;
  /** Names of the evals to start; absent: every active one. */
  readonly evals?: readonly string[];
  readonly ref: string | null;
  readonly sha: string | null;
  readonly triggeredBy: string | null;
  /** What tells one delivery from the next; absent: every call starts runs. */
  readonly deliveryKey?: string;
  readonly rawBody: Uint8Array | string;
}

export interface StartGateRunPorts extends QueuePorts {
  readonly clock: Clock;
  randomBytes(count: number): Uint8Array;
}

/** The same delivery key came with another body. */
export class DeliveryConflictError extends AssayError {
  override readonly name = 'DeliveryConflictError';
}

/** There is nothing to start: no active eval, or a name that is no eval of the project. */
export class NothingToRunError extends AssayError {
  override readonly name = 'NothingToRunError';
}

/**
 * Starts the runs of one webhook call. The same delivery gives the first answer again, and finishes what a crash left
 * undone: all ids follow from the delivery, every write may be repeated. Runs that find no free slot wait as `queued`.
 * Throws QueueFullError where no more may wait; then nothing was made.
 */
export async function startGateRun(request: StartGateRunRequest, ports: StartGateRunPorts): Promise<GateRun> {
  const gateRunId = await gateRunIdOf(request, ports);
  const known = await ports.registry.getGateRun(gateRunId);
  const gate = known ?? (await createGate(gateRunId, request, ports));
  await startRuns(gate.project, gate.run_ids, ports);
  return gate;
}

async function gateRunIdOf(
  request: StartGateRunRequest,
  { registry, clock, randomBytes }: StartGateRunPorts,
): Promise<string> {
  const { deliveryKey } = request;
  const entropy = deliveryKey === undefined ? randomBytes(10) : entropyOfKey(`${request.project}\n${deliveryKey}`);
  const gateRunId = makeId('g', clock.now(), entropy);
  if (deliveryKey === undefined) return gateRunId;
  const bodyHash = sha256Hex(Buffer.from(request.rawBody).toString('latin1'));
  const earlier = await registry.rememberDelivery(request.project, deliveryKey, { bodyHash, gateRunId });
  if (earlier === null) return gateRunId;
  if (earlier.bodyHash !== bodyHash)
    throw new DeliveryConflictError('this delivery key was used before, with another body');
  return earlier.gateRunId;
}

async function createGate(gateRunId: string, request: StartGateRunRequest, ports: StartGateRunPorts): Promise<GateRun> {
  const { registry } = ports;
  const evals = await chooseEvals(request, ports);
  const runs = evals.map((version) => newRun(gateRunId, version, request));
  // Places first: who is refused leaves nothing behind. Runs next: a gate that is known has all its runs.
  const runIds = runs.map((run) => run.run_id);
  await enterQueue(request.project, runIds, ports);
  for (const run of runs) await registry.createRun(run);
  const gate: GateRun = {
    gate_run_id: gateRunId,
    project: request.project,
    run_ids: runIds,
    not_started: [],
    ref: request.ref,
    sha: request.sha,
    triggered_by: request.triggeredBy,
    created_at: new Date(timeOfId(gateRunId)).toISOString(),
  };
  if (await registry.createGateRun(gate)) return gate;
  return (await registry.getGateRun(gateRunId)) ?? gate;
}

async function chooseEvals(
  request: StartGateRunRequest,
  { registry }: StartGateRunPorts,
): Promise<readonly EvalVersion[]> {
  const all = await registry.listEvals(request.project);
  if (request.evals === undefined) {
    const active = all.filter((version) => version.config.active);
    if (active.length > 0) return active;
    throw new NothingToRunError(`project "${request.project}" has no active eval`);
  }
  const chosen = [...new Set(request.evals)].map((name) => ({
    name,
    version: all.find((version) => version.name === name),
  }));
  const unknown = chosen.filter(({ version }) => version === undefined).map(({ name }) => `"${name}"`);
  if (chosen.length === 0) throw new NothingToRunError('the list of evals is empty');
  if (unknown.length > 0) throw new NothingToRunError(`project "${request.project}" has no eval ${unknown.join(', ')}`);
  return chosen.flatMap(({ version }) => version ?? []);
}

function newRun(gateRunId: string, version: EvalVersion, request: StartGateRunRequest): RunRecord {
  const startedAtMs = timeOfId(gateRunId);
  return {
    run_id: makeId('r', startedAtMs, entropyOfKey(`${gateRunId}\n${version.name}`)),
    gate_run_id: gateRunId,
    project: version.project,
    eval: version.name,
    eval_version: version.version,
    status: 'queued',
    quarantined: version.config.quarantined,
    started_at: new Date(startedAtMs).toISOString(),
    finished_at: null,
    ref: request.ref,
    sha: request.sha,
    triggered_by: request.triggeredBy,
    execution: null,
    attempt: 1,
    total: null,
    message: '',
    decision: null,
    score: null,
    pass_rate: null,
    cancel_requested: false,
    earlier: [],
  };
}
