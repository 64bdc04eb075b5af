import { ConfigError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { nextRunAt } from '../../core/schedule/next-run.ts';
import { ProjectSchema } from '../../core/schemas/registry.ts';
import { countOf } from '../../report/format.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, clientOf, type DeployedClient } from '../deployed-client.ts';
import { EXIT_PASSED } from '../exit.ts';
import { parseOptions } from '../options.ts';
import { projectOf } from '../project-option.ts';
import { pushDataset } from '../push-dataset.ts';
import { type PushPlan, planPush, type RemoteProject } from '../push-plan.ts';
import { scheduleText } from '../schedule-text.ts';

const HELP = `assay push <folder | eval.yaml> --project <id>     put evals and their datasets into a deployed app

Reads and checks every file first, shows what would change, then sends only what did. A project that does not exist is
made, and its webhook secret printed this one time.

  --project <id>    the project (default ASSAY_PROJECT)
  --dry-run         show the plan, send nothing
  --json            the plan as JSON on standard output
${CONNECTION_HELP}
`;

export async function push(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    ...CONNECTION_OPTIONS,
    project: { type: 'string' },
    'dry-run': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const [path, ...others] = options.positionals;
  if (path === undefined || others.length > 0) {
    throw new ConfigError([
      { message: 'push takes one folder or eval file', fix: 'assay push <folder> --project <id>' },
    ]);
  }
  const project = projectOf(options);
  const client = clientOf(options);
  const remote = await readRemote(client, project);
  const plan = await planPush(path, remote);
  const isDry = options.flag('dry-run');
  const say = (text: string) => (options.flag('json') ? process.stderr : process.stdout).write(text);
  say(describePlan(project, remote, plan));
  const webhookSecret = isDry ? null : await apply(client, project, remote, plan, say);
  for (const name of isDry ? [] : await uncalibrated(client, project, plan)) {
    process.stderr.write(
      `warning: eval ${name} requires a calibrated judge, and its judge is not: assay calibrate <its file> --labels <dataset> --push --project ${project}\n`,
    );
  }
  if (options.flag('json'))
    process.stdout.write(`${JSON.stringify(toJson(project, plan, webhookSecret, isDry), null, 2)}\n`);
  return EXIT_PASSED;
}

async function readRemote(client: DeployedClient, project: string): Promise<RemoteProject> {
  const found = await client.find(`/api/projects/${project}`);
  const { isLocal } = client;
  if (found === null) {
    const nothing = { datasets: new Map(), evals: new Map() };
    return { exists: false, isLocal, defaultJudge: undefined, networks: {}, ...nothing };
  }
  const [datasets, evals] = await Promise.all([
    client.manage({ method: 'GET', path: `/api/datasets/project/${project}` }),
    client.manage({ method: 'GET', path: `/api/evals/project/${project}` }),
  ]);
  return {
    exists: true,
    isLocal,
    defaultJudge: found.default_judge,
    networks: ProjectSchema.pick({ allowed_hosts: true, allowed_cidrs: true }).safeParse(found).data ?? {},
    datasets: new Map(itemsOf(datasets).map((item) => [String(item.name), String(item.version)])),
    evals: new Map(itemsOf(evals).map((item) => [String(item.name), String(item.config_hash)])),
  };
}

function itemsOf(list: JsonObject): readonly JsonObject[] {
  return Array.isArray(list.items) ? list.items.filter(isJsonObject) : [];
}

const MARKS = { new: '+', changed: '~', same: '=' } as const;

function describePlan(project: string, remote: RemoteProject, { datasets, evals, skipped }: PushPlan): string {
  const lines = [
    `${remote.exists ? '=' : '+'} project  ${project}`,
    ...datasets.map(
      ({ change, name, rows, version, path }) =>
        `${MARKS[change]} dataset  ${name}  ${countOf(rows, 'row')}  ${version.slice(0, 12)}  ${path}`,
    ),
    ...evals.map(({ change, name, file, config }) =>
      [`${MARKS[change]} eval     ${name}  ${file}`, scheduleText(config, Date.now(), 1) ?? []].flat().join('  '),
    ),
    ...skipped.map((file) => `  skipped  ${file} (no eval: it names no dataset)`),
  ];
  return `${lines.join('\n')}\n`;
}

async function apply(
  client: DeployedClient,
  project: string,
  remote: RemoteProject,
  plan: PushPlan,
  say: (text: string) => void,
): Promise<string | null> {
  let webhookSecret: string | null = null;
  if (!remote.exists) {
    const created = await client.manage({ method: 'POST', path: '/api/projects', json: { id: project } });
    webhookSecret = String(created.webhook_secret);
    // At once: were a later step to fail, nobody would ever see it.
    say(`\nThe webhook secret of this project, shown this once:\n  export ASSAY_WEBHOOK_SECRET=${webhookSecret}\n\n`);
  }
  const datasets = plan.datasets.filter(({ change }) => change !== 'same');
  for (const dataset of datasets) await pushDataset(client, project, dataset);
  const evals = plan.evals.filter(({ change }) => change !== 'same');
  for (const { name, raw } of evals) {
    await client.manage({ method: 'PUT', path: `/api/evals/${project}.${name}`, json: raw });
  }
  say(`pushed ${datasets.length} of ${plan.datasets.length} datasets, ${evals.length} of ${plan.evals.length} evals\n`);
  return webhookSecret;
}

/** Evals that would be refused at their start. */
async function uncalibrated(client: DeployedClient, project: string, { evals }: PushPlan): Promise<readonly string[]> {
  const names = evals.flatMap(({ name, config }) => (config.require_calibration === undefined ? [] : [name]));
  if (names.length === 0) return [];
  const kept = itemsOf(await client.manage({ method: 'GET', path: `/api/projects/${project}/calibrations` }));
  const known = new Set(kept.flatMap(({ evals }) => (Array.isArray(evals) ? evals : [])));
  return names.filter((name) => !known.has(name));
}

function toJson(project: string, plan: PushPlan, webhookSecret: string | null, isDry: boolean) {
  return {
    project,
    dry_run: isDry,
    ...(webhookSecret === null ? {} : { webhook_secret: webhookSecret }),
    datasets: plan.datasets.map(({ name, version, rows, change }) => ({ name, version, rows, change })),
    evals: plan.evals.map(({ name, change, config }) => ({
      name,
      change,
      next_run_at: nextRunAt(config, Date.now()),
    })),
  };
}
