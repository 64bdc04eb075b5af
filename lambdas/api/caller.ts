import { onlyReads, type Route } from '../routes.ts';
import { HttpProblem } from '../shared/http-problem.ts';

/** Who makes a call, and what they may. */
export interface Caller {
  /** For records of who did what. */
  readonly name: string;
  /** Null: all projects. */
  readonly projects: readonly string[] | null;
  readonly access: 'read' | 'write';
}

/** The one who proved itself by a webhook secret, or need not: operations look themselves. */
export const ANYONE: Caller = { name: 'webhook', projects: null, access: 'write' };

/** Throws HttpProblem 403 for what a token that only reads may not; which project it is about plays no part. */
export function refuseBeyondAccess({ access }: Caller, route: Route): void {
  if (access === 'write' || onlyReads(route)) return;
  throw new HttpProblem(403, 'read-only', 'this token may only read');
}

/** Throws HttpProblem 403 unless the caller reaches every project and may write. */
export function refuseUnlessOwner({ projects, access }: Caller, what: string): void {
  if (projects === null && access === 'write') return;
  throw new HttpProblem(403, 'not-allowed', `${what} takes a token of all projects that may write`);
}
