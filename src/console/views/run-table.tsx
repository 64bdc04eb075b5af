import { useState } from 'preact/hooks';
import { formatMs, formatPercent, formatScore } from '../../report/format.ts';
import type { TrendPoint } from '../api/types.ts';
import { useConsole } from '../context.ts';
import { useNow } from '../data/use-now.ts';
import { usePages } from '../data/use-pages.ts';
import { StatusBadge } from '../parts/badge.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { Words } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { commitWords, isOpen, tookMs } from '../parts/words.ts';
import { formatRoute, runRoute } from '../routing/route.ts';
import { goTo } from '../routing/use-route.ts';

const OLDER_RUNS = 50;

/** The runs of an eval, newest first, two of which can be picked to be compared. */
export function RunTable({
  id,
  first,
  cursor,
  pinned,
}: {
  readonly id: string;
  readonly first: readonly TrendPoint[];
  readonly cursor: string | null;
  /** Run that was promoted last; null: none. */
  readonly pinned: string | null;
}) {
  const { client } = useConsole();
  const [picked, setPicked] = useState<readonly string[]>([]);
  const [isOlderShown, setOlderShown] = useState(false);
  const older = usePages(isOlderShown && cursor !== null ? `runs ${id} ${cursor}` : '', async (next, signal) =>
    cursor === null || !isOlderShown
      ? { items: [], cursor: null }
      : client.trend(id, OLDER_RUNS, next ?? cursor, signal),
  );
  if (first.length === 0) {
    return (
      <Empty title="No runs yet">
        <p>Start one here, or let CI call the project's webhook.</p>
      </Empty>
    );
  }
  const seen = new Set(first.map(({ run_id }) => run_id));
  const runs = [...first, ...older.items.filter(({ run_id }) => !seen.has(run_id))];
  const hasMore = isOlderShown ? older.hasMore : cursor !== null;
  const toggle = (runId: string) =>
    setPicked(picked.includes(runId) ? picked.filter((other) => other !== runId) : [...picked, runId].slice(-2));
  const [from, to] = [...picked].sort((a, b) => order(runs, b) - order(runs, a));
  return (
    <section class="card flush" aria-label="Runs">
      <div class="section-head">
        <h2>Runs</h2>
        <div class="actions">
          <span class="quiet" role="status">
            {picked.length === 0 ? 'Pick two to compare' : picked.length === 1 ? 'Pick another one' : ''}
          </span>
          <button
            type="button"
            disabled={from === undefined || to === undefined}
            onClick={() => {
              if (from !== undefined && to !== undefined) goTo({ view: 'compare', first: from, second: to, row: null });
            }}
          >
            Compare
          </button>
        </div>
      </div>
      <table class="list runs">
        <thead>
          <tr>
            <th scope="col">
              <span class="sr">Compare</span>
            </th>
            <th scope="col">Run</th>
            <th scope="col" class="num">
              Score
            </th>
            <th scope="col" class="num">
              Passed
            </th>
            <th scope="col">Code</th>
            <th scope="col">Why</th>
            <th scope="col" class="num">
              Took
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow
              key={run.run_id}
              run={run}
              isPinned={run.run_id === pinned}
              isPicked={picked.includes(run.run_id)}
              toggle={() => toggle(run.run_id)}
            />
          ))}
        </tbody>
      </table>
      {older.failure !== null && <Failure failure={older.failure} retry={older.more} />}
      {hasMore && (
        <p class="more">
          <button
            type="button"
            disabled={isOlderShown && older.isLoading}
            onClick={() => (isOlderShown ? older.more() : setOlderShown(true))}
          >
            {isOlderShown && older.isLoading ? 'One moment…' : 'Older runs'}
          </button>
        </p>
      )}
    </section>
  );
}

function RunRow({
  run,
  isPinned,
  isPicked,
  toggle,
}: {
  readonly run: TrendPoint;
  readonly isPinned: boolean;
  readonly isPicked: boolean;
  readonly toggle: () => void;
}) {
  const now = useNow();
  const took = tookMs(run, now);
  return (
    <tr class={isPicked ? 'picked' : ''}>
      <td class="pick">
        <input
          type="checkbox"
          checked={isPicked}
          disabled={isOpen(run.status)}
          aria-label={`Compare the run of ${run.started_at.slice(0, 16).replace('T', ' ')}, ${run.status}`}
          onChange={toggle}
        />
      </td>
      <th scope="row" class="last">
        <a class="plain" href={formatRoute(runRoute(run.run_id))}>
          <StatusBadge status={run.status} isQuarantined={run.quarantined} /> <Ago iso={run.started_at} />
        </a>
        {isPinned && <span class="chip accent">baseline</span>}
      </th>
      <td class="num score" data-name="Score">
        {run.score === null ? <span class="quiet">–</span> : formatScore(run.score)}
      </td>
      <td class="num" data-name="Passed">
        {run.pass_rate === null ? <span class="quiet">–</span> : formatPercent(run.pass_rate)}
      </td>
      <td class="code">
        <Words value={commitWords(run) || '–'} />
        {run.triggered_by !== null && (
          <span class="quiet by">
            by <Words value={run.triggered_by} />
          </span>
        )}
      </td>
      <td class="why">
        <Words value={run.message} />
      </td>
      <td class="num quiet" data-name="Took">
        {took === null || run.finished_at === null ? '–' : formatMs(took)}
      </td>
    </tr>
  );
}

/** Place in the list: the later a run began, the smaller. */
function order(runs: readonly TrendPoint[], runId: string): number {
  return runs.findIndex(({ run_id }) => run_id === runId);
}
