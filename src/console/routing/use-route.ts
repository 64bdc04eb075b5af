import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatRoute, isSamePlace, parseRoute, type Route } from './route.ts';

/** Says that the address changed where no event of the browser does: `replaceState` is silent. */
const CHANGED = 'assay:address';
const scrolled = new Map<string, number>();

/** Goes to a place. `replace` leaves no step for the back button: for what changes with each key. */
export function goTo(route: Route, { replace = false } = {}): void {
  scrolled.set(location.hash, scrollY);
  const hash = formatRoute(route);
  if (replace) history.replaceState(null, '', hash);
  else history.pushState(null, '', hash);
  dispatchEvent(new Event(CHANGED));
}

/** The place that the address names, kept up with links, `goTo`, and back and forward. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  const shown = useRef({ route, isBack: false });
  useEffect(() => {
    history.scrollRestoration = 'manual';
    const follow = (isBack: boolean) => () => {
      const next = parseRoute(location.hash);
      shown.current = { route: shown.current.route, isBack };
      setRoute((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    };
    const remember = () => scrolled.set(location.hash, scrollY);
    const onPop = follow(true);
    const onHash = follow(false);
    const onChange = follow(false);
    addEventListener('popstate', onPop);
    addEventListener('hashchange', onHash);
    addEventListener(CHANGED, onChange);
    addEventListener('scrollend', remember);
    return () => {
      removeEventListener('popstate', onPop);
      removeEventListener('hashchange', onHash);
      removeEventListener(CHANGED, onChange);
      removeEventListener('scrollend', remember);
    };
  }, []);
  useLayoutEffect(() => {
    const { route: before, isBack } = shown.current;
    shown.current = { route, isBack: false };
    if (before === route || isSamePlace(before, route)) return;
    // Following a link fires popstate too; only a place that was left before has a position.
    scrollTo(0, isBack ? (scrolled.get(location.hash) ?? 0) : 0);
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }, [route]);
  return route;
}
