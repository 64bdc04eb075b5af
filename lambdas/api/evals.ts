import { ConfigError } from '../../src/core/errors.ts';
import { isPlainwrightTest } from '../../src/core/import/plainwright-test.ts';
import { isJsonObject, type JsonObject } from '../../src/core/json.ts';
import { nextRunAt } from '../../src/core/schedule/next-run.ts';
import type { EvalVersion } from '../../src/core/schemas/registry.ts';
import { deleteEval } from '../../src/use-cases/manage/delete-eval.ts';
import { NotFoundError } from '../../src/use-cases/manage/errors.ts';
import { EvalStateSchema, readEvalHistory, setEvalState } from '../../src/use-cases/manage/eval-history.ts';
import { PromotionSchema, promoteBaseline } from '../../src/use-cases/manage/promote-baseline.ts';
import { putEval } from '../../src/use-cases/manage/put-eval.ts';
import { findProject } from '../../src/use-cases/manage/put-project.ts';
import { readTrend, readTrends } from '../../src/use-cases/manage/read-trend.ts';
import { startGateRun } from '../../src/use-cases/start/start-gate-run.ts';
import { parseJsonBody, readJson } from '../shared/http-body.ts';
import type { HttpRequest } from '../shared/http-request.ts';
import { emptyResponse, type HttpResponse, jsonResponse } from '../shared/http-response.ts';
import { givenKey } from './delivery-key.ts';
import { countQuery, projectParameter, qualifiedId, qualifiedParameter } from './parameters.ts';
import { createFromPlainwright } from './plainwright-test.ts';
import type { ApiOperation, ApiPorts } from './ports.ts';
import { gateStarted, OriginSchema, originOf } from './start-gate-run.ts';

export const createEvalOperation: ApiOperation = async (request, ports) => {
  const project = projectParameter(request, 'project');
  const raw = configOf(request);
  if (isPlainwrightTest(raw)) {
    const { version, warnings } = await createFromPlainwright(project, raw, ports);
    return evalStored(201, version, ports, { warnings });
  }
  return evalStored(201, await putEval({ project, raw, mode: 'create' }, ports), ports);
};

export const putEvalOperation: ApiOperation = async (request, ports) => {
  const { project, name } = qualifiedParameter(request, 'eval');
  const version = await putEval({ project, name, raw: configOf(request), mode: 'put' }, ports);
  return evalStored(version.version === 1 ? 201 : 200, version, ports);
};

export const listEvalsOperation: ApiOperation = async (request, ports) => {
  const { id } = await findProject(projectParameter(request, 'project'), ports);
  const last = countQuery(request, 'runs');
  const versions = await ports.registry.listEvals(id);
  const trends = last === 0 ? null : await readTrends({ project: id, evals: versions, last }, ports);
  const items = versions.map((version) => {
    const { type, dataset, description, active, quarantined, tags } = version.config;
    const runs = trends === null ? {} : { runs: trends.get(version.name) ?? [] };
    const next_run_at = nextRunAt(version.config, ports.clock.now());
    return { ...headOf(version), type, dataset, description, active, quarantined, tags, next_run_at, ...runs };
  });
  return jsonResponse(200, { items });
};

export const readEvalOperation: ApiOperation = async (request, ports) => {
  const wanted = countQuery(request, 'version');
  const version = await findEval(request, ports, wanted === 0 ? undefined : wanted);
  // A version that is asked for by its number may not be the one that starts.
  const next = wanted === 0 ? { next_run_at: nextRunAt(version.config, ports.clock.now()) } : {};
  return jsonResponse(200, { ...headOf(version), ...next, config: version.config });
};

export const deleteEvalOperation: ApiOperation = async (request, ports) => {
  await deleteEval(qualifiedParameter(request, 'eval'), ports);
  return emptyResponse();
};

export const startRunOperation: ApiOperation = async (request, ports) => {
  const { project, name } = await findEval(request, ports);
  const origin = originOf(parseJsonBody(request, OriginSchema));
  const given = givenKey(request);
  const key = given === null ? {} : { deliveryKey: `run of ${name}: ${given}` };
  const gate = await startGateRun({ project, evals: [name], ...origin, ...key, rawBody: request.body }, ports);
  return gateStarted(gate, ports);
};

export const readTrendOperation: ApiOperation = async (request, ports) => {
  const { project, name } = await findEval(request, ports);
  const last = countQuery(request, 'last');
  const given = request.query.get('cursor') ?? '';
  const cursor = given === '' ? {} : { cursor: given };
  const page = await readTrend({ project, eval: name, last, ...cursor }, ports);
  return jsonResponse(200, { eval: qualifiedId(project, name), ...page });
};

export const readHistoryOperation: ApiOperation = async (request, ports) => {
  const { project, name } = qualifiedParameter(request, 'eval');
  const versions = await readEvalHistory({ project, name, last: countQuery(request, 'last') }, ports);
  return jsonResponse(200, {
    items: versions.map((version) => ({
      ...headOf(version),
      active: version.config.active,
      quarantined: version.config.quarantined,
    })),
  });
};

export const setEvalStateOperation: ApiOperation = async (request, ports) => {
  const { project, name } = qualifiedParameter(request, 'eval');
  const state = parseJsonBody(request, EvalStateSchema);
  return evalStored(200, await setEvalState({ project, name, ...state }, ports), ports);
};

export const promoteBaselineOperation: ApiOperation = async (request, ports, caller) => {
  const { project, name } = await findEval(request, ports);
  const promotion = parseJsonBody(request, PromotionSchema);
  const pin = await promoteBaseline({ project, eval: name, ...promotion, promotedBy: caller.name }, ports);
  return jsonResponse(200, pin);
};

/** What `baseline: pinned` compares with now, and what it did before. */
export const readBaselineOperation: ApiOperation = async (request, ports) => {
  const { project, name } = await findEval(request, ports);
  const pins = await ports.registry.listBaselinePins(project, name, countQuery(request, 'last'));
  return jsonResponse(200, { current: pins[0] ?? null, items: pins });
};

/** Newest version, or the one that is wanted. Throws NotFoundError. */
async function findEval(request: HttpRequest, { registry }: ApiPorts, wanted?: number): Promise<EvalVersion> {
  const { project, name } = qualifiedParameter(request, 'eval');
  const version = await registry.getEval(project, name, wanted);
  if (version === null) throw new NotFoundError('there is no such eval');
  return version;
}

function configOf(request: HttpRequest): JsonObject {
  const raw = readJson(request);
  if (isJsonObject(raw)) return raw;
  throw new ConfigError([
    { message: 'the body must be an eval as a JSON object', fix: 'see docs: eval configuration' },
  ]);
}

function evalStored(
  statusCode: number,
  version: EvalVersion,
  { clock }: ApiPorts,
  more: { readonly warnings?: readonly string[] } = {},
): HttpResponse {
  const head = headOf(version);
  const next_run_at = nextRunAt(version.config, clock.now());
  const stored = { ...head, next_run_at, config: version.config, ...more };
  return jsonResponse(statusCode, stored, { location: `/api/evals/${head.id}` });
}

function headOf({ project, name, version, config_hash, created_at }: EvalVersion) {
  return { id: qualifiedId(project, name), project, name, version, config_hash, created_at };
}
