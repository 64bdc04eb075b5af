import type { RunConfig } from '../core/schemas/run.ts';
import type { RunSummary } from '../core/schemas/summary.ts';
import type { CauseCount } from './collect/cause-counts.ts';
import type { RunNotes } from './collect/run-notes.ts';
import {
  countOf,
  formatCount,
  formatDelta,
  formatMs,
  formatPercent,
  formatScore,
  msAgainst,
  scoreAgainst,
  usdAgainst,
} from './format.ts';
import { tagFindings, tagOfMost } from './tag-findings.ts';

/** One thing to look at, in the order in which a person would ask. */
export interface Finding {
  readonly tone: 'bad' | 'warn' | 'good';
  readonly title: string;
  readonly detail: string | null;
  /** Rows to open first. */
  readonly rowIds: readonly string[];
  /** Place on the page, and what stands there. */
  readonly link: { readonly href: string; readonly words: string } | null;
  /** The higher, the sooner it is read. */
  readonly weight: number;
}

export interface FindingsInput {
  readonly summary: RunSummary;
  readonly config: RunConfig;
  readonly notes: RunNotes;
  readonly baseline: RunSummary | null;
}

const MOST_FINDINGS = 6;
const ROWS_NAMED = 3;
/** A change of a metric's mean that is worth a line. */
const NOTABLE_DROP = 0.02;

/** What got worse and what to look at next, gravest first; never empty. */
export function findings(input: FindingsInput): readonly Finding[] {
  const found = [
    ...judgeErrors(input),
    ...targetErrors(input),
    ...skipped(input),
    ...slow(input),
    ...dear(input),
    ...lowMetrics(input),
    ...regressions(input),
    ...tagFindings(input),
    ...targetGap(input),
    ...failedRows(input),
    ...unsteady(input),
    ...splitJury(input),
  ].sort((a, b) => b.weight - a.weight);
  const worse = found.slice(0, MOST_FINDINGS);
  return worse.some(({ tone }) => tone === 'bad') ? worse : [...allWell(input), ...worse].slice(0, MOST_FINDINGS);
}

function judgeErrors({ summary: { counts }, config, notes }: FindingsInput): Finding[] {
  if (counts.judge_error === 0) return [];
  const share = counts.judge_error / counts.results;
  const tooMany = share > 1 - config.policy.min_coverage + 1e-9;
  const title = `The judge gave no verdict on ${formatCount(counts.judge_error)} of ${countOf(counts.results, 'result')}`;
  const finding = withoutVerdict(title, notes.causes.of('judge_error'), tooMany ? 100 : 55, tooMany);
  // With too many it is asked whether the answers were bad at all.
  const judged =
    tooMany && counts.scored > 0
      ? `Of the ${countOf(counts.scored, 'result')} with a verdict, ${formatCount(notes.passed)} passed. `
      : '';
  return [{ ...finding, detail: `${judged}${finding.detail ?? ''}` || null }];
}

function targetErrors({ summary: { counts, targets }, notes }: FindingsInput): Finding[] {
  if (counts.target_error === 0) return [];
  const failing = targets.filter((target) => target.counts.target_error > 0);
  const [one] = failing;
  const title =
    one !== undefined && failing.length === 1 && targets.length > 1
      ? `Target ${one.id} gave no answer to ${formatCount(one.counts.target_error)} of ${countOf(one.counts.results, 'request')}; the other ${targets.length === 2 ? 'target' : 'targets'} answered all`
      : `${targets.length === 1 ? 'The target' : 'Targets'} gave no answer to ${formatCount(counts.target_error)} of ${countOf(counts.results, 'request')}`;
  const many = counts.target_error * 10 >= counts.results;
  return [withoutVerdict(title, notes.causes.of('target_error'), many ? 95 : 52, many)];
}

function withoutVerdict(title: string, causes: readonly CauseCount[], weight: number, bad: boolean): Finding {
  const [first] = causes;
  const counted = causes.slice(0, 3).map(({ cause, count }) => `${formatCount(count)} × ${cause}`);
  const example = first?.example == null ? '' : `. The first said: ${first.example}`;
  return {
    tone: bad ? 'bad' : 'warn',
    title,
    detail: counted.length === 0 ? null : `${counted.join(', ')}${example}`,
    rowIds: [],
    link: { href: '#show=errors', words: 'Rows with errors' },
    weight,
  };
}

