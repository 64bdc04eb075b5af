import { useState } from 'preact/hooks';
import { countOf, formatCount } from '../../report/format.ts';
import type { Run } from '../api/types.ts';
import { useConsole } from '../context.ts';
import { usePages } from '../data/use-pages.ts';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { isOpen } from '../parts/words.ts';
import { type RowsView, runRoute } from '../routing/route.ts';
import { goTo } from '../routing/use-route.ts';
import { filterRows, groupRows } from './filter-rows.ts';
import { RowFilters } from './row-filters.tsx';
import { RowItem } from './row-item.tsx';

const PAGE = 100;

/** The rows of a run, page by page, with filters that the address keeps. */
export function Rows({ run, view }: { readonly run: Run; readonly view: RowsView }) {
  const { client } = useConsole();
  // The rows of a run under way come in; a list that grows under the reader's eyes is worse than one that is asked for.
  const [seen, setSeen] = useState(run.progress.done);
  const isLive = isOpen(run.status);
  const age = isLive ? `${seen} done` : `${run.status} ${run.attempt}`;
  const pages = usePages(`rows ${run.run_id} ${view.failedOnly} ${age}`, (cursor, signal) =>
    client.results(
      run.run_id,
      { failedOnly: view.failedOnly, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
      signal,
    ),
  );
  const show = (change: Partial<RowsView>, replace = true) =>
    goTo(runRoute(run.run_id, { ...view, ...change }), { replace });
  const groups = groupRows(pages.items);
  const shown = filterRows(groups, view);
  const fresh = run.progress.done - seen;
  const isFiltered = view.status !== '' || view.search !== '';
  return (
    <section class="card flush" aria-label="Rows" id="rows">
      <div class="section-head">
        <h2>Rows</h2>
        <span class="quiet" role="status">
          {countWords(shown.length, groups.length, run, view.failedOnly, pages.hasMore)}
        </span>
        {isLive && fresh > 0 && (
          <button type="button" class="small" onClick={() => setSeen(run.progress.done)}>
            {formatCount(fresh)} more done: show
          </button>
        )}
      </div>
      <RowFilters view={view} show={show} />
      {shown.length > 0 && (
        <ol class="rows">
          {shown.map((group) => (
            <RowItem
              key={`${group.index} ${group.rowId}`}
              run={run}
              group={group}
              isOpen={view.row === group.rowId}
              toggle={() => show({ row: view.row === group.rowId ? null : group.rowId }, false)}
            />
          ))}
        </ol>
      )}
      <OpenElsewhere
        run={run}
        view={view}
        shown={shown.map(({ rowId }) => rowId)}
        show={show}
        isReady={!pages.isLoading}
      />
      {pages.failure !== null && <Failure failure={pages.failure} retry={pages.more} />}
      {pages.isLoading && groups.length === 0 && <Loading what="rows" />}
      {!pages.isLoading && pages.failure === null && shown.length === 0 && (
        <NoRows
          isFiltered={isFiltered}
          failedOnly={view.failedOnly}
          isLive={isLive}
          hasMore={pages.hasMore}
          clear={() => show({ status: '', search: '', failedOnly: false })}
        />
      )}
      {pages.hasMore && (
        <p class="more">
          <button type="button" disabled={pages.isLoading} onClick={pages.more}>
            {pages.isLoading ? 'One moment…' : 'More rows'}
          </button>
          {isFiltered && <span class="quiet">Search and status look at the rows that are loaded.</span>}
        </p>
      )}
    </section>
  );
}

function countWords(shown: number, loaded: number, run: Run, failedOnly: boolean, hasMore: boolean): string {
  const of = !failedOnly && run.counts !== undefined ? run.counts.rows : null;
  const all = hasMore
    ? `${countOf(loaded, 'row')} loaded${of === null ? '' : ` of ${formatCount(of)}`}`
    : countOf(loaded, failedOnly ? 'row with a failure' : 'row', failedOnly ? 'rows with a failure' : 'rows');
  return shown === loaded ? all : `${formatCount(shown)} of ${all}`;
}

/** The address may name a row that no loaded page holds, or that a filter hides: it is shown all the same, above. */
function OpenElsewhere({
  run,
  view,
  shown,
  show,
  isReady,
}: {
  readonly run: Run;
  readonly view: RowsView;
  readonly shown: readonly string[];
  readonly show: (change: Partial<RowsView>) => void;
  readonly isReady: boolean;
}) {
  const { row } = view;
  if (row === null || !isReady || shown.includes(row)) return null;
  return (
    <ol class="rows elsewhere">
      <RowItem run={run} group={{ rowId: row, index: -1, results: [] }} isOpen toggle={() => show({ row: null })} />
    </ol>
  );
}

function NoRows({
  isFiltered,
  failedOnly,
  isLive,
  hasMore,
  clear,
}: {
  readonly isFiltered: boolean;
  readonly failedOnly: boolean;
  readonly isLive: boolean;
  readonly hasMore: boolean;
  readonly clear: () => void;
}) {
  if (isFiltered) {
    return (
      <Empty title={hasMore ? 'No loaded row fits' : 'No row fits'}>
        <p class="actions">
          <button type="button" onClick={clear}>
            Clear the filters
          </button>
        </p>
      </Empty>
    );
  }
  if (failedOnly && !isLive) return <Empty title="Nothing failed" />;
  return <Empty title={isLive ? 'No rows done yet' : 'This run has no rows'} />;
}
