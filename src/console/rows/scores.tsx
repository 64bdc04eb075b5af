import { formatScore } from '../../report/format.ts';
import type { Score } from '../api/types.ts';
import { Bar } from '../parts/figures.tsx';
import { Text, Words } from '../parts/text.tsx';

/** Every score of a result with its reason; what does not count for the row says so. */
export function Scores({ scores }: { readonly scores: Readonly<Record<string, Score>> }) {
  const entries = Object.entries(scores);
  if (entries.length === 0) return null;
  return (
    <div>
      <h3>Scores</h3>
      <ul class="scores">
        {entries.map(([name, score]) => (
          <li key={name}>
            <span class="score-name">
              <Words value={name} />
              {!score.in_row_score && <span class="chip">sub-score</span>}
              {score.cached && <span class="chip">kept verdict</span>}
              {score.repaired && <span class="chip">repaired</span>}
            </span>
            <Bar value={score.value} />
            <span class="num">{score.value === null ? 'unscored' : formatScore(score.value)}</span>
            <div class="score-reason">
              {score.cause !== null && <span class="quiet">{score.cause}</span>}
              {score.reason !== '' && <Text value={score.reason} label={`the reason of ${name}`} />}
              <Votes score={score} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Votes({ score: { votes } }: { readonly score: Score }) {
  if (votes.length === 0) return null;
  return (
    <ul class="plain-list quiet">
      {votes.map(({ judge, value, label, error }) => (
        <li key={judge}>
          <Words value={judge} />:{' '}
          <Words value={error ?? label ?? (value === null ? 'no verdict' : formatScore(value))} />
        </li>
      ))}
    </ul>
  );
}
