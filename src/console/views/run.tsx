import { useEffect, useRef, useState } from 'preact/hooks';
import type { Run } from '../api/types.ts';
import { useConsole, useOwner } from '../context.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { useTitle } from '../data/use-title.ts';
import { Heading } from '../parts/heading.tsx';
import { Show } from '../parts/states.tsx';
import { Words } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { commitWords, isOpen } from '../parts/words.ts';
import type { RowsView } from '../routing/route.ts';
import { Rows } from '../rows/rows.tsx';
import { RunActions } from './run-actions.tsx';
import { RunFacts } from './run-facts.tsx';
import { Metrics, RunTiles } from './run-figures.tsx';
import { Progress, Verdict, Warnings } from './run-verdict.tsx';

/** One run: the verdict and why, its figures, its rows. Follows a run that is under way. */
export function RunView({ id, rows }: { readonly id: string; readonly rows: RowsView }) {
  const { client } = useConsole();
  const run = useLoaded(
    `run ${id}`,
    (signal) => client.run(id, signal),
    ({ status }) => isOpen(status),
  );
  const value = run.value;
  useOwner(value === null ? null : `${value.project}.${value.eval}`);
  useTitle(...(value === null ? ['Run'] : [`${value.status}: ${value.eval}`, value.project]));
  return (
    <>
      <Heading
        kind="Run"
        title={value?.eval ?? 'Run'}
        beside={
          value !== null && (
            <span class="quiet">
              <Ago iso={value.started_at} />
              {commitWords(value) !== '' && (
                <>
                  {' · '}
                  <Words value={commitWords(value)} />
                </>
              )}
              {value.quarantined && <span class="chip warn">quarantined</span>}
            </span>
          )
        }
        actions={value !== null && <RunActions run={value} reload={run.reload} />}
      />
      <Show loaded={run} what="the run">
        {(found) => (
          <>
            <Announcer run={found} />
            {isOpen(found.status) ? <Progress run={found} /> : <Verdict run={found} />}
            <Warnings warnings={found.warnings ?? []} />
            <RunTiles run={found} />
            <Metrics run={found} />
            <Rows run={found} view={rows} />
            <RunFacts run={found} />
          </>
        )}
      </Show>
    </>
  );
}

/** Tells those who do not see it that a run that they wait for has ended. */
function Announcer({ run }: { readonly run: Run }) {
  const before = useRef(run.status);
  const [words, setWords] = useState('');
  useEffect(() => {
    if (before.current !== run.status && !isOpen(run.status))
      setWords(`The run is over: ${run.status}. ${run.message}`);
    before.current = run.status;
  }, [run.status, run.message]);
  return (
    <p class="sr" role="status">
      {words}
    </p>
  );
}
