import { formatPercent } from '../../report/format.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { useTitle } from '../data/use-title.ts';
import { Heading } from '../parts/heading.tsx';
import { Empty, Show } from '../parts/states.tsx';
import { Words } from '../parts/text.tsx';
import { formatRoute } from '../routing/route.ts';

/** Every project that the token sees. */
export function ProjectsView() {
  const { client } = useConsole();
  const projects = useLoaded('projects', (signal) => client.projects(signal));
  useTitle('Projects');
  return (
    <>
      <Heading title="Projects" />
      <Show loaded={projects} what="projects">
        {(items) =>
          items.length === 0 ? (
            <Empty title="No projects yet">
              <p>
                Push an eval and its dataset: <code>assay push eval.yaml --project shop</code>
              </p>
            </Empty>
          ) : (
            <ul class="cards">
              {items.map((project) => (
                <li key={project.id} class="card project">
                  <h2>
                    <a class="cover" href={formatRoute({ view: 'evals', project: project.id })}>
                      <Words value={project.name} />
                    </a>
                  </h2>
                  <p class="quiet">
                    {project.name !== project.id && <code>{project.id}</code>} passes at{' '}
                    {formatPercent(project.default_pass_mark)} · compares with <Words value={project.baseline_ref} />
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </>
  );
}
