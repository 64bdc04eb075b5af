import type { JsonValue } from '../../core/json.ts';
import { countOf } from '../../report/format.ts';
import type { DatasetDetail } from '../api/types.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { useTitle } from '../data/use-title.ts';
import { Fact, Facts } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Empty, Show } from '../parts/states.tsx';
import { Snippet, Value, Words } from '../parts/text.tsx';
import { Ago } from '../parts/time.tsx';
import { splitId } from '../routing/route.ts';
import { valueText } from '../rows/filter-rows.ts';
import { DatasetState } from './datasets.tsx';

/** Fields that a preview shows first, in this order; what a row leaves out is left out. */
const FIRST = [
  'input',
  'expected',
  'rubric',
  'contexts',
  'output',
  'tags',
  'difficulty',
  'cluster',
  'checks',
  'metadata',
];
const HIDDEN = ['id', 'index', 'offset'];

/** A dataset: its state, its versions and its first rows. */
export function DatasetView({ id }: { readonly id: string }) {
  const { client } = useConsole();
  const { name, project } = splitId(id);
  const dataset = useLoaded(
    `dataset ${id}`,
    (signal) => client.dataset(id, signal),
    ({ versions }) => versions.some(({ status }) => status === 'processing'),
  );
  useTitle(name, project);
  return (
    <>
      <Heading
        kind="Dataset"
        title={name}
        beside={dataset.value !== null && <DatasetState status={dataset.value.status} />}
      />
      <Show loaded={dataset} what="the dataset">
        {(value) => (
          <>
            <div class="card">
              <Facts>
                <Fact name="Rows">{countOf(value.rows, 'row')}</Fact>
                {value.without_input > 0 && (
                  <Fact name="Left out">{countOf(value.without_input, 'row')} without an input</Fact>
                )}
                <Fact name="Version">
                  {value.version === '' ? 'none yet' : <code>{value.version.slice(0, 12)}</code>}
                </Fact>
                <Fact name="Uploaded">
                  <Ago iso={value.created_at} />
                </Fact>
              </Facts>
            </div>
            <Faults faults={value.faults} />
            <FirstRows dataset={value} />
            <Versions versions={value.versions} />
          </>
        )}
      </Show>
    </>
  );
}

function Faults({ faults }: { readonly faults: readonly string[] }) {
  if (faults.length === 0) return null;
  return (
    <section class="card" aria-label="Faults">
      <h2>What is wrong with it</h2>
      <ul class="faults">
        {faults.map((fault) => (
          <li key={fault}>
            <Words value={fault} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function FirstRows({ dataset }: { readonly dataset: DatasetDetail }) {
  const rows = dataset.first_rows.filter(isRow);
  if (rows.length === 0) return <Empty title="No rows to show" />;
  return (
    <section class="card flush" aria-label="First rows">
      <div class="section-head">
        <h2>First rows</h2>
        <span class="quiet">
          {rows.length} of {countOf(dataset.rows, 'row')}
        </span>
      </div>
      <ol class="rows">
        {rows.map((row, at) => (
          <li key={String(row.id)}>
            <details open={at === 0}>
              <summary>
                <span class="row-id">
                  <Words value={valueText(row.id)} />
                </span>
                <Snippet value={valueText(row.input)} />
              </summary>
              <dl class="row-fields">
                {fieldsOf(row).map(([name, value]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>
                      <Value value={value} label={name} />
                    </dd>
                  </div>
                ))}
              </dl>
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Versions({ versions }: Pick<DatasetDetail, 'versions'>) {
  if (versions.length < 2) return null;
  return (
    <section class="card flush" aria-label="Versions">
      <div class="section-head">
        <h2>Versions</h2>
      </div>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">State</th>
            <th scope="col" class="num">
              Rows
            </th>
            <th scope="col">Uploaded</th>
          </tr>
        </thead>
        <tbody>
          {versions.map((version) => (
            <tr key={`${version.version} ${version.upload_id} ${version.created_at}`}>
              <th scope="row">
                <code>{version.version === '' ? 'upload' : version.version.slice(0, 12)}</code>
              </th>
              <td>
                <DatasetState status={version.status} />
              </td>
              <td class="num">{version.rows}</td>
              <td class="quiet">
                <Ago iso={version.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type Fields = Readonly<Record<string, JsonValue>>;

function isRow(value: JsonValue): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the row says; empty lists and absent fields say nothing. */
function fieldsOf(row: Fields): [string, JsonValue][] {
  const isSaid = (value: JsonValue) =>
    value !== null && value !== '' && !(typeof value === 'object' && Object.keys(value).length === 0);
  const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return Object.entries(row)
    .filter(([name, value]) => !HIDDEN.includes(name) && isSaid(value))
    .sort(([a], [b]) => rank(a) - rank(b));
}