function skipped({ summary: { counts, skipped_by_cause: causes } }: FindingsInput): Finding[] {
  if (counts.skipped === 0) return [];
  const detail = Object.entries(causes).map(([cause, count]) => `${formatCount(count)} × ${cause}`);
  const title = `${formatCount(counts.skipped)} of ${countOf(counts.results, 'result')} never ran`;
  const link = { href: '#show=skipped', words: 'Skipped rows' };
  return [{ tone: 'bad', title, detail: detail.join(', '), rowIds: [], link, weight: 92 }];
}

function slow({ summary: { latency, targets }, config }: FindingsInput): Finding[] {
  const limit = config.policy.max_p95_latency_ms ?? config.eval.latency_budget_ms ?? null;
  const link = { href: '#latency', words: 'Latency' };
  const timed = targets.flatMap(({ id, latency: { p95_ms: p95 } }) => (p95 === null ? [] : [{ id, p95 }]));
  const [slowest] = timed.toSorted((a, b) => b.p95 - a.p95);
  const others = timed.filter((target) => target !== slowest);
  const isOver = limit !== null && latency.p95_ms !== null && latency.p95_ms > limit + 1e-9;
  const best = others.map(({ p95 }) => p95).sort((a, b) => a - b)[0];
  const detail =
    best === undefined
      ? null
      : others.length === 1
        ? `The other target, ${others[0]?.id ?? ''}: p95 ${formatMs(best)}`
        : `The others: p95 ${formatMs(best)} to ${formatMs(Math.max(...others.map(({ p95 }) => p95)))}`;
  if (isOver && latency.p95_ms !== null) {
    const oneIsSlow =
      slowest !== undefined && best !== undefined && slowest.p95 > limit && others.every(({ p95 }) => p95 <= limit);
    const shown = msAgainst(oneIsSlow ? slowest.p95 : latency.p95_ms, limit);
    const who = oneIsSlow ? `Target ${slowest.id} is too slow` : 'Answers are too slow';
    const title = `${who}: p95 ${shown.value}, at most ${shown.limit} allowed`;
    return [{ tone: 'bad', title, detail, rowIds: [], link, weight: 90 }];
  }
  if (slowest === undefined || best === undefined || slowest.p95 < best * 2 || slowest.p95 < 500) return [];
  const title = `Target ${slowest.id} is ${formatCount(Math.floor(slowest.p95 / Math.max(1, best)))} times slower: p95 ${formatMs(slowest.p95)}`;
  return [{ tone: 'warn', title, detail, rowIds: [], link, weight: 36 }];
}

function dear({ summary: { cost }, config }: FindingsInput): Finding[] {
  const limit = config.policy.max_cost_usd;
  if (limit === null || cost.total_usd === null || cost.total_usd <= limit + 1e-9) return [];
  const shown = usdAgainst(cost.total_usd, limit);
  const title = `The run cost ${shown.value}, at most ${shown.limit} allowed`;
  return [{ tone: 'bad', title, detail: null, rowIds: [], link: { href: '#cost', words: 'Cost' }, weight: 80 }];
}

function lowMetrics({ summary, config, baseline }: FindingsInput): Finding[] {
  const link = { href: '#metrics', words: 'Metrics' };
  return Object.entries(summary.metrics).flatMap(([name, { mean }]): Finding[] => {
    if (mean === null) return [];
    const former = baseline?.metrics[name]?.mean ?? null;
    const was = former === null ? null : `${formatScore(former)} in the baseline`;
    const { metric_floors: floors } = config.policy;
    const floor = Object.hasOwn(floors, name) ? floors[name] : undefined;
    if (floor !== undefined && mean < floor - 1e-9) {
      const shown = scoreAgainst(mean, floor);
      const title = `${name} is ${shown.value}, below its floor ${shown.limit}`;
      return [{ tone: 'bad', title, detail: was, rowIds: [], link, weight: 84 }];
    }
    if (former === null || former - mean < NOTABLE_DROP) return [];
    const title = `${name} fell by ${formatScore(former - mean)} to ${formatScore(mean)}`;
    return [{ tone: 'bad', title, detail: was, rowIds: [], link, weight: 56 + (former - mean) }];
  });
}

function regressions({ summary, config, notes }: FindingsInput): Finding[] {
  const { baseline } = summary;
  if (baseline === null || baseline.regressed.length === 0) return [];
  const { regressed, mean_delta: delta } = baseline;
  const tag = tagOfMost(regressed, notes, summary);
  const words = [
    tag === null
      ? null
      : `${tag.rows === regressed.length && tag.rows > 1 ? 'all' : `${formatCount(tag.rows)} of them`} tagged ${tag.name}`,
    baseline.fixed.length === 0 ? null : `${countOf(baseline.fixed.length, 'row')} got better`,
    delta !== null && delta > -0.005 ? `the average hides it: score ${formatDelta(delta)}` : null,
  ].filter((part) => part !== null);
  return [
    {
      tone: 'bad',
      title: `${countOf(regressed.length, 'row')} passed in the baseline and ${regressed.length === 1 ? 'fails' : 'fail'} now`,
      detail: words.length === 0 ? null : words.join('; '),
      rowIds: regressed.slice(0, ROWS_NAMED),
      link: { href: '#changes', words: 'Then and now, side by side' },
      weight: config.policy.fail_on_regression ? 94 : 74,
    },
  ];
}

