import { createEnvironment } from '../adapters/build-environment.ts';
import { writtenFaults } from '../adapters/http/written-faults.ts';
import { PRICES } from '../core/cost/price-table.ts';
import { ConfigError, type Fault } from '../core/errors.ts';
import type { EvalConfig } from '../core/schemas/eval.ts';
import { resolvePolicy } from '../core/scoring/policy.ts';
import { scoringFor } from '../core/scoring/scoring-for.ts';
import type { Secrets } from '../ports/secrets.ts';
import { checkConfig } from '../use-cases/prepare/prepare-run.ts';

/** What an app reads from its own secrets; here only the places are looked at where they stand. */
const PLACEHOLDERS: Secrets = { read: async (names) => new Map(names.map((name) => [name, 'https://secret.example'])) };

/**
 * All that `assay validate` finds wrong with a configuration, as far as it is the same where it is pushed to: secrets and
 * names are looked up there. `loopback`: it is pushed to an app on this machine.
 */
export async function pushFaults(
  config: EvalConfig,
  { loopback }: { readonly loopback: boolean },
): Promise<readonly Fault[]> {
  const faults = [...writtenFaults(config, { loopback })];
  const collect = async (check: () => Promise<void> | void): Promise<void> => {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const isNew = (fault: Fault) => !faults.some((known) => known.message === fault.message);
      faults.push(...error.faults.filter(isNew));
    }
  };
  await collect(() => void resolvePolicy(config));
  await collect(async () => {
    const environment = await createEnvironment(config, {
      secrets: PLACEHOLDERS,
      prices: PRICES,
      loopback,
      env: { AWS_REGION: 'us-east-1' },
    });
    try {
      checkConfig(config, { ...environment, prices: PRICES, scoring: scoringFor(config.type) });
    } finally {
      await environment.close();
    }
  });
  return faults;
}
