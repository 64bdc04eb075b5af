import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiFailure, isPassing, toFailure } from '../api/failure.ts';
import { pollDelayMs } from './backoff.ts';
import { RecentMap } from './recent-map.ts';

/** What is known of something that is asked for. A value stays while it is asked for again, or when that fails. */
export interface Loaded<T> {
  readonly value: T | null;
  readonly failure: ApiFailure | null;
  readonly isLoading: boolean;
  reload(): void;
}

/** What was loaded before, so that going back shows it at once; asked for again all the same. */
const cache = new RecentMap<unknown>(150);

export function forgetLoaded(): void {
  cache.clear();
}

/**
 * Loads what `key` names, and again while `isLive` says that it may change: with back-off, never while the page is
 * hidden, and at once when it is shown again.
 */
export function useLoaded<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  isLive: (value: T) => boolean = () => false,
): Loaded<T> {
  const [, redraw] = useState(0);
  const state = useRef<{ key: string; failure: ApiFailure | null; isLoading: boolean }>({
    key,
    failure: null,
    isLoading: true,
  });
  const latest = useRef({ load, isLive });
  latest.current = { load, isLive };
  const [turn, setTurn] = useState(0);
  if (state.current.key !== key) state.current = { key, failure: null, isLoading: true };

  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let quiet = 0;
    const show = (change: Partial<typeof state.current>) => {
      if (abort.signal.aborted) return;
      state.current = { ...state.current, ...change };
      redraw((count) => count + 1);
    };
    const again = () => {
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(ask, pollDelayMs(quiet));
    };
    const ask = async () => {
      show({ isLoading: true });
      try {
        const value = await latest.current.load(abort.signal);
        if (abort.signal.aborted) return;
        quiet = JSON.stringify(cache.get(key)) === JSON.stringify(value) ? quiet + 1 : 0;
        cache.set(key, value);
        show({ failure: null, isLoading: false });
        if (latest.current.isLive(value)) again();
      } catch (error) {
        if (abort.signal.aborted) return;
        const failure = toFailure(error);
        show({ failure, isLoading: false });
        quiet += 1;
        if (isPassing(failure) && cache.has(key)) again();
      }
    };
    const onVisible = () => {
      const value = cache.get(key) as T | undefined;
      clearTimeout(timer);
      if (document.hidden || value === undefined || !latest.current.isLive(value)) return;
      quiet = 0;
      void ask();
    };
    void ask();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      abort.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [key, turn]);

  const reload = useCallback(() => setTurn((count) => count + 1), []);
  const { failure, isLoading } = state.current;
  return { value: (cache.get(key) as T | undefined) ?? null, failure, isLoading, reload };
}
