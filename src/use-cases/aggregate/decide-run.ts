import { canonicalJson, type JsonValue } from '../../core/json.ts';
import { lineBatches, readLines } from '../../core/jsonl.ts';
import { plural } from '../../core/plural.ts';
import type { EvalConfig } from '../../core/schemas/eval.ts';
import type { RedecidedRun } from '../../core/schemas/redecided-run.ts';
import { type Outcome, OutcomeSchema, type RowResult, type SkipCause } from '../../core/schemas/result.ts';
import { type Row, type RowChecks, RowChecksSchema } from '../../core/schemas/row.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import type { RunSummary } from '../../core/schemas/summary.ts';
import type { Policy } from '../../core/schemas/thresholds.ts';
import { COMPOSITE } from '../../core/scoring/composite.ts';
import { type PolicyDefaults, resolvePolicy } from '../../core/scoring/policy.ts';
import { redecideRow } from '../../core/scoring/redecide-row.ts';
import type { ByteChunks } from '../../ports/run-store.ts';
import { type AggregateRunInput, aggregateRun, type BaselineRun } from './aggregate-run.ts';

/** Files of a run that is over, each opened when it is read. */
export interface StoredResults {
  readonly config: RunConfig;
  results(): AggregateRunInput['results'];
  /** `rows.jsonl`; null when it is gone. */
  rows(): Promise<ByteChunks | null>;
}

export interface DecideRunInput extends StoredResults {
  readonly summary: RunSummary;
  /** Uncompressed `outcomes.jsonl`, to tell which rows changed; null when it is gone. */
  readonly outcomes: ByteChunks | null;
  /** The eval of the run under the policy to decide by (`parsePolicy`). */
  readonly eval: EvalConfig;
  readonly defaults?: PolicyDefaults;
  /**
   * The run that the stored decision compared with. With its own results its rows are decided by the same policy: a row mark
   * that moved is no regression. Null when there was none, or when it is gone.
   */
  readonly baseline: (BaselineRun & { readonly stored: StoredResults | null }) | null;
}

/**
 * Decides a stored run again, under another policy or the same, from its stored scores: no target and no judge is asked.
 * The same results under the same policy give the same bytes of decision. Throws ConfigError for a policy that does not
 * fit, StorageError where the results cannot be read.
 */
export async function decideRun(input: DecideRunInput): Promise<RedecidedRun> {
  const { config: stored, summary } = input;
  const policy = resolvePolicy(input.eval, input.defaults);
  const config: RunConfig = { ...stored, eval: input.eval, policy };
  const rowsChange = rowRules(policy) !== rowRules(stored.policy);
  const baseline = await baselineUnder(input, config, rowsChange);
  const decided = await aggregateRun({
    config,
    results: resultsUnder(input, policy, rowsChange),
    rows: input.rows,
    baseline: baseline.run,
    finishedAt: summary.finished_at,
    stopped: stopOf(summary),
    canaries: summary.canaries ?? null,
  });
  const { gate, status, message, decision } = decided.summary;
  const untried = decided.toConfirm.length;
  const warnings = [...baseline.warnings];
  if (untried > 0) warnings.push(`${plural(untried, 'row')} flip under this policy and were never tried again`);
  return {
    run_id: stored.run_id,
    eval: stored.eval.name,
    quarantined: summary.quarantined,
    gate,
    status,
    message,
    decision,
    stored: { gate: summary.gate, status: summary.status, decision: summary.decision },
    changed: {
      gate: gate !== summary.gate,
      policy: policyChanges(stored.policy, policy),
      rows: await rowChanges(decided.outcomes, input.outcomes),
    },
    policy,
    warnings,
  };
}

/** What decides a row or a row's trials; whatever else a policy says looks at decided rows. */
function rowRules({ row_mark, row_gate, veto, trial_policy }: Policy): string {
  return canonicalJson({ row_mark, row_gate: row_gate ?? null, veto, trial_policy });
}

function resultsUnder(input: StoredResults, policy: Policy, rowsChange: boolean): AggregateRunInput['results'] {
  return rowsChange ? redecided(input, policy) : input.results();
}

async function* redecided({ results, rows }: StoredResults, policy: Policy): AsyncGenerator<ByteChunks> {
  const checks = policy.row_gate === undefined ? new Map<number, RowChecks>() : await readChecks(rows);
  for await (const chunks of results()) yield redecidedChunks(chunks, policy, checks);
}

async function* redecidedChunks(
  chunks: ByteChunks,
  policy: Policy,
  checks: ReadonlyMap<number, RowChecks>,
): AsyncGenerator<Uint8Array> {
  for await (const lines of lineBatches(chunks)) {
    const decided = lines.map((line) => redecidedLine(line, policy, checks));
    yield Buffer.from(decided.map((line) => `${line}\n`).join(''), 'utf8');
  }
}

