import { countOf } from '../../report/format.ts';
import type { Dataset } from '../api/types.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { useTitle } from '../data/use-title.ts';
import { Badge } from '../parts/badge.tsx';
import { Heading } from '../parts/heading.tsx';
import { ProjectTabs } from '../parts/project-tabs.tsx';
import { Empty, Show } from '../parts/states.tsx';
import { Words } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { formatRoute } from '../routing/route.ts';

/** The datasets of a project. */
export function DatasetsView({ project }: { readonly project: string }) {
  const { client } = useConsole();
  const datasets = useLoaded(
    `datasets ${project}`,
    (signal) => client.datasets(project, signal),
    (items) => items.some(({ status }) => status === 'processing'),
  );
  useTitle('Datasets', project);
  return (
    <>
      <Heading kind="Project" title={project} />
      <ProjectTabs project={project} current="datasets" />
      <Show loaded={datasets} what="datasets">
        {(items) =>
          items.length === 0 ? (
            <Empty title="No datasets yet">
              <p>
                <code>assay push</code> sends the dataset of an eval along.
              </p>
            </Empty>
          ) : (
            <div class="card flush">
              <table class="list datasets">
                <thead>
                  <tr>
                    <th scope="col">Dataset</th>
                    <th scope="col">State</th>
                    <th scope="col" class="num">
                      Rows
                    </th>
                    <th scope="col">Version</th>
                    <th scope="col">Uploaded</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((dataset) => (
                    <tr key={dataset.id}>
                      <th scope="row">
                        <a class="strong" href={formatRoute({ view: 'dataset', id: dataset.id })}>
                          <Words value={dataset.name} />
                        </a>
                      </th>
                      <td>
                        <DatasetState status={dataset.status} />
                      </td>
                      <td class="num" data-name="Rows">
                        {countOf(dataset.rows, 'row')}
                      </td>
                      <td>{dataset.version !== '' && <code>{dataset.version.slice(0, 12)}</code>}</td>
                      <td class="quiet">
                        <Ago iso={dataset.created_at} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Show>
    </>
  );
}

export function DatasetState({ status }: Pick<Dataset, 'status'>) {
  const tone = { ready: 'good', processing: 'live', invalid: 'bad' } as const;
  return <Badge tone={tone[status]}>{status}</Badge>;
}
