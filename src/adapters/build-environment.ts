import { secretNamesOf } from '../core/config/secret-names.ts';
import { priceUsage } from '../core/cost/cost.ts';
import type { PriceTable } from '../core/cost/price-table.ts';
import { ConfigError, type Fault } from '../core/errors.ts';
import { longestTargetMs } from '../core/plan/longest-row.ts';
import { createRedactor } from '../core/redact.ts';
import type { EvalConfig } from '../core/schemas/eval.ts';
import { secretFinder, shortSecretWarnings } from '../core/secrets-in-text.ts';
import type { RunEnvironment } from '../ports/environment.ts';
import type { ExpressionEvaluator } from '../ports/expressions.ts';
import type { PaceStore } from '../ports/pace-store.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { BedrockClientOptions } from './aws/bedrock-client.ts';
import { createJudge } from './build-judge.ts';
import { createTarget } from './build-target.ts';
import { createOutboundDispatcher } from './http/outbound-guard.ts';
import { Pacers } from './pacing/pacers.ts';
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
  /** What to do with throttled requests where processes ask together. @default this process keeps paces of its own */
  readonly pacing?: {
    readonly store: PaceStore;
    /** Whose requests to hosts these are. */
    readonly scope: string;
    /** Somebody of this run was throttled already. */
    readonly isExpected: boolean;
    onFirstThrottle?(): void;
  };
  openFormerRun?(runId: string): FormerVerdicts;
  /** What runs `javascript` scorers. Absent: they are refused, as where the process holds credentials of others. */
  createExpressions?(): ExpressionEvaluator;
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
  const pacers = new Pacers({
    clock,
    random: Math.random,
    judgeGraceMs: longestTargetMs(config),
    ...options.pacing,
  });
  const faults: Fault[] = [];
  const targets = config.targets.flatMap((target, index) =>
    built(faults, () =>
      createTarget(target, {
        outbound,
        clock,
        random: Math.random,
        secrets: values,
        pacers,
        priceUsage: (model, usage) => priceUsage(model, usage, options.prices),
        where: `targets.${index}`,
        env: options.env,
        aws: {
          ...(target.type === 'bedrock' ? options.bedrock : {}),
          maxSockets: Math.max(50, options.concurrency ?? config.concurrency),
        },
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
      pacers,
      env: options.env,
      ...(options.bedrock === undefined ? {} : { bedrock: options.bedrock }),
      openFormerRun: options.openFormerRun,
    }),
  );
  const expressions = await openExpressions(config, options);
  return {
    targets,
    judges,
    expressions,
    pacing: pacers,
    redact: createRedactor(values.values()).text,
    ...(values.size === 0 ? {} : { findSecret: secretFinder(values) }),
    warnings: shortSecretWarnings(values),
    async close() {
      await Promise.all([...targets, ...judges].map((adapter) => adapter.close()));
      await expressions?.close();
      await outbound.close();
    },
  };
}

/** The evaluator of the eval's expressions, each looked at once; undefined when it has none. */
async function openExpressions(
  config: EvalConfig,
  { createExpressions }: EnvironmentOptions,
): Promise<ExpressionEvaluator | undefined> {
  const scorers = config.scorers.filter((spec) => /^(?:not-)?javascript$/.test(spec.check));
  if (scorers.length === 0) return undefined;
  const field = `scorers.${config.scorers.findIndex((spec) => scorers.includes(spec))}`;
  if (createExpressions === undefined) {
    const fix = 'run it with `assay run`, or use other checks';
    throw new ConfigError([{ field, message: 'not yet supported in a deployed run: javascript', fix }]);
  }
  const evaluator = createExpressions();
  const faults: Fault[] = [];
  for (const spec of scorers) {
    const { value } = spec.options;
    const fault = typeof value === 'string' ? await evaluator.check(value) : null;
    if (fault !== null) faults.push({ field: `scorers.${config.scorers.indexOf(spec)}.${spec.check}`, ...fault });
  }
  if (faults.length === 0) return evaluator;
  await evaluator.close();
  throw new ConfigError(faults);
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
