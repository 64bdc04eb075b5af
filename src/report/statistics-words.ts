import type { RunSummary } from '../core/schemas/summary.ts';
import { countOf, formatCount, formatDelta, formatPercent, formatPoints, formatScore } from './format.ts';

/** A figure and what it means, for people who do not know the words of statistics. */
export interface StatisticLine {
  readonly name: string;
  readonly figure: string;
  readonly words: string;
}

/** What the numbers of a run can bear, a line a figure; empty for runs from before there were statistics. */
export function statisticLines(summary: RunSummary): readonly StatisticLine[] {
  if (summary.statistics === undefined) return [];
  return [
    ...passRateLine(summary),
    ...scoreLine(summary),
    ...changeLines(summary),
    ...visibleLine(summary),
    ...floorLines(summary),
    ...flakeLines(summary),
    ...calibrationLines(summary),
  ];
}

function passRateLine({ pass_rate: rate, pass_rate_ci95: ci, statistics }: RunSummary): StatisticLine[] {
  if (rate === null) return [];
  const rows = statistics?.rows ?? 0;
  if (ci === null)
    return [{ name: 'pass rate', figure: formatPercent(rate), words: 'no interval: all rows are of one cluster' }];
  const clustered = clusterWords(statistics);
  const words = `${countOf(rows, 'row')} like these say that the true rate lies between ${formatPercent(ci[0])} and ${formatPercent(ci[1])}${clustered}`;
  return [{ name: 'pass rate', figure: `${formatPercent(rate)} (Wilson 95%)`, words }];
}

function clusterWords(statistics: RunSummary['statistics']): string {
  const { clusters = null, effective_rows: worth = null, rows = 0 } = statistics ?? {};
  if (clusters === null || worth === null) return '';
  const less = worth < rows - 0.5 ? `: worth ${formatCount(Math.round(worth))} independent ones` : '';
  return ` (rows come in ${countOf(clusters, 'cluster')}${less})`;
}

function scoreLine({ score, score_ci95: ci, statistics }: RunSummary): StatisticLine[] {
  const error = statistics?.score_standard_error ?? null;
  if (score === null || ci === null || error === null) return [];
  const figure = `${formatScore(score)} ± ${formatScore(error)} (standard error)`;
  if (error === 0)
    return [{ name: 'score', figure, words: 'all rows have the same score, so their spread is unknown' }];
  const words = `the true mean lies between ${formatScore(ci[0])} and ${formatScore(ci[1])} (t on ${formatCount(statistics?.score_df ?? 0)}, 95%)`;
  return [{ name: 'score', figure, words }];
}

function changeLines({ baseline }: RunSummary): StatisticLine[] {
  if (baseline === null) return [];
  const lines: StatisticLine[] = [];
  const { delta_same: delta, ci95: ci, p_value: p, compared = baseline.same } = baseline;
  if (delta !== null && ci !== null) {
    const place = ci[1] < 0 ? 'worse' : ci[0] > 0 ? 'better' : 'could be no change at all';
    const words = `on ${countOf(compared, 'row')} that both runs judged, the true change lies between ${formatPoints(ci[0])} and ${formatPoints(ci[1])}: ${place}`;
    lines.push({ name: 'change of the pass rate', figure: `${formatPoints(delta)} (Newcombe 95%)`, words });
  }
  if (p !== null) {
    const flips = baseline.regressed.length + baseline.fixed.length;
    const words =
      flips === 0
        ? 'no row changed its verdict, so there is no sign of a change'
        : `${countOf(baseline.regressed.length, 'row fails', 'rows fail')} that passed, ${formatCount(baseline.fixed.length)} pass that failed; were it chance, a balance this bad or worse would come ${formatPercent(p)} of the time`;
    lines.push({ name: 'sign of a drop', figure: `p ${p.toPrecision(2)} (McNemar mid-p)`, words });
  }
  const { mean_delta_same: mean, mean_ci95: meanCi } = baseline;
  if (mean != null && meanCi != null && meanCi[0] !== meanCi[1]) {
    const words = `each row against itself, the true change lies between ${formatDelta(meanCi[0])} and ${formatDelta(meanCi[1])}`;
    lines.push({ name: 'change of the score', figure: `${formatDelta(mean)} (paired t, 95%)`, words });
  }
  return lines;
}

