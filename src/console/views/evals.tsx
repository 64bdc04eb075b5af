import { useState } from 'preact/hooks';
import { formatPercent, formatScore } from '../../report/format.ts';
import type { EvalEntry } from '../api/types.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { useTitle } from '../data/use-title.ts';
import { StatusBadge } from '../parts/badge.tsx';
import { Heading } from '../parts/heading.tsx';
import { ProjectTabs } from '../parts/project-tabs.tsx';
import { Sparkline } from '../parts/spark.tsx';
import { StartRun } from '../parts/start-run.tsx';
import { Empty, Show } from '../parts/states.tsx';
import { Words } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { commitWords, isOpen } from '../parts/words.ts';
import { formatRoute, runRoute } from '../routing/route.ts';

const SPARK_RUNS = 12;
/** A list that one sees whole needs no search. */
const SEARCH_FROM = 8;

/** The evals of a project, each with its last verdict and how its score went. */
export function EvalsView({ project }: { readonly project: string }) {
  const { client } = useConsole();
  const [search, setSearch] = useState('');
  const evals = useLoaded(
    `evals ${project}`,
    (signal) => client.evals(project, SPARK_RUNS, signal),
    (items) => items.some(({ runs }) => runs?.some(({ status }) => isOpen(status))),
  );
  useTitle(project);
  return (
    <>
      <Heading kind="Project" title={project} />
      <ProjectTabs project={project} current="evals" />
      <Show loaded={evals} what="evals">
        {(items) => {
          if (items.length === 0) return <NoEvals project={project} />;
          const shown = items.filter((entry) => matches(entry, search));
          return (
            <>
              {items.length >= SEARCH_FROM && (
                <div class="toolbar">
                  <input
                    type="search"
                    aria-label="Find evals by name, description or tag"
                    placeholder="Find evals"
                    value={search}
                    onInput={(event) => setSearch(event.currentTarget.value)}
                  />
                  <span class="quiet" role="status">
                    {shown.length} of {items.length}
                  </span>
                </div>
              )}
              {shown.length === 0 ? <Empty title="No eval fits the search" /> : <EvalTable items={shown} />}
            </>
          );
        }}
      </Show>
    </>
  );
}

function EvalTable({ items }: { readonly items: readonly EvalEntry[] }) {
  return (
    <div class="card flush">
      <table class="list evals">
        <thead>
          <tr>
            <th scope="col">Eval</th>
            <th scope="col">Last run</th>
            <th scope="col" class="num">
              Score
            </th>
            <th scope="col" class="num">
              Passed
            </th>
            <th scope="col">Last 12 runs</th>
            <th scope="col">
              <span class="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((entry) => (
            <EvalRow key={entry.id} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EvalRow({ entry }: { readonly entry: EvalEntry }) {
  const runs = entry.runs ?? [];
  const last = runs[0];
  // While a run is under way its score is not known: the one before it is what there is.
  const scored = runs.find(({ status }) => !isOpen(status));
  return (
    <tr class={entry.active ? '' : 'inactive'}>
      <th scope="row">
        <a class="strong" href={formatRoute({ view: 'eval', id: entry.id })}>
          <Words value={entry.name} />
        </a>{' '}
        <span class="chip">{entry.type}</span> {!entry.active && <span class="chip">inactive</span>}
        {entry.quarantined && <span class="chip warn">quarantined</span>}
        {entry.description !== '' && (
          <p class="quiet about">
            <Words value={entry.description} />
          </p>
        )}
      </th>
      <td class="last">
        {last === undefined ? (
          <span class="quiet">never ran</span>
        ) : (
          <>
            <a class="plain" href={formatRoute(runRoute(last.run_id))}>
              <StatusBadge status={last.status} />
            </a>
            <span class="quiet when">
              <Ago iso={last.started_at} />
              {commitWords(last) !== '' && (
                <>
                  {' · '}
                  <Words value={commitWords(last)} />
                </>
              )}
            </span>
          </>
        )}
      </td>
      <td class="num score" data-name="Score">
        {scored === undefined || scored.score === null ? <Unknown /> : formatScore(scored.score)}
      </td>
      <td class="num" data-name="Passed">
        {scored === undefined || scored.pass_rate === null ? <Unknown /> : formatPercent(scored.pass_rate)}
      </td>
      <td class="sparks">
        <Sparkline runs={runs} />
      </td>
      <td class="end">
        <StartRun id={entry.id} isSmall />
      </td>
    </tr>
  );
}

function Unknown() {
  return (
    <span class="quiet">
      <span aria-hidden="true">–</span>
      <span class="sr">not known</span>
    </span>
  );
}

function NoEvals({ project }: { readonly project: string }) {
  return (
    <Empty title="No evals yet">
      <p>
        Push one with its dataset: <code>assay push eval.yaml --project {project}</code>
      </p>
    </Empty>
  );
}

function matches(entry: EvalEntry, search: string): boolean {
  const text = [entry.name, entry.description, entry.type, ...entry.tags].join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
