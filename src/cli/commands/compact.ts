import { ConfigError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { RUN_ID_PATTERN } from '../../core/schemas/run.ts';
import { countOf, formatBytes } from '../../report/format.ts';
import { ApiError, CONNECTION_HELP, CONNECTION_OPTIONS, clientOf, type DeployedClient } from '../deployed-client.ts';
import { EXIT_PASSED } from '../exit.ts';
import { parseOptions } from '../options.ts';
import { pollUntil } from '../poll-until.ts';

const HELP = `assay compact <run>     copy the results of a finished run to Parquet, for the table row_results_parquet

Runs of more than a million results are compacted by themselves when they end.

  --no-wait         return at once
  --json            the answer as JSON on standard output
${CONNECTION_HELP}
`;

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
const DEADLINE_MS = 60 * 60_000;

export async function compact(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    ...CONNECTION_OPTIONS,
    'no-wait': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const runId = options.only('run', 'assay compact r-…');
  if (!RUN_ID_PATTERN.test(runId)) {
    throw new ConfigError([{ message: `"${runId}" is no run id`, fix: 'assay status lists the runs of a gate' }]);
  }
  const client = clientOf(options);
  const before = compactionOf(await client.manage({ method: 'GET', path: `/api/runs/${runId}` }));
  const started = await client.manage({ method: 'POST', path: `/api/runs/${runId}/compact` });
  const done = options.flag('no-wait') ? null : await untilCompacted(client, runId, before?.finished_at);
  const text =
    done === null
      ? 'started'
      : `${countOf(Number(done.rows), 'line')} in ${countOf(Number(done.files), 'file')}, ${formatBytes(Number(done.bytes))}`;
  process.stdout.write(options.flag('json') ? `${JSON.stringify(done ?? started, null, 2)}\n` : `${runId}  ${text}\n`);
  return EXIT_PASSED;
}

function untilCompacted(client: DeployedClient, runId: string, formerEnd: unknown): Promise<JsonObject> {
  const ask = async () => {
    const found = compactionOf(await client.manage({ method: 'GET', path: `/api/runs/${runId}` }));
    return found?.finished_at === formerEnd ? null : found;
  };
  const late = () => new ApiError(`${runId} is not compacted after an hour: see the failures queue`, null);
  return pollUntil(ask, { firstWaitMs: FIRST_WAIT_MS, longestWaitMs: LONGEST_WAIT_MS, deadlineMs: DEADLINE_MS, late });
}

const compactionOf = ({ compaction }: JsonObject): JsonObject | null => (isJsonObject(compaction) ? compaction : null);
