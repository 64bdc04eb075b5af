import { ConfigError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { renderTextTable } from '../../report/text-table.ts';
import { visibleLine } from '../../report/visible-text.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, clientOf, type DeployedClient } from '../deployed-client.ts';
import { EXIT_PASSED } from '../exit.ts';
import { type ParsedOptions, parseOptions } from '../options.ts';

const HELP = `assay token create --name <who> [--project <id> …] [--read-only] [--expires <days>]
assay token list
assay token revoke <id>          tokens of the management API of a deployed app

The token that the deploy made (or assay dev printed) makes the others. A token is shown once and kept as a hash.

  --name <who>       who or what holds it
  --project <id>     a project it reaches; several times for several (default: all)
  --read-only        it may look and change nothing
  --expires <days>   1 to 366 (default 90)
  --json             as JSON on standard output
${CONNECTION_HELP}
`;

type Verb = (client: DeployedClient, options: ParsedOptions, rest: readonly string[]) => Promise<Told>;
const VERBS: ReadonlyMap<string, Verb> = new Map([
  ['create', create],
  ['list', list],
  ['revoke', revoke],
]);

export async function token(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    ...CONNECTION_OPTIONS,
    name: { type: 'string' },
    project: { type: 'string', multiple: true },
    'read-only': { type: 'boolean' },
    expires: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const [verb = '', ...rest] = options.positionals;
  const act = VERBS.get(verb);
  if (act === undefined) {
    const message = verb === '' ? 'token takes a verb' : `token knows no "${verb}"`;
    throw new ConfigError([{ message, fix: 'assay token create | list | revoke <id>' }]);
  }
  const told = await act(clientOf(options), options, rest);
  process.stdout.write(options.flag('json') ? `${JSON.stringify(told.json, null, 2)}\n` : told.text);
  return EXIT_PASSED;
}

interface Told {
  readonly json: JsonObject;
  readonly text: string;
}

async function create(client: DeployedClient, options: ParsedOptions, rest: readonly string[]): Promise<Told> {
  refuseMore(rest);
  const name = options.text('name') ?? '';
  if (name === '') {
    throw new ConfigError([{ message: 'the token has no name', fix: 'say who holds it: --name github-actions' }]);
  }
  const projects = options.list('project');
  const days = options.count('expires', 366);
  const json = await client.manage({
    method: 'POST',
    path: '/api/tokens',
    json: {
      name,
      ...(projects.length === 0 ? {} : { projects: [...projects] }),
      access: options.flag('read-only') ? 'read' : 'write',
      ...(days === undefined ? {} : { expires_in_days: days }),
    },
  });
  return { json, text: `${describe(json)}\nShown this once:\n  export ASSAY_TOKEN=${json.token}\n` };
}

async function list(client: DeployedClient, _options: ParsedOptions, rest: readonly string[]): Promise<Told> {
  refuseMore(rest);
  const json = await client.manage({ method: 'GET', path: '/api/tokens' });
  const tokens = Array.isArray(json.items) ? json.items.filter(isJsonObject) : [];
  if (tokens.length === 0) return { json, text: 'no tokens beside the first one\n' };
  const rows = tokens.map((item) => ({
    ...item,
    name: visibleLine(String(item.name)),
    projects: projectsOf(item),
    expires: String(item.expires_at).slice(0, 10),
  }));
  return { json, text: renderTextTable(['id', 'name', 'access', 'projects', 'status', 'expires'], rows) };
}

async function revoke(
  client: DeployedClient,
  _options: ParsedOptions,
  [id, ...more]: readonly string[],
): Promise<Told> {
  if (id === undefined) throw new ConfigError([{ message: 'no token is named', fix: 'assay token list shows ids' }]);
  refuseMore(more);
  const json = await client.manage({ method: 'DELETE', path: `/api/tokens/${encodeURIComponent(id)}` });
  return { json, text: `revoked: ${describe(json)}\n` };
}

function describe(item: JsonObject): string {
  const until = String(item.expires_at).slice(0, 10);
  return `${item.id}  ${visibleLine(String(item.name))}  ${item.access}  ${projectsOf(item)}  until ${until}`;
}

function projectsOf({ projects }: JsonObject): string {
  return Array.isArray(projects) ? projects.join(', ') : 'all projects';
}

function refuseMore([first]: readonly string[]): void {
  if (first !== undefined) throw new ConfigError([{ message: `"${first}" is one argument too many` }]);
}
