import { loadConfigFile } from '../adapters/local/eval-file.ts';
import { ConfigError } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import { type RedecidedRun, RedecidedRunSchema } from '../core/schemas/redecided-run.ts';
import { inFile } from '../runner/source-file.ts';
import { ApiError, type DeployedClient } from './deployed-client.ts';

/** A run as its app decides it again, and what of it was too long to be answered. */
export interface DecidedByApp {
  readonly decided: RedecidedRun;
  readonly cut: readonly string[];
}

/** `policyFile` is YAML or JSON; absent: the policy the run had. Throws ConfigError with its file and lines, ApiError. */
export async function decideDeployed(
  runId: string,
  policyFile: string | undefined,
  client: DeployedClient,
): Promise<DecidedByApp> {
  const file = policyFile === undefined ? null : { path: policyFile, ...(await loadConfigFile(policyFile)) };
  if (file !== null) inFile(file.path, file.lineOf, () => refuseWhatIsNoJson(file.value));
  const json: JsonValue = file === null ? {} : { policy: (file.value ?? {}) as JsonValue };
  try {
    const answer = await client.manage({ method: 'POST', path: `/api/runs/${runId}/decide`, json });
    const cut = Array.isArray(answer.cut) ? answer.cut.map(String) : [];
    return { decided: RedecidedRunSchema.parse(answer), cut };
  } catch (error) {
    if (!(error instanceof ApiError) || file === null || error.faults.length === 0) throw error;
    const { faults } = error;
    return inFile(file.path, file.lineOf, () => {
      throw new ConfigError(faults);
    });
  }
}

/** YAML knows numbers that JSON sends as null, which switches a threshold off. */
function refuseWhatIsNoJson(value: unknown, path: readonly string[] = []): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new ConfigError([{ field: path.join('.'), message: `${value} is no number to compare with` }]);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) refuseWhatIsNoJson(member, [...path, key]);
}
