import { ConfigError } from '../../core/errors.ts';
import { RUN_ID_PATTERN } from '../../core/schemas/run.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, clientOf } from '../deployed-client.ts';
import { EXIT_PASSED } from '../exit.ts';
import { parseOptions } from '../options.ts';

const HELP = `assay cancel <run>     stop a run of a deployed app; within 5 s no further row starts, rows in flight are skipped

  --json            the answer as JSON on standard output
${CONNECTION_HELP}

A run on this machine is cancelled with Ctrl-C.
`;

export async function cancel(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, { ...CONNECTION_OPTIONS, json: { type: 'boolean' } });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const runId = options.only('run', 'assay cancel r-…');
  if (!RUN_ID_PATTERN.test(runId)) {
    throw new ConfigError([{ message: `"${runId}" is no run id`, fix: 'assay status lists the runs of a gate' }]);
  }
  const run = await clientOf(options).manage({ method: 'DELETE', path: `/api/runs/${runId}` });
  const text = run.status === 'cancelled' ? 'cancelled' : 'stopping: no further row starts, rows in flight are skipped';
  process.stdout.write(options.flag('json') ? `${JSON.stringify(run, null, 2)}\n` : `${runId}  ${text}\n`);
  return EXIT_PASSED;
}
