import { ConfigError, type Fault } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { nearestName } from '../nearest.ts';
import { METRIC_NAMES } from '../schemas/eval.ts';
import { evalNameFrom } from './eval-name.ts';
import type { ImportedEval } from './imported-eval.ts';

/** Plainwright's limit on a trial, and its rule that a failed request is a failed row. */
const TIME_BUDGET_S = 270;
const RETRIES = 0;
const DEFAULT_METRICS = ['correctness', 'relevance'];

const TEST_KEYS = [
  'id',
  'name',
  'kind',
  'natural_language',
  'module_id',
  'config',
  'active',
  'is_active',
  'project_id',
];
const CONFIG_KEYS = [
  'dataset_id',
  'target',
  'metrics',
  'rubric',
  'latency_budget_ms',
  'sample_size',
  'sample_seed',
  'threshold',
];

/** A test as Plainwright's API takes it: its `config` is the eval. */
export function isPlainwrightTest(value: unknown): value is JsonObject {
  return isJsonObject(value) && isJsonObject(value.config) && !('type' in value) && !('dataset' in value);
}

export interface PlainwrightOptions {
  /** The dataset's file on this machine: an id of Plainwright's says nothing here. */
  readonly dataset?: string | undefined;
}

/** `eval-test.json` as an eval. Throws ConfigError with the fields of the file. */
export function importPlainwright(test: JsonObject, { dataset }: PlainwrightOptions): ImportedEval {
  const config = isJsonObject(test.config) ? test.config : {};
  const faults: Fault[] = [];
  const warnings: string[] = [...ignored(test, TEST_KEYS, ''), ...ignored(config, CONFIG_KEYS, 'config.')];
  const kind = test.kind ?? 'eval';
  if (kind !== 'eval') {
    const fix = 'only tests of kind "eval" are evals';
    faults.push({ field: 'kind', message: `kind ${JSON.stringify(kind)} cannot be run here`, fix });
  }
  const name = typeof test.name === 'string' ? evalNameFrom(test.name) : null;
  if (name === null) faults.push({ field: 'name', message: 'a name with a letter or digit is missing' });
  const threshold = thresholdOf(config.threshold ?? null, faults);
  if (dataset === undefined) faults.push(datasetFault(config.dataset_id ?? null));
  const target = config.target;
  if (!isJsonObject(target)) faults.push({ field: 'config.target', message: '"target" is missing (an object)' });
  const metrics = metricsOf(config.metrics ?? null, config, faults, warnings);
  if (faults.length > 0 || name === null || dataset === undefined || !isJsonObject(target))
    throw new ConfigError(faults);

  const seed = config.sample_seed ?? test.id ?? null;
  if (config.sample_size != null && seed === null) {
    warnings.push(
      "the sample is drawn by the eval's name: Plainwright draws it by the test's id, which the file does not hold, so the rows may be others",
    );
  }
  return {
    value: {
      name,
      type: 'metrics',
      ...(typeof test.natural_language === 'string' ? { description: test.natural_language } : {}),
      dataset,
      targets: [{ ...withoutNulls(target), retries: target.retries ?? RETRIES }],
      metrics,
      ...pick(config, ['rubric', 'latency_budget_ms', 'sample_size']),
      ...(seed === null ? {} : { sample_seed: String(seed) }),
      ...(threshold === null ? {} : { thresholds: { min_score: threshold } }),
      time_budget_s: TIME_BUDGET_S,
      ...(test.module_id == null ? {} : { metadata: { module: test.module_id } }),
      active: test.active !== false && test.is_active !== false,
    },
    warnings,
  };
}

/** 0.85 and 85 are the same mark; 1 is 100 %. Between 1 and 2 nobody can tell which was meant. */
function thresholdOf(value: JsonValue, faults: Fault[]): number | null {
  if (value === null) return null;
  const field = 'config.threshold';
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    faults.push({ field, message: `threshold is a number, not ${JSON.stringify(value)}`, fix: 'such as 0.85 or 85' });
  } else if (value < 0 || value > 100) {
    faults.push({ field, message: `threshold ${value} is outside 0 to 100 %`, fix: 'such as 0.85 or 85' });
  } else if (value > 1 && value < 2) {
    const fix = `write ${value / 100} for ${value} %, or a share up to 1`;
    faults.push({ field, message: `threshold ${value} is neither a share nor clearly a percentage`, fix });
  } else {
    return value > 1 ? value / 100 : value;
  }
  return null;
}

function metricsOf(given: JsonValue, config: JsonObject, faults: Fault[], warnings: string[]): string[] {
  if (given === null) return DEFAULT_METRICS;
  const field = 'config.metrics';
  if (!Array.isArray(given)) {
    faults.push({ field, message: 'metrics is a list of names' });
    return [];
  }
  const known: string[] = [];
  for (const name of given) {
    if (METRIC_NAMES.some((metric) => metric === name)) {
      known.push(String(name));
      continue;
    }
    const nearest = nearestName(String(name), METRIC_NAMES);
    const hint = nearest === undefined ? '' : `, did you mean "${nearest}"?`;
    warnings.push(`metric ${JSON.stringify(name)} is not known and was ignored, as Plainwright does${hint}`);
  }
  if (known.length === 0 && config.latency_budget_ms == null) {
    faults.push({ field, message: 'no known metric is left to score', fix: `list some of ${METRIC_NAMES.join(', ')}` });
  }
  return known;
}

function datasetFault(id: JsonValue): Fault {
  const which = id === null ? 'the dataset' : `dataset ${JSON.stringify(id)}`;
  const message = `${which} is kept by Plainwright, not in this file`;
  return { field: 'config.dataset_id', message, fix: 'name its file: --dataset support-faq.csv' };
}

function ignored(object: JsonObject, known: readonly string[], prefix: string): string[] {
  return Object.keys(object)
    .filter((key) => !known.includes(key))
    .map((key) => `"${prefix}${key}" is not known and was not looked at`);
}

function pick(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => object[key] != null).map((key) => [key, object[key] as JsonValue]));
}

/** Plainwright's editor writes null where a setting is not made. */
function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
