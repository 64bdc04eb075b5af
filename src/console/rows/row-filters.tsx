import { useEffect, useRef, useState } from 'preact/hooks';
import type { RowsView } from '../routing/route.ts';
import { RESULT_STATUSES, statusWords } from './result-words.ts';

const TYPING_MS = 200;

/** Which rows to show. */
export function RowFilters({
  view,
  show,
}: {
  readonly view: RowsView;
  readonly show: (change: Partial<RowsView>) => void;
}) {
  const [search, setSearch] = useState(view.search);
  const latest = useRef({ view, show });
  latest.current = { view, show };
  // Back and forward change the address under the field.
  useEffect(() => setSearch(view.search), [view.search]);
  useEffect(() => {
    if (search === latest.current.view.search) return;
    const timer = setTimeout(() => latest.current.show({ search }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [search]);
  return (
    <search class="toolbar">
      <fieldset class="segments">
        <legend class="sr">Which rows</legend>
        {[false, true].map((failedOnly) => (
          <label key={String(failedOnly)} class={view.failedOnly === failedOnly ? 'on' : ''}>
            <input
              type="radio"
              name="failed"
              checked={view.failedOnly === failedOnly}
              onChange={() => show({ failedOnly })}
            />
            {failedOnly ? 'Failed' : 'All'}
          </label>
        ))}
      </fieldset>
      <select aria-label="Status" value={view.status} onChange={(event) => show({ status: event.currentTarget.value })}>
        <option value="">Any status</option>
        {RESULT_STATUSES.map((status) => (
          <option key={status} value={status}>
            {statusWords(status)}
          </option>
        ))}
      </select>
      <input
        type="search"
        aria-label="Search in rows"
        placeholder="Search in rows"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
    </search>
  );
}
