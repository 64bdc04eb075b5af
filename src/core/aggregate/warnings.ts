import { selfJudging } from '../judging/model-family.ts';
import { plural } from '../plural.ts';
import type { RunConfig } from '../schemas/run.ts';
import type { BaselineComparison } from '../schemas/summary.ts';
import type { Aggregate } from './aggregate.ts';
import type { ResultFold } from './fold.ts';
import { isSample } from './whole-baseline.ts';

/** Fewer values than this make a p95 the maximum, or nearly so. */
const FEW_LATENCIES = 20;

interface WarningInput {
  readonly config: RunConfig;
  readonly fold: ResultFold;
  readonly figures: Aggregate;
  readonly baseline: BaselineComparison | null;
  /** The run that was found to compare with, whether or not it could be compared. */
  readonly former: RunConfig | null;
  /** About the choice of it. */
  readonly notes: readonly string[];
}

/** Reports say it in a notice of their own. */
export const LEXICAL_WARNING = 'judged by lexical word overlap, not by a model';

/** What a reader of the figures has to know besides them. */
export function runWarnings(input: WarningInput): string[] {
  return [
    ...input.config.warnings,
    ...judgeWarnings(input),
    ...figureWarnings(input),
    ...input.notes,
    ...baselineWarnings(input),
    ...resultWarnings(input),
  ];
}

function judgeWarnings({ config }: WarningInput): string[] {
  const { judges, targets } = config.eval;
  const lexical = judges.some((judge) => judge.type === 'lexical');
  const models = judges.flatMap((judge) => ('model' in judge ? [judge.model] : []));
  const asked = targets.map((target) => ({ id: target.id, model: 'model' in target ? target.model : null }));
  return [...(lexical ? [LEXICAL_WARNING] : []), ...selfJudging(models, asked)];
}

function figureWarnings({ config, figures, fold }: WarningInput): string[] {
  const warnings: string[] = [];
  const { latency, cost } = figures;
  const { policy } = config;
  if (cost.not_metered.length > 0) {
    const limits = policy.max_cost_usd === null ? '' : ', so max_cost_usd does not count it';
    warnings.push(`not metered: ${cost.not_metered.join(', ')}${limits}`);
  }
  if (cost.unknown.length > 0) warnings.push(`no price for ${cost.unknown.join(', ')}: the cost is unknown`);
  if (policy.max_p95_latency_ms !== null && latency.n > 0 && latency.n < FEW_LATENCIES) {
    warnings.push(`the p95 latency rests on ${latency.n} values only`);
  }
  if (latency.timeouts > 0) warnings.push(`latencies count ${plural(latency.timeouts, 'timeout')} at the limit`);
  if (figures.rowsNotJudged > 0) {
    warnings.push(`${plural(figures.rowsNotJudged, 'row')} could not be judged and do not enter the score`);
  }
  const { cleared } = figures.reduced;
  if (cleared.length > 0) {
    const ids = cleared.slice(0, 10).map((index) => fold.rowIds[index] ?? '?');
    warnings.push(
      `${plural(cleared.length, 'row')} failed first and passed when tried again: ${list(ids, cleared.length)}`,
    );
  }
  return warnings;
}

function baselineWarnings({ config, baseline, former }: WarningInput): string[] {
  if (baseline === null) {
    if (former !== null) return ['the baseline has no row that counts: regressions and drops were not checked'];
    if (config.eval.baseline === 'none') return [];
    return ['no baseline to compare with: regressions and drops were not checked'];
  }
  const warnings = former === null ? [] : reachWarnings(config, former, baseline);
  if (baseline.differences.length > 0) {
    warnings.push(`the baseline differs in ${baseline.differences.join(', ')}: changes may come from that`);
  }
  const { not_confirmed: open = [], why = null } = baseline.confirmation ?? {};
  if (open.length > 0) {
    const ids = list(open.slice(0, 10), open.length);
    warnings.push(`${plural(open.length, 'row')} that flipped could not be confirmed (${why}): ${ids}`);
  }
  warnings.push(...fewTrials(baseline.confirmation));
  const removed = baseline.removed_passed;
  if (removed.length > 0) {
    const ids = list(removed.slice(0, 10), removed.length);
    warnings.push(`${plural(removed.length, 'row')} that passed in the baseline are gone: ${ids}`);
  }
  if (baseline.unknown.length > 0) {
    const ids = list(baseline.unknown.slice(0, 10), baseline.unknown.length);
    warnings.push(`${plural(baseline.unknown.length, 'row')} that passed in the baseline have no verdict now: ${ids}`);
  }
  return warnings;
}

/** Where chance may have confirmed what it caused. */
function fewTrials(confirmation: BaselineComparison['confirmation']): string[] {
  if (confirmation === undefined || confirmation.regressed.length === 0) return [];
  const { trials, trials_needed: needed, flipped } = confirmation;
  if (needed === undefined) return [];
  return [
    `${plural(trials, 'further trial')} cannot tell ${plural(flipped, 'flipped row')} from noise: set confirm_trials to ${needed} or more`,
  ];
}

/** How much of this run the baseline can say anything about. */
function reachWarnings(config: RunConfig, former: RunConfig, baseline: BaselineComparison): string[] {
  const warnings: string[] = [];
  if (former.eval.name !== config.eval.name) {
    warnings.push(`the baseline is a run of another eval, ${former.eval.name}: its rows may mean something else`);
  }
  const sampled = isSample(former) ? ` (it was a sample of ${former.rows})` : '';
  if (baseline.new > 0 && (sampled !== '' || baseline.new * 2 > config.rows)) {
    const unseen = `${baseline.new} of ${plural(config.rows, 'row')} are not in the baseline${sampled}`;
    warnings.push(`${unseen}: whether they got worse is not known`);
  }
  const { same, compared = same } = baseline;
  if (compared * 2 < same)
    warnings.push(`of ${plural(same, 'row')} that both runs have only ${compared} were judged in both`);
  return warnings;
}

function resultWarnings({ fold }: WarningInput): string[] {
  const tally = new Map<string, number>();
  for (const position of fold.warningsOf.present()) {
    for (const kind of fold.warningLists[position] ?? []) tally.set(kind, (tally.get(kind) ?? 0) + 1);
  }
  const kinds = [...tally].sort(([a], [b]) => (a < b ? -1 : 1));
  return kinds.map(([kind, results]) => `${plural(results, 'result')}: ${kind}`);
}

function list(shown: readonly string[], all: number): string {
  return shown.join(', ') + (all > shown.length ? ', …' : '');
}
