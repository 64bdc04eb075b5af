import type { NamedQuery, QueryParameter } from '../../analytics/named-query.ts';
import { ConfigError } from '../../core/errors.ts';
import { nearestName } from '../../core/nearest.ts';
import { timeOfId } from '../../core/run-id.ts';
import { RUN_ID_PATTERN } from '../../core/schemas/run.ts';

/** What is known of runs that were counted, oldest first. One that broke before has no results to ask about. */
export interface KnownRun {
  readonly run_id: string;
  readonly eval: string;
  readonly project: string;
  readonly dt: string;
  readonly baseline_run_id: string | null;
}

/** Asks for them. */
export const KNOWN_RUNS_SQL =
  'SELECT run_id, eval, project, dt, baseline_run_id FROM runs WHERE row_count IS NOT NULL ORDER BY run_id';

const FIRST_DAY = '2020-01-01';

/**
 * Values for a query's `?`, in order: as given, else the latest run, what it was compared with (or the run of its eval
 * before it), its eval, the first day there is. Throws ConfigError that names what is missing, unknown or malformed.
 */
export function bindParameters(
  { name, parameters }: NamedQuery,
  given: ReadonlyMap<string, string>,
  runs: readonly KnownRun[],
): readonly string[] {
  const names = [...new Set(parameters.map((parameter) => parameter.name))];
  for (const key of given.keys()) {
    if (names.includes(key)) continue;
    const nearest = nearestName(key, names);
    const fix = nearest === undefined ? `it takes ${names.join(', ')}` : `did you mean ${nearest}?`;
    throw new ConfigError([{ message: `the query ${name} has no parameter "${key}"`, fix }]);
  }
  const bound = new Map<string, string>();
  const bind = (parameter: QueryParameter): string => {
    const known = bound.get(parameter.name);
    if (known !== undefined) return known;
    const value = given.get(parameter.name) ?? defaultOf(parameter, parameters, bind, runs);
    check(parameter, value);
    bound.set(parameter.name, value);
    return value;
  };
  return parameters.map(bind);
}

/** The runs a query is about, when it is about some alone; null: about all. */
export function runsOf({ parameters }: NamedQuery, values: readonly string[]): readonly string[] | null {
  const ids = values.filter((_, position) => parameters[position]?.kind === 'run');
  return ids.length === 0 ? null : [...new Set(ids)];
}

function defaultOf(
  parameter: QueryParameter,
  parameters: readonly QueryParameter[],
  bind: (parameter: QueryParameter) => string,
  runs: readonly KnownRun[],
): string {
  if (parameter.kind === 'date') return FIRST_DAY;
  if (parameter.kind === 'run_date') {
    const run = parameters.find(({ name }) => name === parameter.of);
    if (run !== undefined) return dateOf(bind(run), runs);
  }
  const latest = runs.at(-1);
  if (latest === undefined) throw missing(parameter, 'there is no finished run to take');
  if (parameter.name === 'run') return latest.run_id;
  if (parameter.name === 'eval') return latest.eval;
  const run = parameters.find(({ name }) => name === 'run');
  if (parameter.name !== 'baseline' || run === undefined) throw missing(parameter, 'it has no default');
  const baseline = formerOf(bind(run), runs);
  if (baseline === undefined)
    throw missing(parameter, 'that run was compared with none, and none of its eval is older');
  return baseline;
}

function formerOf(runId: string, runs: readonly KnownRun[]): string | undefined {
  const run = runs.find(({ run_id }) => run_id === runId);
  if (run?.baseline_run_id) return run.baseline_run_id;
  const same = runs.filter((other) => other.eval === run?.eval && other.project === run?.project);
  return same.filter(({ run_id }) => run_id < runId).at(-1)?.run_id;
}

function dateOf(runId: string, runs: readonly KnownRun[]): string {
  const known = runs.find(({ run_id }) => run_id === runId);
  if (known !== undefined) return known.dt;
  return RUN_ID_PATTERN.test(runId) ? new Date(timeOfId(runId)).toISOString().slice(0, 10) : '';
}

function check({ name, kind }: QueryParameter, value: string): void {
  if (kind === 'run' && !RUN_ID_PATTERN.test(value))
    throw new ConfigError([
      { message: `${name}: "${value}" is not a run id`, fix: 'assay query latest_runs lists them' },
    ]);
  if ((kind === 'date' || kind === 'run_date') && !/^\d{4}-\d{2}-\d{2}$/.test(value))
    throw new ConfigError([{ message: `${name}: "${value}" is not a date`, fix: 'such as 2026-11-30' }]);
}

function missing({ name, comment }: QueryParameter, why: string): ConfigError {
  return new ConfigError([{ message: `no ${name} (${comment}) given, and ${why}`, fix: `--param ${name}=…` }]);
}