function visibleLine({ statistics }: RunSummary): StatisticLine[] {
  const visible = statistics?.smallest_visible ?? null;
  if (visible === null || visible.pass_rate === null || statistics === undefined) return [];
  const points = formatNumber(visible.pass_rate * 100);
  const basis =
    visible.basis === 'baseline' ? 'as rows changed since the baseline' : 'without a baseline to learn from';
  const more =
    visible.rows_for_3_points === null || visible.pass_rate <= 0.03
      ? ''
      : `; to see 3 points takes ${countOf(visible.rows_for_3_points, 'row')}`;
  const score = visible.score === null ? '' : `; of the score, below ${formatScore(visible.score)}`;
  return [
    {
      name: 'smallest visible drop',
      figure: `${points} points`,
      words: `at ${countOf(statistics.rows, 'row')} a drop below ${points} points cannot be seen (8 of 10 times, ${basis})${score}${more}`,
    },
  ];
}

function floorLines({ statistics }: RunSummary): StatisticLine[] {
  const floors = statistics?.floors ?? [];
  const tested = floors.filter(({ p_value: p }) => p !== null).length;
  return floors.flatMap(({ metric, floor, p_value: p, p_holm: adjusted }) => {
    if (p === null || adjusted === null) return [];
    const corrected = tested > 1 ? `, ${adjusted.toPrecision(2)} among ${formatCount(tested)} (Holm)` : '';
    const words =
      adjusted < 0.025
        ? `too low to be chance: the true mean is below ${formatScore(floor)}`
        : p > 0.975
          ? `the true mean is above ${formatScore(floor)}, beyond chance`
          : `chance alone could put the true mean on either side of ${formatScore(floor)}`;
    return [{ name: `floor of ${metric}`, figure: `p ${p.toPrecision(2)}${corrected}`, words }];
  });
}

function flakeLines({ repeats = [] }: RunSummary): StatisticLine[] {
  return repeats.flatMap(({ target, trials, flake_rate: rate, flake_rate_ci95: ci, pass_hat, pass_hat_ci95 }) => {
    const all = pass_hat.at(-1);
    const allCi = pass_hat_ci95?.at(-1) ?? null;
    if (rate === null || all === undefined) return [];
    const name = repeats.length > 1 ? ` of ${target}` : '';
    const between = (interval: readonly [number, number] | null) =>
      interval === null ? '' : ` (95%: ${formatPercent(interval[0])} to ${formatPercent(interval[1])})`;
    return [
      {
        name: `flake rate${name}`,
        figure: formatPercent(rate),
        words: `trials of the same row disagree on so many rows${between(ci ?? null)}`,
      },
      {
        name: `pass^${trials}${name}`,
        figure: formatPercent(all),
        words: `so many rows pass all of ${formatCount(trials)} trials${between(allCi)}`,
      },
    ];
  });
}

function calibrationLines({ calibration }: RunSummary): StatisticLine[] {
  if (calibration === undefined) return [];
  const { kappa, labels, tpr, tnr, age_days, corrected, label_policy } = calibration;
  const rate = (value: number | null) => (value === null ? 'unknown' : formatPercent(value));
  const lines: StatisticLine[] = [
    {
      name: 'judge and people',
      figure: kappa === null ? 'κ undefined' : `κ ${formatScore(kappa)}`,
      words: `over ${countOf(labels, 'label')} (policy ${label_policy}, ${countOf(Math.floor(age_days), 'day')} before the run) the judge passes ${rate(tpr)} of good answers and fails ${rate(tnr)} of bad ones`,
    },
  ];
  const { status, rate: share, ci95, judged_rate } = corrected;
  if (share !== null && ci95 !== null && status !== 'judge_drift') {
    const words = `the judge passed ${rate(judged_rate)}; people would have passed between ${formatPercent(ci95[0])} and ${formatPercent(ci95[1])}`;
    lines.push({ name: 'corrected pass rate', figure: formatPercent(share), words });
  }
  if (status === 'judge_drift') {
    const words = `no answers could make the judge that was calibrated pass ${rate(judged_rate)}: it is another judge now`;
    lines.push({ name: 'corrected pass rate', figure: 'judge drift', words });
  }
  return lines;
}

/** `9`, `8.5`, `0.43`: what one would say aloud. */
function formatNumber(value: number): string {
  return value >= 9.95 ? String(Math.round(value)) : String(Number(value.toPrecision(2)));
}
