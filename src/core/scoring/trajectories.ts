import type { EvalConfig } from '../schemas/eval.ts';
import type { Row } from '../schemas/row.ts';

/** Ids of the targets that cannot say what their agent did for this row, so that its steps cannot be checked. */
export function targetsWithoutTrajectory(config: Pick<EvalConfig, 'targets'>, row: Row | null): readonly string[] {
  return config.targets.filter((target) => !bringsTrajectory(target, row)).map(({ id }) => id);
}

function bringsTrajectory(target: EvalConfig['targets'][number], row: Row | null): boolean {
  switch (target.type) {
    case 'http':
    case 'lambda':
      return target.trajectory_path !== undefined;
    case 'knowledge-base':
      return false;
    case 'recorded':
      // A path of its own must lead somewhere, else the target fails; the row's field may simply be empty.
      return row === null || target.trajectory !== 'trajectory' || row.trajectory !== undefined;
    default:
      return true;
  }
}