function targetGap({ summary: { targets } }: FindingsInput): Finding[] {
  const rated = targets.flatMap(({ id, pass_rate: rate }) => (rate === null ? [] : [{ id, rate }]));
  const [best, ...rest] = rated.toSorted((a, b) => b.rate - a.rate);
  const worst = rest.at(-1);
  if (best === undefined || worst === undefined || best.rate - worst.rate < 0.1) return [];
  const title = `Target ${worst.id} passes ${formatPercent(worst.rate)}, ${best.id} ${formatPercent(best.rate)}`;
  const link = { href: '#targets', words: 'Targets' };
  return [{ tone: 'warn', title, detail: null, rowIds: [], link, weight: 50 }];
}

function failedRows({ summary, config: { policy }, notes }: FindingsInput): Finding[] {
  const { counts, pass_rate: rate, score } = summary;
  if (counts.failed === 0) return [];
  const [check] = notes.checks.list();
  const isBroken =
    (policy.pass_rate !== null && rate !== null && rate < policy.pass_rate - 1e-9) ||
    (policy.min_score !== null && score !== null && score < policy.min_score - 1e-9);
  return [
    {
      tone: isBroken ? 'bad' : 'warn',
      title: `${formatCount(counts.failed)} of ${countOf(counts.rows, 'row')} failed`,
      detail: check === undefined || check[1] < 2 ? null : `most often by ${check[0]} (${countOf(check[1], 'result')})`,
      rowIds: notes.worst.worst().slice(0, ROWS_NAMED),
      link: { href: '#show=failed', words: 'Failed rows, worst first' },
      weight: isBroken ? 82 : 48,
    },
  ];
}

function unsteady({ summary: { counts } }: FindingsInput): Finding[] {
  if (counts.flaky === 0) return [];
  const title =
    counts.flaky === 1
      ? '1 row passes in one trial and fails in another'
      : `${formatCount(counts.flaky)} rows pass in one trial and fail in another`;
  const link = { href: '#flaky', words: 'Flaky rows' };
  return [{ tone: 'warn', title, detail: null, rowIds: [], link, weight: 40 }];
}

function splitJury({ notes }: FindingsInput): Finding[] {
  const [metric] = notes.votes.metrics().toSorted((a, b) => b.differed / b.voted - a.differed / a.voted);
  if (metric === undefined || metric.differed * 10 < metric.voted) return [];
  const title = `The judges differ on ${formatCount(metric.differed)} of ${countOf(metric.voted, 'verdict')} of ${metric.metric}`;
  const link = { href: '#judges', words: 'Votes of the judges' };
  return [{ tone: 'warn', title, detail: null, rowIds: [], link, weight: 42 }];
}

/** Where nothing got worse: that, and what is nearest to getting worse. */
function allWell({ summary: { baseline, metrics } }: FindingsInput): Finding[] {
  const scored = Object.entries(metrics).flatMap(([name, { mean }]) => (mean === null ? [] : [{ name, mean }]));
  const [weakest] = scored.toSorted((a, b) => a.mean - b.mean);
  const found: Finding[] = [];
  if (baseline !== null && baseline.regressed.length === 0) {
    const better = baseline.fixed.length === 0 ? null : `${countOf(baseline.fixed.length, 'row')} got better`;
    const title = `No row that passed in the baseline fails now`;
    const link = { href: '#changes', words: 'Against the baseline' };
    found.push({ tone: 'good', title, detail: better, rowIds: baseline.fixed.slice(0, ROWS_NAMED), link, weight: 10 });
  }
  if (weakest !== undefined && scored.length > 1) {
    const title = `Weakest metric: ${weakest.name}, ${formatScore(weakest.mean)}`;
    found.push({
      tone: 'good',
      title,
      detail: null,
      rowIds: [],
      link: { href: '#metrics', words: 'Metrics' },
      weight: 8,
    });
  }
  const link = { href: '#rows', words: 'All rows, worst first' };
  if (found.length === 0)
    found.push({ tone: 'good', title: 'Nothing stands out', detail: null, rowIds: [], link, weight: 1 });
  return found;
}
