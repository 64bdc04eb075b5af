import { createJudge } from '../adapters/build-judge.ts';
import { createTarget } from '../adapters/build-target.ts';
import { createOutboundDispatcher } from '../adapters/http/outbound-guard.ts';
import { LocalSecrets } from '../adapters/local/secrets.ts';
import type { FormerVerdicts } from '../adapters/recorded-judge.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { secretNamesOf } from '../core/config/secret-names.ts';
import { priceUsage } from '../core/cost/cost.ts';
import type { PriceTable } from '../core/cost/price-table.ts';
import { createRedactor, type Redactor } from '../core/redact.ts';
import type { EvalConfig } from '../core/schemas/eval.ts';
import type { Judge } from '../ports/judge.ts';
import type { Target } from '../ports/target.ts';

/** What an eval talks to, built from its configuration for a run on this machine. */
export interface RunEnvironment {
  readonly targets: readonly Target[];
  readonly judges: readonly Judge[];
  readonly redactor: Redactor;
  close(): Promise<void>;
}

export interface EnvironmentOptions {
  /** Folder of the eval; its `.env` is read. */
  readonly folder: string;
  readonly prices: PriceTable;
  openFormerRun(runId: string): FormerVerdicts;
}

/** Reads every secret first: a missing one stops the run before the first request. Throws ConfigError. */
export async function createEnvironment(config: EvalConfig, options: EnvironmentOptions): Promise<RunEnvironment> {
  const secrets = new LocalSecrets({ folder: options.folder });
  const values = await secrets.read(secretNamesOf(config));
  const clock = systemClock;
  const outbound = createOutboundDispatcher({
    loopback: true,
    allowedHosts: config.allowed_hosts,
    allowedCidrs: config.allowed_cidrs,
    httpsOnly: config.https_only,
    concurrency: config.concurrency,
  });
  const targets = config.targets.map((target, index) =>
    createTarget(target, {
      outbound,
      clock,
      random: Math.random,
      secrets: values,
      priceUsage: (model, usage) => priceUsage(model, usage, options.prices),
      where: `targets.${index}`,
    }),
  );
  const judges = config.judges.map((judge) =>
    createJudge(judge, {
      clock,
      random: Math.random,
      prices: options.prices,
      secrets,
      env: process.env,
      openFormerRun: options.openFormerRun,
    }),
  );
  return {
    targets,
    judges,
    redactor: createRedactor(values.values()),
    async close() {
      await Promise.all([...targets, ...judges].map((adapter) => adapter.close()));
      await outbound.close();
    },
  };
}
