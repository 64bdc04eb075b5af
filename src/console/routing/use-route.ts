import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatRoute, isSamePlace, parseRoute, type Route } from './route.ts';

/** Says that the address changed where no event of the browser does: `pushState` and `replaceState` are silent. */
const CHANGED = 'assay:address';
/** How far down each step of the history was left. */
const left = new Map<string, number>();

/** Goes to a place. `replace` leaves no step for the back button: for what changes with each key. */
export function goTo(route: Route, { replace = false } = {}): void {
  remember();
  const hash = formatRoute(route);
  if (replace) history.replaceState(history.state, '', hash);
  else history.pushState(newStep(), '', hash);
  dispatchEvent(new Event(CHANGED));
}

/** The place that the address names, kept up with links, `goTo`, and back and forward. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  const before = useRef(route);
  useEffect(() => {
    history.scrollRestoration = 'manual';
    const follow = () => {
      const next = parseRoute(location.hash);
      setRoute((shown) => (JSON.stringify(shown) === JSON.stringify(next) ? shown : next));
    };
    follow();
    addEventListener('popstate', follow);
    addEventListener('hashchange', follow);
    addEventListener(CHANGED, follow);
    addEventListener('scrollend', remember);
    // Who follows a link while the page still moves.
    addEventListener('click', remember, true);
    return () => {
      removeEventListener('popstate', follow);
      removeEventListener('hashchange', follow);
      removeEventListener(CHANGED, follow);
      removeEventListener('scrollend', remember);
      removeEventListener('click', remember, true);
    };
  }, []);
  useLayoutEffect(() => {
    const isElsewhere = before.current !== route && !isSamePlace(before.current, route);
    before.current = route;
    // A link, or an address that was typed: a step that nobody was at before.
    if (stepOf(history.state) === null) history.replaceState(newStep(), '');
    if (!isElsewhere) return;
    scrollTo(0, left.get(stepOf(history.state) ?? '') ?? 0);
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }, [route]);
  return route;
}

function remember(): void {
  const step = stepOf(history.state);
  if (step !== null) left.set(step, scrollY);
}

function newStep(): { readonly step: string } {
  return { step: crypto.randomUUID() };
}

function stepOf(state: unknown): string | null {
  return typeof state === 'object' && state !== null && 'step' in state ? String(state.step) : null;
}
