import { secretNamesOf } from '../core/config/secret-names.ts';
import { priceUsage } from '../core/cost/cost.ts';
import type { PriceTable } from '../core/cost/price-table.ts';
import { ConfigError, type Fault } from '../core/errors.ts';
import { createRedactor } from '../core/redact.ts';
import type { EvalConfig } from '../core/schemas/eval.ts';
import type { RunEnvironment } from '../ports/environment.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { BedrockClientOptions } from './aws/bedrock-client.ts';
import { createJudge } from './build-judge.ts';
import { createTarget } from './build-target.ts';
import { createOutboundDispatcher } from './http/outbound-guard.ts';
import type { FormerVerdicts } from './recorded-judge.ts';
import { systemClock } from './system-clock.ts';

export interface EnvironmentOptions {
  readonly secrets: Secrets;
  readonly prices: PriceTable;
  /** Loopback addresses may be called: on this machine only. */
  readonly loopback: boolean;
  /** Rows in flight, for the size of the connection pools. @default the eval's concurrency */
  readonly concurrency?: number;
  /** Region and credentials of Bedrock come from here. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where Bedrock is, when it is not AWS's own. */
  readonly bedrock?: Omit<BedrockClientOptions, 'region'>;
  openFormerRun?(runId: string): FormerVerdicts;
}

/**
 * Reads every secret first: a missing one stops the run before the first request. Throws ConfigError with the faults of
 * all targets.
 */
export async function createEnvironment(config: EvalConfig, options: EnvironmentOptions): Promise<RunEnvironment> {
  const { secrets } = options;
  const values = await secrets.read(secretNamesOf(config));
  const clock = systemClock;
  const outbound = createOutboundDispatcher({
    loopback: options.loopback,
    allowedHosts: config.allowed_hosts,
    allowedCidrs: config.allowed_cidrs,
    httpsOnly: config.https_only,
    concurrency: options.concurrency ?? config.concurrency,
  });
  const faults: Fault[] = [];
  const targets = config.targets.flatMap((target, index) =>
    built(faults, () =>
      createTarget(target, {
        outbound,
        clock,
        random: Math.random,
        secrets: values,
        priceUsage: (model, usage) => priceUsage(model, usage, options.prices),
        where: `targets.${index}`,
      }),
    ),
  );
  if (faults.length > 0) throw new ConfigError(faults);
  const judges = config.judges.map((judge) =>
    createJudge(judge, {
      clock,
      random: Math.random,
      prices: options.prices,
      secrets,
      env: options.env,
      ...(options.bedrock === undefined ? {} : { bedrock: options.bedrock }),
      openFormerRun: options.openFormerRun,
    }),
  );
  return {
    targets,
    judges,
    redact: createRedactor(values.values()).text,
    async close() {
      await Promise.all([...targets, ...judges].map((adapter) => adapter.close()));
      await outbound.close();
    },
  };
}

/** What `build` makes, or nothing and its faults. */
function built<T>(faults: Fault[], build: () => T): T[] {
  try {
    return [build()];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults);
    return [];
  }
}
