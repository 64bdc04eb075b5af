import { formatScore } from '../../report/format.ts';
import { type SparkBox, type SparkPoint, sparkPath, sparkPoints } from './spark-points.ts';
import { toneOf } from './words.ts';

const SMALL: SparkBox = { width: 132, height: 30, pad: 4, slots: 12 };

/** The scores of the last 12 runs, oldest on the left; a run without a score is a mark on the ground. */
export function Sparkline({ runs }: { readonly runs: readonly SparkPoint['run'][] }) {
  if (runs.length === 0) return <span class="quiet">no runs</span>;
  const points = sparkPoints(runs, SMALL);
  return (
    <svg
      class="spark"
      role="img"
      aria-label={trendWords(runs)}
      viewBox={`0 0 ${SMALL.width} ${SMALL.height}`}
      width={SMALL.width}
      height={SMALL.height}
    >
      <path class="line" d={sparkPath(points)} />
      {points.map(({ run, x, y }, at) => (
        <circle
          key={run.run_id}
          class={`dot ${toneOf(run.status)}${y === null ? ' hollow' : ''}`}
          cx={x}
          cy={y ?? SMALL.height - SMALL.pad}
          r={at === points.length - 1 ? 3.4 : 2}
        />
      ))}
    </svg>
  );
}

/** `score over 5 runs: 0.810, then 0.740; last run failed`. */
export function trendWords(newestFirst: readonly SparkPoint['run'][]): string {
  const scored = newestFirst.flatMap(({ score }) => (score === null ? [] : [score]));
  const last = newestFirst[0];
  const [newest, oldest] = [scored[0], scored.at(-1)];
  const count = newestFirst.length === 1 ? 'one run' : `${newestFirst.length} runs`;
  const scores =
    newest === undefined || oldest === undefined
      ? 'none has a score'
      : scored.length === 1
        ? formatScore(newest)
        : `from ${formatScore(oldest)} to ${formatScore(newest)}`;
  return `Score over ${count}: ${scores}; the last one ${last?.status ?? ''}`;
}
