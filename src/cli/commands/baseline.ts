import { userInfo } from 'node:os';
import { systemClock } from '../../adapters/system-clock.ts';
import { ConfigError } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json.ts';
import { type BaselinePin, BaselinePinSchema } from '../../core/schemas/baseline-pin.ts';
import { ID_PATTERN } from '../../core/schemas/target-config.ts';
import { formatScore } from '../../report/format.ts';
import { visibleLine } from '../../report/visible-text.ts';
import { promoteLocalBaseline } from '../../runner/promote-local-baseline.ts';
import { Workspace } from '../../runner/workspace.ts';
import { ApiError, clientOf, type DeployedClient } from '../deployed-client.ts';
import { EXIT_PASSED } from '../exit.ts';
import { type ParsedOptions, parseOptions } from '../options.ts';
import { findRuns, RUN_SOURCE_HELP, RUN_SOURCE_OPTIONS } from '../run-source.ts';

const HELP = `assay baseline promote <run> [--note <why>] [--force]     make a run what baseline: pinned compares with
assay baseline show <eval>                                 what holds now, and the record of promotions

Only a run that passed and is not quarantined is promoted, unless forced. A deployed eval is named <project>.<eval>.

  --note <why>      kept with the record
  --force           any run that has results
  --json            as JSON on standard output
${RUN_SOURCE_HELP}`;

const ON_THIS_MACHINE = ' on this machine (a deployed eval is named <project>.<eval>)';

export async function baseline(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    ...RUN_SOURCE_OPTIONS,
    note: { type: 'string' },
    force: { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const [verb, subject, ...others] = options.positionals;
  if ((verb !== 'promote' && verb !== 'show') || subject === undefined || others.length > 0) {
    throw new ConfigError([
      { message: 'baseline takes a verb and one thing', fix: 'assay baseline promote <run> | show <eval>' },
    ]);
  }
  const pins = verb === 'promote' ? [await promote(subject, options)] : await history(subject, options);
  const text =
    pins.length === 0
      ? `no run of ${subject} was promoted${subject.includes('.') ? '' : ON_THIS_MACHINE}\n`
      : pins.map((pin) => `${describe(pin)}\n`).join('');
  process.stdout.write(
    options.flag('json') ? `${JSON.stringify(verb === 'promote' ? pins[0] : pins, null, 2)}\n` : text,
  );
  return EXIT_PASSED;
}

async function promote(runId: string, options: ParsedOptions): Promise<BaselinePin> {
  const source = await findRuns([runId], options);
  const [force, note] = [options.flag('force'), options.text('note') ?? null];
  if (source.kind === 'local') {
    const promotedAt = new Date(systemClock.now()).toISOString();
    return promoteLocalBaseline({ runId, force, note, promotedBy: userName(), promotedAt }, source.workspace);
  }
  const run = await source.client.manage({ method: 'GET', path: `/api/runs/${runId}` });
  const path = `/api/evals/${String(run.project)}.${String(run.eval)}/baseline`;
  return BaselinePinSchema.parse(
    await source.client.manage({ method: 'PUT', path, json: { run_id: runId, force, note } }),
  );
}

/** A dot tells a deployed eval: no name on this machine holds one. */
async function history(name: string, options: ParsedOptions): Promise<readonly BaselinePin[]> {
  if (name.includes('.')) return deployedHistory(name, clientOf(options));
  if (!ID_PATTERN.test(name)) throw new ConfigError([{ message: `"${name}" is no name of an eval` }]);
  return new Workspace(options.text('dir') ?? '.assay').index.promotions(name);
}

async function deployedHistory(id: string, client: DeployedClient): Promise<readonly BaselinePin[]> {
  const found = await client.find(`/api/evals/${encodeURIComponent(id)}/baseline?last=100`);
  if (found === null) throw new ApiError(`there is no eval "${id}"`, 404);
  const items = Array.isArray(found.items) ? found.items.filter(isJsonObject) : [];
  return items.map((item) => BaselinePinSchema.parse(item));
}

function describe(pin: BaselinePin): string {
  const score = pin.score === null ? '' : `  score ${formatScore(pin.score)}`;
  const forced = pin.forced ? `  forced, it was ${pin.status}` : '';
  const note = pin.note === null ? '' : `  ${visibleLine(pin.note)}`;
  return `${pin.promoted_at.slice(0, 16).replace('T', ' ')}  ${pin.run_id}${score}  by ${visibleLine(pin.promoted_by)}${forced}${note}`;
}

/** Containers run under ids that no user has. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
