import { formatScore } from '../../report/format.ts';
import type { TrendPoint } from '../api/types.ts';
import { formatRoute, runRoute } from '../routing/route.ts';
import { trendWords } from './spark.tsx';
import { type SparkBox, scaleOf, sparkPath, sparkPoints } from './spark-points.ts';
import { commitWords, toneOf } from './words.ts';

const SHOWN = 30;
const BOX: SparkBox = { width: 860, height: 150, pad: 14, slots: SHOWN };

/** The scores of an eval's last 30 runs; each mark leads to its run. */
export function TrendChart({ runs }: { readonly runs: readonly TrendPoint[] }) {
  const shown = runs.slice(0, SHOWN);
  const box = { ...BOX, slots: Math.max(8, shown.length) };
  const points = sparkPoints(shown, box);
  const { low, high } = scaleOf(shown.flatMap(({ score }) => (score === null ? [] : [score])));
  return (
    <figure class="trend">
      <figcaption class="sr">{trendWords(shown)}</figcaption>
      <div class="trend-scale quiet" aria-hidden="true">
        <span>{formatScore(high)}</span>
        <span>{formatScore(low)}</span>
      </div>
      <svg viewBox={`0 0 ${box.width} ${box.height}`} preserveAspectRatio="none" aria-hidden="true">
        <line class="grid" x1="0" x2={box.width} y1={box.pad} y2={box.pad} />
        <line class="grid" x1="0" x2={box.width} y1={box.height - box.pad} y2={box.height - box.pad} />
        <path class="line" d={sparkPath(points)} />
      </svg>
      <ol class="trend-marks">
        {points.map(({ x, y }, at) => {
          const run = shown[shown.length - 1 - at];
          if (run === undefined) return null;
          const score = run.score === null ? 'no score' : `score ${formatScore(run.score)}`;
          const words = `${run.status}, ${score}, ${run.started_at.slice(0, 16).replace('T', ' ')} ${commitWords(run)}`;
          return (
            <li
              key={run.run_id}
              style={{ left: `${(x / box.width) * 100}%`, top: `${((y ?? box.height - box.pad) / box.height) * 100}%` }}
            >
              <a
                class={`mark ${toneOf(run.status)}${y === null ? ' hollow' : ''}`}
                href={formatRoute(runRoute(run.run_id))}
                title={words}
              >
                <span class="sr">{words}</span>
              </a>
            </li>
          );
        })}
      </ol>
    </figure>
  );
}
