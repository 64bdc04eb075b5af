import { formatRoute } from '../routing/route.ts';

/** What a project holds. */
export function ProjectTabs({
  project,
  current,
}: {
  readonly project: string;
  readonly current: 'evals' | 'datasets';
}) {
  const tab = (view: 'evals' | 'datasets', name: string) => (
    <a href={formatRoute({ view, project })} aria-current={view === current ? 'page' : undefined}>
      {name}
    </a>
  );
  return (
    <nav class="tabs" aria-label="In this project">
      {tab('evals', 'Evals')}
      {tab('datasets', 'Datasets')}
    </nav>
  );
}
