import { RUN_ID_PATTERN } from '../../src/core/schemas/run.ts';
import { ID_PATTERN } from '../../src/core/schemas/target-config.ts';
import { HttpProblem } from '../shared/http-problem.ts';
import type { HttpRequest } from '../shared/http-request.ts';

const GATE_RUN_ID_PATTERN = /^g-[0-9A-HJKMNP-TV-Z]{26}$/;

/** An id that cannot be one is told like one that is unknown, and reaches no store, key or path. */
const notFound = (what: string): HttpProblem => new HttpProblem(404, 'not-found', `there is no such ${what}`);

export function projectParameter(request: HttpRequest, name: 'project' | 'id'): string {
  return checked(request, name, ID_PATTERN, 'project');
}

export function runParameter(request: HttpRequest, name: 'id' | 'other' = 'id'): string {
  return checked(request, name, RUN_ID_PATTERN, 'run');
}

export function gateRunParameter(request: HttpRequest): string {
  return checked(request, 'gateRunId', GATE_RUN_ID_PATTERN, 'id');
}

export function tokenParameter(request: HttpRequest): string {
  return checked(request, 'id', /^[a-z0-9]{16}$/, 'token');
}

/** `<project>.<name>`: names of evals and datasets are unique in their project only, and no id holds a dot. */
export function qualifiedParameter(request: HttpRequest, what: 'eval' | 'dataset'): { project: string; name: string } {
  const [project = '', name = '', ...rest] = (request.parameters.id ?? '').slice(0, 200).split('.');
  if (!ID_PATTERN.test(project) || !ID_PATTERN.test(name) || rest.length > 0) throw notFound(what);
  return { project, name };
}

export const qualifiedId = (project: string, name: string): string => `${project}.${name}`;

function checked(request: HttpRequest, name: string, pattern: RegExp, what: string): string {
  const value = request.parameters[name] ?? '';
  if (!pattern.test(value)) throw notFound(what);
  return value;
}

/** Whole numbers that queries take; absent, 0 stands for the newest version and for no runs. */
export const QUERY_COUNTS = {
  version: { default: 0, max: 999_999_999 },
  last: { default: 12, max: 100 },
  runs: { default: 0, max: 30 },
  limit: { default: 100, max: 500 },
} as const;

/** A whole number of the query. Throws HttpProblem 400. */
export function countQuery(request: HttpRequest, name: keyof typeof QUERY_COUNTS): number {
  const range = QUERY_COUNTS[name];
  const text = request.query.get(name);
  if (text === null || text === '') return range.default;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= range.max) return count;
  throw new HttpProblem(400, 'invalid-query', `${name} must be a whole number from 1 to ${range.max}`);
}

/** A switch of the query. Throws HttpProblem 400. */
export function flagQuery(request: HttpRequest, name: string): boolean {
  const text = request.query.get(name) ?? 'false';
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0' || text === '') return false;
  throw new HttpProblem(400, 'invalid-query', `${name} must be true or false`);
}
