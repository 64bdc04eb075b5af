import { calibrationOf } from '../../core/calibration/calibration-of.ts';
import { whyUseless } from '../../core/calibration/suggested-use.ts';
import { ConfigError } from '../../core/errors.ts';
import { evalJudgeHash } from '../../core/judging/eval-judge-hash.ts';
import type { Calibration, CalibrationEvidence } from '../../core/schemas/calibration.ts';
import type { EvalVersion, Project } from '../../core/schemas/registry.ts';
import type { Calibrations } from '../../ports/calibrations.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Registry } from '../../ports/registry.ts';
import { settleForProject } from '../prepare/settle-for-project.ts';
import { ConflictError } from './errors.ts';
import { findProject } from './put-project.ts';

interface Ports {
  readonly registry: Registry;
  calibrations(project: string): Calibrations;
  readonly clock: Pick<Clock, 'now'>;
}

export interface PushCalibrationRequest {
  readonly project: string;
  readonly evidence: CalibrationEvidence;
  readonly pushedBy: string;
}

/** A calibration, and the evals of its project that this judge judges: only for them it counts. */
export interface KnownCalibration {
  readonly calibration: Calibration;
  readonly evals: readonly string[];
}

/** Clocks of two machines differ; a calibration of tomorrow would never grow old. */
const MOST_AHEAD_MS = 5 * 60_000;

/**
 * Keeps what was seen when a judge was put beside human labels. Figures are counted here, from the evidence.
 * Throws NotFoundError, ConfigError for a time that lies ahead, ConflictError where a newer one is kept.
 */
export async function pushCalibration(
  { project: id, evidence, pushedBy }: PushCalibrationRequest,
  ports: Ports,
): Promise<KnownCalibration> {
  const project = await findProject(id, ports);
  const nowMs = ports.clock.now();
  if (Date.parse(evidence.date) > nowMs + MOST_AHEAD_MS) {
    const message = `${evidence.date} lies ahead: here it is ${new Date(nowMs).toISOString()}`;
    throw new ConfigError([{ field: 'date', message, fix: 'set the clock of the machine that calibrated' }]);
  }
  const counted = calibrationOf(evidence);
  const useless = whyUseless(counted);
  if (useless !== null) throw new ConfigError([{ field: 'confusion', message: useless }]);
  const pushed = { by: pushedBy, at: new Date(nowMs).toISOString() };
  const calibration: Calibration = { ...counted, pushed };
  if (!(await ports.calibrations(id).put(calibration))) {
    throw new ConflictError(
      'newer-calibration',
      'a newer calibration of this judge is kept: calibrate again to replace it',
    );
  }
  const judges = await judgesOf(project, ports);
  return { calibration, evals: judges.get(calibration.judge_hash) ?? [] };
}

/** Newest first. Throws NotFoundError. */
export async function listCalibrations(id: string, ports: Ports): Promise<readonly KnownCalibration[]> {
  const project = await findProject(id, ports);
  const [kept, judges] = await Promise.all([ports.calibrations(id).list(), judgesOf(project, ports)]);
  return kept.map((calibration) => ({ calibration, evals: judges.get(calibration.judge_hash) ?? [] }));
}

/** Judge hash → names of evals. */
async function judgesOf(project: Project, { registry }: Ports): Promise<ReadonlyMap<string, readonly string[]>> {
  const judges = new Map<string, string[]>();
  for (const version of await registry.listEvals(project.id)) {
    const hash = hashOf(version, project);
    if (hash !== null) judges.set(hash, [...(judges.get(hash) ?? []), version.name]);
  }
  return judges;
}

/** Null: it has no judge, or would be refused at its start. */
function hashOf({ config }: EvalVersion, project: Project): string | null {
  try {
    return evalJudgeHash(settleForProject(config, project));
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}