function redecidedLine(line: string, policy: Policy, checks: ReadonlyMap<number, RowChecks>): string {
  const result = parsed(line);
  // What is no result line is for the aggregator to refuse, with its number.
  if (result === null || result.status !== 'scored') return line;
  const { status, cause, passed, score, failedChecks } = redecideRow(result, policy, checks.get(result.index) ?? {});
  const composite = result.scores[COMPOSITE];
  const scores =
    composite?.status === 'scored' && score !== null
      ? { ...result.scores, [COMPOSITE]: { ...composite, value: score } }
      : result.scores;
  return JSON.stringify({ ...result, status, cause, passed, score, scores, failed_checks: failedChecks });
}

function parsed(line: string): RowResult | null {
  try {
    const value = JSON.parse(line) as RowResult | null;
    return typeof value === 'object' && typeof value?.scores === 'object' && Array.isArray(value.failed_checks)
      ? value
      : null;
  } catch {
    return null;
  }
}

/** Only rows that have checks of their own: most have none. */
async function readChecks(rows: StoredResults['rows']): Promise<Map<number, RowChecks>> {
  const checks = new Map<number, RowChecks>();
  const chunks = await rows();
  if (chunks === null) return checks;
  for await (const line of readLines(chunks)) {
    const row = JSON.parse(line) as Pick<Row, 'index' | 'checks'>;
    if (Object.keys(row.checks ?? {}).length > 0) checks.set(row.index, RowChecksSchema.parse(row.checks));
  }
  return checks;
}

async function baselineUnder(
  { baseline, eval: under }: DecideRunInput,
  { policy }: RunConfig,
  rowsChange: boolean,
): Promise<{ run: BaselineRun | null; warnings: readonly string[] }> {
  if (baseline === null || !rowsChange) return { run: baseline, warnings: [] };
  const { stored } = baseline;
  if (stored === null || stored.config.policy.type !== policy.type) {
    return { run: baseline, warnings: ['the rows of the baseline keep the verdicts of their own policy'] };
  }
  const config: RunConfig = {
    ...stored.config,
    policy,
    eval: { ...stored.config.eval, trial_policy: under.trial_policy },
  };
  const { outcomes } = await aggregateRun({
    config,
    results: redecided(stored, policy),
    rows: stored.rows,
    baseline: null,
    finishedAt: config.started_at,
    stopped: null,
  });
  return { run: { config, outcomes: asChunks(outcomes) }, warnings: [] };
}

async function* asChunks(lines: Iterable<string>): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield Buffer.from(line, 'utf8');
}

/** Why the run ended early, as its driver knew; most causes show in the results themselves. */
function stopOf({ status, stopped, decision }: RunSummary): { cause: SkipCause; why: string } | null {
  if (status === 'cancelled') return { cause: 'cancelled', why: stopped?.why ?? 'cancelled' };
  if (stopped === null) return null;
  const rules: readonly [rule: string, cause: SkipCause][] = [
    ['cost_cap', 'cost cap'],
    ['target_down', 'target down'],
    ['judge_down', 'stopped'],
    ['judge_compromised', 'judge compromised'],
  ];
  const cause = rules.find(([rule]) => decision.reasons.some((reason) => reason.rule === rule))?.[1];
  return cause === undefined ? null : { cause, why: stopped.why };
}

function policyChanges(from: Policy, to: Policy): RedecidedRun['changed']['policy'] {
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  const settingOf = (policy: Policy, field: string) =>
    ((policy as Record<string, unknown>)[field] ?? null) as JsonValue;
  return fields.flatMap((field) => {
    const [before, after] = [settingOf(from, field), settingOf(to, field)];
    return canonicalJson(before) === canonicalJson(after) ? [] : [{ field, from: before, to: after }];
  });
}

/** Both lists of outcomes are in file order, so that neither has to be held in memory. */
async function rowChanges(now: Iterable<string>, before: ByteChunks | null): Promise<RedecidedRun['changed']['rows']> {
  const changes = { now_passed: [] as string[], now_failed: [] as string[], now_unknown: [] as string[] };
  if (before === null) return changes;
  const current = now[Symbol.iterator]();
  for await (const line of readLines(before)) {
    const then = OutcomeSchema.parse(JSON.parse(line));
    const next = nextOf(current, then.row_id);
    if (next === null) break;
    if (next.score === null && then.score !== null) changes.now_unknown.push(next.row_id);
    else if (next.passed && !then.passed) changes.now_passed.push(next.row_id);
    else if (!next.passed && then.passed) changes.now_failed.push(next.row_id);
  }
  return changes;
}

function nextOf(outcomes: Iterator<string>, rowId: string): Outcome | null {
  for (let next = outcomes.next(); next.done !== true; next = outcomes.next()) {
    const outcome = JSON.parse(next.value) as Outcome;
    if (outcome.row_id === rowId) return outcome;
  }
  return null;
}
