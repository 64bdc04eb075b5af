import { ConfigError, type Fault } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import { type EvalConfig, EvalFileSchema } from '../schemas/eval.ts';
import { ThresholdsSchema } from '../schemas/thresholds.ts';
import { schemaFaults } from './schema-faults.ts';

/** The part of an eval that decides and asks nobody anything. */
export const PolicyFileSchema = EvalFileSchema.pick({
  thresholds: true,
  veto: true,
  trial_policy: true,
  decide_by: true,
  margin: true,
  on_inconclusive: true,
  require_calibration: true,
});

/**
 * A policy as parsed from YAML or JSON, or a whole eval file of which only the policy counts → the eval of a run under that
 * policy. What the file leaves out takes the default of the eval's type, not what the run had: the file alone is the
 * policy. Throws ConfigError with all faults; thresholds that the type does not take are found by `resolvePolicy`.
 */
export function parsePolicy(raw: unknown, config: EvalConfig): EvalConfig {
  const given = isJsonObject(raw) && isEvalFile(raw) ? policyPart(raw, config) : raw;
  const parsed = PolicyFileSchema.safeParse(given ?? {}, { reportInput: true });
  if (!parsed.success) throw new ConfigError(schemaFaults(parsed.error, { knownKeys }));
  const { thresholds, veto, trial_policy, decide_by, margin, on_inconclusive, require_calibration } = parsed.data;
  const faults: Fault[] = [];
  const known: readonly string[] = config.metrics;
  for (const [index, name] of veto.entries()) {
    if (!known.includes(name)) faults.push(unknownMetric(`veto.${index}`, name, known));
  }
  for (const name of Object.keys(thresholds.metric_floors ?? {})) {
    if (!known.includes(name)) faults.push(unknownMetric(`thresholds.metric_floors.${name}`, name, known));
  }
  if (decide_by === 'interval' && margin === undefined) {
    faults.push({ field: 'margin', message: 'decide_by: interval needs a margin', fix: 'such as margin: 0.03' });
  }
  if (faults.length > 0) throw new ConfigError(faults);
  const { margin: _margin, require_calibration: _calibration, ...rest } = config;
  return {
    ...rest,
    thresholds,
    veto,
    trial_policy,
    decide_by,
    on_inconclusive,
    ...(margin === undefined ? {} : { margin }),
    ...(require_calibration === undefined ? {} : { require_calibration }),
  };
}

const isEvalFile = (raw: object): boolean => 'dataset' in raw || 'type' in raw;

function policyPart(raw: object, config: EvalConfig): object {
  const { type } = raw as { type?: unknown };
  if (type !== undefined && type !== config.type) {
    const message = `this is an eval of type ${String(type)}, and the run is one of type ${config.type}`;
    throw new ConfigError([{ field: 'type', message, fix: 'give the policy of the same eval' }]);
  }
  return Object.fromEntries(Object.entries(raw).filter(([key]) => Object.hasOwn(PolicyFileSchema.shape, key)));
}

function unknownMetric(field: string, name: string, known: readonly string[]): Fault {
  const fix = known.length === 0 ? 'this eval has no metrics' : `it scored ${known.join(', ')}`;
  return { field, message: `"${name}" is not among the metrics of this run`, fix };
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  return Object.keys(path[0] === 'thresholds' ? ThresholdsSchema.shape : PolicyFileSchema.shape);
}
