import type { RunConfig } from '../schemas/run.ts';
import type { RunSummary } from '../schemas/summary.ts';

/** Below this share of judged results a run says too little of its rows to be preferred as a baseline. */
const MOST_JUDGED = 0.95;

/**
 * Whether a passing run says as much as the run that is compared with it: it asked as many rows, or all that its dataset
 * had then, it was not stopped, and nearly everything was judged. A sample would hide the rows that it left out.
 */
export function saysEnough(
  former: {
    readonly config: Pick<RunConfig, 'rows' | 'dataset'>;
    readonly summary: Pick<RunSummary, 'stopped' | 'coverage'>;
  },
  run: Pick<RunConfig, 'rows'>,
): boolean {
  const { config, summary } = former;
  if (summary.stopped !== null || (summary.coverage ?? 0) < MOST_JUDGED) return false;
  return config.rows >= run.rows || !isSample(config);
}

/** Whether a run asked fewer rows than its dataset had. */
export const isSample = ({ rows, dataset }: Pick<RunConfig, 'rows' | 'dataset'>): boolean => rows < dataset.rows;
