import { openDatasetFile } from '../../adapters/local/dataset-file.ts';
import { surveyDataset } from '../../core/dataset/survey-dataset.ts';
import { ConfigError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, jsonToText } from '../../core/json.ts';
import { ID_PATTERN } from '../../core/schemas/target-config.ts';
import { countOf } from '../../report/format.ts';
import { renderTextTable } from '../../report/text-table.ts';
import { snippet, visibleLine } from '../../report/visible-text.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, clientOf, type DeployedClient } from '../deployed-client.ts';
import { EXIT_PASSED } from '../exit.ts';
import { type ParsedOptions, parseOptions } from '../options.ts';
import { projectOf } from '../project-option.ts';
import { pushDataset } from '../push-dataset.ts';
import { datasetName } from '../push-plan.ts';

const HELP = `assay datasets list --project <id>
assay datasets show <name> --project <id>         versions, and the first rows as they will be asked
assay datasets upload <file> --project <id>       CSV, JSONL or JSON, gzip too; the same rows are no new version
assay datasets delete <name> --yes --project <id> all versions; runs keep the rows they were made of

  --project <id>       the project (default ASSAY_PROJECT)
  --name <name>        of an uploaded dataset (default the file's)
  --column <a=b>       read field a from column b, as in --column expected=ground_truth; several times for several
  --rows <n>           first rows to show, at most 20 (default 3)
  --yes                delete without asking
  --json               as JSON on standard output
${CONNECTION_HELP}
`;

const SHOWN_ROWS = 3;
const MOST_ROWS = 20;
const ROW_CHARACTERS = 100;

interface Told {
  readonly json: JsonObject;
  readonly text: string;
}
interface Call {
  readonly client: DeployedClient;
  readonly project: string;
  readonly options: ParsedOptions;
}
const VERBS: ReadonlyMap<string, (call: Call, named: readonly string[]) => Promise<Told>> = new Map([
  ['list', list],
  ['show', show],
  ['upload', upload],
  ['delete', remove],
]);

export async function datasets(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    ...CONNECTION_OPTIONS,
    project: { type: 'string' },
    name: { type: 'string' },
    column: { type: 'string', multiple: true },
    rows: { type: 'string' },
    yes: { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const [verb = '', ...named] = options.positionals;
  const act = VERBS.get(verb);
  if (act === undefined) {
    const message = verb === '' ? 'datasets takes a verb' : `datasets knows no "${visibleLine(verb)}"`;
    throw new ConfigError([{ message, fix: 'assay datasets list | show | upload | delete' }]);
  }
  const told = await act({ client: clientOf(options), project: projectOf(options), options }, named);
  process.stdout.write(options.flag('json') ? `${JSON.stringify(told.json, null, 2)}\n` : told.text);
  return EXIT_PASSED;
}

async function list({ client, project }: Call, named: readonly string[]): Promise<Told> {
  if (named.length > 0) throw new ConfigError([{ message: `"${named[0]}" is one argument too many` }]);
  const json = await client.manage({ method: 'GET', path: `/api/datasets/project/${project}` });
  const items = Array.isArray(json.items) ? json.items.filter(isJsonObject) : [];
  if (items.length === 0) return { json, text: `no datasets in ${project}\n` };
  return {
    json,
    text: renderTextTable(['name', 'rows', 'status', 'version', 'created'], items.map(toTableRow)),
  };
}

async function show({ client, project, options }: Call, named: readonly string[]): Promise<Told> {
  const shown = options.count('rows', MOST_ROWS) ?? SHOWN_ROWS;
  const json = await client.manage({ method: 'GET', path: `/api/datasets/${project}.${nameIn(named)}` });
  const versions = Array.isArray(json.versions) ? json.versions.filter(isJsonObject) : [];
  const rows = Array.isArray(json.first_rows) ? json.first_rows.filter(isJsonObject).slice(0, shown) : [];
  const faults = Array.isArray(json.faults) ? json.faults.map(String) : [];
  const lines = [
    renderTextTable(['version', 'rows', 'status', 'created'], versions.map(toTableRow)).trimEnd(),
    ...faults.map((fault) => `  ${visibleLine(fault)}`),
    '',
    ...rows.flatMap(describeRow),
  ];
  return { json, text: `${lines.join('\n').trimEnd()}\n` };
}

async function upload({ client, project, options }: Call, named: readonly string[]): Promise<Told> {
  const [path, ...others] = named;
  if (path === undefined || others.length > 0) {
    throw new ConfigError([{ message: 'upload takes one file', fix: 'assay datasets upload <file> --project <id>' }]);
  }
  const columns = columnsOf(options.list('column'));
  const name = options.text('name') ?? datasetName(path);
  if (!ID_PATTERN.test(name)) throw new ConfigError([notAName(name)]);
  // Every fault is told here, before a byte is sent.
  const { version, rows } = await surveyDataset(await openDatasetFile(path), { columns });
  const known = await client.find(`/api/datasets/${project}.${name}`);
  const change = known === null ? 'new' : known.version === version ? 'same' : 'changed';
  if (change !== 'same') await pushDataset(client, project, { name, path, version, rows, columns, change });
  const said = { new: 'uploaded', changed: 'uploaded as a new version', same: 'is there already' }[change];
  return {
    json: { id: `${project}.${name}`, name, version, rows, change },
    text: `${name}  ${countOf(rows, 'row')}  ${version.slice(0, 12)}  ${said}\n`,
  };
}

async function remove({ client, project, options }: Call, named: readonly string[]): Promise<Told> {
  const id = `${project}.${nameIn(named)}`;
  if (!options.flag('yes')) {
    throw new ConfigError([{ message: `${id} would be deleted with all its versions`, fix: 'say so with --yes' }]);
  }
  await client.manage({ method: 'DELETE', path: `/api/datasets/${id}` });
  return { json: { id, deleted: true }, text: `deleted ${id}\n` };
}

function toTableRow(item: JsonObject): Record<string, unknown> {
  return {
    ...item,
    version: String(item.version ?? '').slice(0, 12),
    created: String(item.created_at ?? '').slice(0, 16),
  };
}

function describeRow(row: JsonObject): string[] {
  const line = (label: string, value: JsonValue = null) =>
    value === null ? [] : [`    ${label.padEnd(9)} ${snippet(jsonToText(value), ROW_CHARACTERS)}`];
  return [
    `  ${snippet(String(row.id), ROW_CHARACTERS)}`,
    ...line('input', row.input),
    ...line('expected', row.expected),
  ];
}

function nameIn([name, ...others]: readonly string[]): string {
  if (name === undefined) throw new ConfigError([{ message: 'no dataset is named', fix: 'assay datasets list' }]);
  if (others.length > 0) throw new ConfigError([{ message: `"${others[0]}" is one argument too many` }]);
  if (!ID_PATTERN.test(name)) throw new ConfigError([notAName(name)]);
  return name;
}

const notAName = (name: string) => ({
  message: `"${visibleLine(name)}" is no name of a dataset`,
  fix: 'a to z, 0 to 9 and "-", at most 63 characters',
});

/** `expected=ground_truth` → {expected: 'ground_truth'}. Throws ConfigError. */
function columnsOf(given: readonly string[]): Record<string, string> {
  const pairs = given.map((text) => {
    const at = text.indexOf('=');
    if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)] as const;
    throw new ConfigError([
      { field: '--column', message: `"${visibleLine(text)}" is no pair`, fix: '--column expected=ground_truth' },
    ]);
  });
  return Object.fromEntries(pairs);
}
