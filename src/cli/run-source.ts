import { ConfigError } from '../core/errors.ts';
import { RUN_ID_PATTERN } from '../core/schemas/run.ts';
import { readRunConfig } from '../runner/former-run.ts';
import { Workspace } from '../runner/workspace.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, clientOf, type DeployedClient } from './deployed-client.ts';
import type { ParsedOptions } from './options.ts';

export const RUN_SOURCE_OPTIONS = { ...CONNECTION_OPTIONS, dir: { type: 'string' } } as const;
export const RUN_SOURCE_HELP = `  --dir <folder>    of runs on this machine (default .assay)
${CONNECTION_HELP}

A run under --dir is read there; with --url, or when it is not there and ASSAY_URL is set, the deployed app has it.
`;

/** Where runs are: on this machine, or in a deployed app. */
export type RunSource =
  | { readonly kind: 'local'; readonly workspace: Workspace }
  | { readonly kind: 'deployed'; readonly client: DeployedClient };

/** Finds the runs, all in one place. Throws ConfigError that names the one that is nowhere. */
export async function findRuns(
  runIds: readonly string[],
  options: ParsedOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<RunSource> {
  for (const runId of runIds) {
    if (RUN_ID_PATTERN.test(runId)) continue;
    throw new ConfigError([{ message: `"${runId}" is no run id`, fix: 'such as r-01JD0000000000000000000001' }]);
  }
  if (options.text('url') !== undefined) return { kind: 'deployed', client: clientOf(options, env) };
  const workspace = new Workspace(options.text('dir') ?? '.assay');
  const missing = await firstMissing(runIds, workspace);
  if (missing === null) return { kind: 'local', workspace };
  if ((env.ASSAY_URL ?? '') !== '') return { kind: 'deployed', client: clientOf(options, env) };
  const fix = 'name a folder under .assay/runs, or set ASSAY_URL for a run of a deployed app';
  throw new ConfigError([{ message: `there is no run "${missing}"`, fix }]);
}

async function firstMissing(runIds: readonly string[], { runs }: Workspace): Promise<string | null> {
  for (const runId of runIds) if ((await readRunConfig(runId, runs)) === null) return runId;
  return null;
}
