/** How the rows of a run are looked at. */
export interface RowsView {
  readonly failedOnly: boolean;
  /** A result's status; empty: any. */
  readonly status: string;
  readonly search: string;
  /** Id of the open row; null: none. */
  readonly row: string | null;
}

/** A place in the console. All of it stands in the address, so that a reload and the back button keep it. */
export type Route =
  | { readonly view: 'projects' }
  | { readonly view: 'evals'; readonly project: string }
  | { readonly view: 'datasets'; readonly project: string }
  | { readonly view: 'dataset'; readonly id: string }
  | { readonly view: 'eval'; readonly id: string }
  | { readonly view: 'run'; readonly id: string; readonly rows: RowsView }
  | { readonly view: 'compare'; readonly first: string; readonly second: string; readonly row: string | null }
  | { readonly view: 'unknown' };

export const ALL_ROWS: RowsView = { failedOnly: false, status: '', search: '', row: null };

/** The place that the fragment of an address names. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = splitOnce(hash.replace(/^#/, ''), '?');
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
  const query = new URLSearchParams(search);
  const [kind, first, second, ...rest] = parts;
  if (kind === undefined) return { view: 'projects' };
  if (rest.length > 0 || first === undefined) return { view: 'unknown' };
  if (kind === 'projects' && second === undefined) return { view: 'evals', project: first };
  if (kind === 'projects' && second === 'datasets') return { view: 'datasets', project: first };
  if (kind === 'compare' && second !== undefined) return { view: 'compare', first, second, row: query.get('row') };
  if (second !== undefined) return { view: 'unknown' };
  if (kind === 'datasets') return { view: 'dataset', id: first };
  if (kind === 'evals') return { view: 'eval', id: first };
  if (kind === 'runs') return { view: 'run', id: first, rows: rowsOf(query) };
  return { view: 'unknown' };
}

/** The fragment that names the place: `#/runs/r-1?failed=1`. */
export function formatRoute(route: Route): string {
  switch (route.view) {
    case 'evals':
      return `#/projects/${encode(route.project)}`;
    case 'datasets':
      return `#/projects/${encode(route.project)}/datasets`;
    case 'dataset':
      return `#/datasets/${encode(route.id)}`;
    case 'eval':
      return `#/evals/${encode(route.id)}`;
    case 'run':
      return `#/runs/${encode(route.id)}${queryOf(route.rows)}`;
    case 'compare': {
      const row = route.row === null ? '' : `?${new URLSearchParams({ row: route.row })}`;
      return `#/compare/${encode(route.first)}/${encode(route.second)}${row}`;
    }
    default:
      return '#/';
  }
}

export function runRoute(id: string, rows: Partial<RowsView> = {}): Route {
  return { view: 'run', id, rows: { ...ALL_ROWS, ...rows } };
}

/** True when the two differ in how something is looked at, not in what. */
export function isSamePlace(a: Route, b: Route): boolean {
  const bare = (route: Route) =>
    formatRoute(route.view === 'run' ? runRoute(route.id) : route.view === 'compare' ? { ...route, row: null } : route);
  return a.view === b.view && bare(a) === bare(b);
}

/** Project and name of `<project>.<name>`. */
export function splitId(id: string): { readonly project: string; readonly name: string } {
  const [project, name] = splitOnce(id, '.');
  return { project, name };
}

function rowsOf(query: URLSearchParams): RowsView {
  return {
    failedOnly: query.get('failed') === '1',
    status: query.get('status') ?? '',
    search: query.get('q') ?? '',
    row: query.get('row'),
  };
}

function queryOf({ failedOnly, status, search, row }: RowsView): string {
  const query = new URLSearchParams({
    ...(failedOnly ? { failed: '1' } : {}),
    ...(status === '' ? {} : { status }),
    ...(search === '' ? {} : { q: search }),
    ...(row === null ? {} : { row }),
  });
  return query.size === 0 ? '' : `?${query}`;
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const encode = encodeURIComponent;
