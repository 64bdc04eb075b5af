import type { Trajectory } from '../schemas/trajectory.ts';

/** What one run of an agent left behind, in whatever form it was recorded. */
export interface Trace {
  /** What the agent was asked; null when the record does not say. */
  readonly task: string | null;
  readonly trajectory: Trajectory;
}
