import { countOf, formatCount, formatDelta, formatPercent, formatScore, scoreAgainst, usdAgainst } from '../format.ts';
import type { Finding, FindingsInput } from './finding.ts';
import { noVerdictFindings } from './no-verdict.ts';
import { slowFindings } from './slow.ts';
import { tagFindings, tagOfMost } from './tags.ts';

const MOST_FINDINGS = 6;
const ROWS_NAMED = 3;
/** A change of a metric's mean that is worth a line. */
const NOTABLE_DROP = 0.02;

/** What got worse and what to look at next, gravest first; never empty. */
export function findings(input: FindingsInput): readonly Finding[] {
  const found = [
    ...noVerdictFindings(input),
    ...slowFindings(input),
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
      rowIds: [...new Set(notes.worst.worst())].slice(0, ROWS_NAMED),
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
