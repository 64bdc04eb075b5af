import { evidenceOf } from '../core/calibration/calibration-of.ts';
import type { Calibration } from '../core/schemas/calibration.ts';
import { type JudgeConfig, JudgeConfigSchema } from '../core/schemas/judge-config.ts';
import type { DeployedClient } from './deployed-client.ts';

export interface CalibrationTarget {
  readonly client: DeployedClient;
  readonly project: string;
}

export interface PushedCalibration {
  readonly url: string;
  readonly project: string;
  /** Evals of the project with this judge, prompt and rubric: only for them it counts. */
  readonly evals: readonly string[];
}

/** Before anything is spent: is the project there, and who judges evals that name no judge? Throws ApiError. */
export async function defaultJudgeOf({ client, project }: CalibrationTarget): Promise<readonly JudgeConfig[]> {
  const { default_judge } = await client.manage({ method: 'GET', path: `/api/projects/${project}` });
  const judge = JudgeConfigSchema.safeParse(default_judge);
  return judge.success ? [judge.data] : [];
}

/** Sends what was counted; the app works κ out for itself. Throws ApiError. */
export async function pushCalibration(
  calibration: Calibration,
  { client, project }: CalibrationTarget,
): Promise<PushedCalibration> {
  const json = { ...evidenceOf(calibration) };
  const path = `/api/projects/${project}/calibrations`;
  const kept = await client.manage({ method: 'POST', path, json: JSON.parse(JSON.stringify(json)) });
  const evals = Array.isArray(kept.evals) ? kept.evals.filter((name) => typeof name === 'string') : [];
  return { url: client.url, project, evals };
}

export function describePushed({ url, project, evals }: PushedCalibration): string {
  const counts =
    evals.length === 0
      ? 'it counts for no eval there: none has this judge, prompt and rubric (assay push sends the eval)'
      : `it counts for ${evals.join(', ')}`;
  return `pushed ${url}, project ${project}: ${counts}`;
}
