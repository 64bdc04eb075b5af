import type { ComponentChildren } from 'preact';
import type { Caller } from './api/types.ts';
import { Words } from './parts/text.tsx';
import { formatRoute, type Route, splitId } from './routing/route.ts';

interface Crumb {
  readonly name: string;
  readonly href: string;
}

/** The bar above every view: where one is, and who. */
export function Shell({
  route,
  owner,
  caller,
  signOut,
  children,
}: {
  readonly route: Route;
  /** Eval that a run or a comparison is of; null: not known. */
  readonly owner: string | null;
  readonly caller: Caller;
  readonly signOut: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to content
      </button>
      <header class="bar-top">
        <a class="brand" href="#/">
          <Mark />
          Assay
        </a>
        <nav aria-label="Where you are">
          <ol class="crumbs">
            {crumbsOf(route, owner).map(({ name, href }) => (
              <li key={href}>
                <a href={href}>
                  <Words value={name} />
                </a>
              </li>
            ))}
          </ol>
        </nav>
        <p class="who">
          <Words value={caller.name} />
          {caller.access === 'read' && <span class="chip">may read only</span>}
          <button type="button" class="link" onClick={signOut}>
            Sign out
          </button>
        </p>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

export function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <rect width="32" height="32" rx="8" class="mark-back" />
      <path d="M8 22 16 8l8 14M11.4 17.4h9.2" class="mark-line" />
    </svg>
  );
}

/** A link to an element would change the address, which holds the place. */
function skip(): void {
  document.getElementById('main')?.focus();
}

/** The way down to the view. */
function crumbsOf(route: Route, owner: string | null): Crumb[] {
  const projects = { name: 'Projects', href: '#/' };
  const project = (id: string) => ({ name: id, href: formatRoute({ view: 'evals', project: id }) });
  switch (route.view) {
    case 'evals':
      return [projects, project(route.project)];
    case 'datasets':
      return [projects, project(route.project), { name: 'Datasets', href: formatRoute(route) }];
    case 'dataset': {
      const { project: owner, name } = splitId(route.id);
      const all = { name: 'Datasets', href: formatRoute({ view: 'datasets', project: owner }) };
      return [projects, project(owner), all, { name, href: formatRoute(route) }];
    }
    case 'eval': {
      const { project: owner, name } = splitId(route.id);
      return [projects, project(owner), { name, href: formatRoute(route) }];
    }
    case 'run':
    case 'compare': {
      const here = { name: route.view === 'run' ? 'Run' : 'Compare', href: formatRoute(route) };
      return owner === null ? [projects, here] : [...crumbsOf({ view: 'eval', id: owner }, null), here];
    }
    default:
      return [projects];
  }
}
