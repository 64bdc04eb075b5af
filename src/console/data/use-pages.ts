import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiFailure, toFailure } from '../api/failure.ts';
import { RecentMap } from './recent-map.ts';

interface Pages<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
}

export interface LoadedPages<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly failure: ApiFailure | null;
  more(): void;
}

/** Pages as far as they were loaded, so that going back finds them. Two lists are kept apart by their keys. */
const cache = new RecentMap<Pages<unknown>>(20);

export function forgetPages(): void {
  cache.clear();
}

/** A list that is loaded page by page. The first page comes unasked; another `key` is another list. */
export function usePages<T>(
  key: string,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Pages<T>>,
): LoadedPages<T> {
  const [, redraw] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const state = useRef({ key, isLoading: false, failure: null as ApiFailure | null, abort: new AbortController() });
  if (state.current.key !== key) {
    state.current.abort.abort();
    state.current = { key, isLoading: false, failure: null, abort: new AbortController() };
  }

  const more = useCallback(async () => {
    const mine = state.current;
    const before = cache.get(key) as Pages<T> | undefined;
    if (mine.isLoading || mine.key !== key || before?.cursor === null) return;
    mine.isLoading = true;
    mine.failure = null;
    redraw((count) => count + 1);
    try {
      const page = await latest.current(before?.cursor ?? undefined, mine.abort.signal);
      if (mine.abort.signal.aborted) return;
      cache.set(key, { items: [...(before?.items ?? []), ...page.items], cursor: page.cursor });
    } catch (error) {
      if (mine.abort.signal.aborted) return;
      mine.failure = toFailure(error);
    } finally {
      mine.isLoading = false;
      redraw((count) => count + 1);
    }
  }, [key]);

  useEffect(() => {
    if (!cache.has(key)) void more();
  }, [key, more]);
  useEffect(() => () => state.current.abort.abort(), []);

  const pages = cache.get(key) as Pages<T> | undefined;
  const { isLoading, failure } = state.current;
  return {
    items: pages?.items ?? [],
    hasMore: pages === undefined ? false : pages.cursor !== null,
    isLoading: isLoading || (pages === undefined && failure === null),
    failure,
    more: () => void more(),
  };
}
