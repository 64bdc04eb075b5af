import { CalibrationEvidenceSchema } from '../../src/core/schemas/calibration.ts';
import { type KnownCalibration, listCalibrations, pushCalibration } from '../../src/use-cases/manage/calibrations.ts';
import { findProject } from '../../src/use-cases/manage/put-project.ts';
import { parseJsonBody } from '../shared/http-body.ts';
import { jsonResponse } from '../shared/http-response.ts';
import { projectParameter } from './parameters.ts';
import type { ApiOperation } from './ports.ts';

/** Only what was counted is taken: κ and all that follows is worked out here. */
export const pushCalibrationOperation: ApiOperation = async (request, ports, caller) => {
  const project = projectParameter(request, 'id');
  await findProject(project, ports);
  const evidence = parseJsonBody(request, CalibrationEvidenceSchema);
  return jsonResponse(200, toView(await pushCalibration({ project, evidence, pushedBy: caller.name }, ports)));
};

export const listCalibrationsOperation: ApiOperation = async (request, ports) => {
  const kept = await listCalibrations(projectParameter(request, 'id'), ports);
  return jsonResponse(200, { items: kept.map(toView) });
};

function toView({ calibration, evals }: KnownCalibration) {
  return { ...calibration, evals };
}
