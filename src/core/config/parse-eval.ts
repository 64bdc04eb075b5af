import type * as z from 'zod';
import { ConfigError, type Fault } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { nearestName } from '../nearest.ts';
import {
  DEFAULT_LATENCY_BUDGET_MS,
  type EvalConfig,
  type EvalFile,
  EvalFileSchema,
  METRIC_NAMES,
  type MetricName,
  type ScorerConfig,
  type ScorerSpec,
} from '../schemas/eval.ts';
import type { JudgeConfig } from '../schemas/judge-config.ts';
import { SCHEDULE_KEYS } from '../schemas/schedule.ts';
import {
  AgentCoreTargetSchema,
  BedrockAgentTargetSchema,
  BedrockTargetSchema,
  HttpTargetSchema,
  KnowledgeBaseTargetSchema,
  LambdaTargetSchema,
  RecordedTargetSchema,
  type TargetConfig,
} from '../schemas/target-config.ts';
import { THRESHOLDS_OF_TYPE, type ThresholdName, ThresholdsSchema } from '../schemas/thresholds.ts';
import { aboutWhatWasRead, readablePart, withFurther } from './readable-part.ts';
import { schemaFaults } from './schema-faults.ts';

export interface EvalSource {
  readonly file?: string;
  lineOf?(path: readonly PropertyKey[]): number | undefined;
  /** Judges that override the file's (flags), or stand in where it names none (the project's default). */
  readonly judges?: {
    readonly override?: readonly JudgeConfig[] | undefined;
    readonly fallback?: readonly JudgeConfig[] | undefined;
  };
}

/**
 * An eval as parsed from YAML or JSON → the configuration a run keeps, every default filled in.
 * Throws ConfigError with all faults at once.
 */
export function parseEval(raw: unknown, source: EvalSource = {}): EvalConfig {
  const { config, faults } = readEval(raw, source);
  if (config === null || faults.length > 0) throw new ConfigError(faults);
  return config;
}

export interface EvalReading {
  /** Of what could be read, with stand-ins for the rest; null when too little could be. */
  readonly config: EvalConfig | null;
  readonly faults: readonly Fault[];
  /** Keys whose values could not be read: what the configuration says about them means nothing. */
  readonly unread: ReadonlySet<string>;
}

/** The same with its faults as values; a key that cannot be read does not hide what is wrong with the others. */
export function readEval(raw: unknown, source: EvalSource = {}): EvalReading {
  const parsed = EvalFileSchema.safeParse(raw, { reportInput: true });
  if (parsed.success) return { ...settle(parsed.data, source), unread: new Set() };
  const faults = faultsOfSchema(parsed.error, raw, source);
  const part = readablePart(raw, parsed.error);
  if (part === null) return { config: null, faults, unread: new Set() };
  const settled = settle(part.file, source);
  return {
    config: settled.config,
    faults: withFurther(faults, aboutWhatWasRead(settled.faults, part.unread)),
    unread: part.unread,
  };
}

/** Only the shape: what a deployed project stores as a version. Throws ConfigError. */
export function parseEvalFile(raw: unknown, source: EvalSource = {}): EvalFile {
  const parsed = EvalFileSchema.safeParse(raw, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new ConfigError(faultsOfSchema(parsed.error, raw, source));
}

function faultsOfSchema(error: z.ZodError, raw: unknown, source: EvalSource): Fault[] {
  return schemaFaults(error, { ...source, knownKeys: (path) => knownKeys(raw, path) });
}

/** Shape → settled configuration: target ids, metrics, scorers, judges. Throws ConfigError. */
export function settleEval(file: EvalFile, source: EvalSource = {}): EvalConfig {
  const { config, faults } = settle(file, source);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function settle(file: EvalFile, source: EvalSource): { config: EvalConfig; faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const report = (path: readonly PropertyKey[], message: string, fix?: string) => {
    const line = source.lineOf?.(path);
    faults.push({ file: source.file, line, field: path.map(String).join('.'), message, fix });
  };
  const { target, targets, judge, metrics, scorers, sample_seed, ...rest } = file;
  const settled: EvalConfig = {
    ...rest,
    targets: settleTargets(file, report),
    judges: [...(source.judges?.override ?? judge ?? source.judges?.fallback ?? [])],
    metrics: settleMetrics(file, report),
    scorers: settleScorers(file),
    sample_seed: sample_seed ?? file.name,
  };
  if (settled.metrics.includes('latency')) settled.latency_budget_ms ??= DEFAULT_LATENCY_BUDGET_MS;
  checkConfirmation(settled, report);
  checkThresholds(file, report);
  checkCalibration(settled, report);
  checkKeysOfType(settled, report);
  return { config: settled, faults };
}

type Report = (path: readonly PropertyKey[], message: string, fix?: string) => void;

function settleTargets(file: EvalFile, report: Report): TargetConfig[] {
  if (file.target !== undefined && file.targets !== undefined) {
    report(['target'], 'both "target" and "targets" are given', 'keep one of them');
  }
  const given = file.targets ?? (file.target === undefined ? [] : [file.target]);
  if (given.length === 0) report(['targets'], 'there is no target', 'add targets: [{url: https://…}]');
  const taken = new Set(given.flatMap((target) => target.id ?? []));
  const used = new Set<string>();
  return given.map((target, index) => {
    let id: string = target.id ?? target.type;
    for (let n = 2; target.id === undefined && taken.has(id); n += 1) id = `${target.type}-${n}`;
    taken.add(id);
    if (used.has(id)) report(['targets', index, 'id'], `two targets have the id "${id}"`, 'give each its own');
    used.add(id);
    return { ...target, id };
  });
}

function settleMetrics(file: EvalFile, report: Report): MetricName[] {
  if (file.type !== 'metrics' && file.type !== 'rag') {
    if (file.metrics !== undefined) {
      report(['metrics'], `an eval of type ${file.type} takes no metrics`, 'use type: metrics, or drop the key');
    }
    return [];
  }
  const names = file.metrics ?? (file.type === 'metrics' ? ['correctness', 'relevance'] : []);
  const known = new Set<MetricName>();
  for (const [index, name] of names.entries()) {
    const metric = METRIC_NAMES.find((candidate) => candidate === name);
    const nearest = nearestName(name, METRIC_NAMES);
    if (metric !== undefined) known.add(metric);
    else
      report(
        ['metrics', index],
        `unknown metric "${name}"`,
        nearest === undefined ? `known: ${METRIC_NAMES.join(', ')}` : `did you mean "${nearest}"?`,
      );
  }
  if (file.type === 'metrics' && file.latency_budget_ms !== undefined) known.add('latency');
  if (file.type === 'metrics' && known.size === 0 && names.length === 0 && file.scorers === undefined) {
    report(['metrics'], 'no metric is left to score', `list some of ${METRIC_NAMES.join(', ')}`);
  }
  for (const [index, name] of file.veto.entries()) {
    if (!known.has(name as MetricName))
      report(['veto', index], `"${name}" is not among the metrics of this eval`, 'list it under metrics');
  }
  for (const name of Object.keys(file.thresholds.metric_floors ?? {})) {
    if (!known.has(name as MetricName)) {
      report(
        ['thresholds', 'metric_floors', name],
        `"${name}" is not among the metrics of this eval`,
        'list it under metrics',
      );
    }
  }
  return [...known];
}

const DEFAULT_SCORERS: Partial<Record<EvalFile['type'], readonly string[]>> = {
  qa: ['contains', 'judge'],
  classification: ['contains'],
  instruction: ['judge'],
};

function settleScorers(file: EvalFile): ScorerSpec[] {
  const given = file.scorers ?? DEFAULT_SCORERS[file.type] ?? [];
  const seen = new Map<string, number>();
  return given.map((scorer) => {
    const [check, options] = checkAndOptions(scorer);
    const count = (seen.get(check) ?? 0) + 1;
    seen.set(check, count);
    // A check listed twice (with other options) is two scorers: `regex`, `regex-2`.
    return { name: count === 1 ? check : `${check}-${count}`, check, options };
  });
}

/** `{not: {contains: {…}}}`, `{not: contains}` and `not-contains` are the same check. */
function checkAndOptions(scorer: ScorerConfig): readonly [check: string, options: JsonObject] {
  if (typeof scorer === 'string') return [scorer, {}];
  const [name = '', options = {}] = Object.entries<string | JsonObject>(scorer)[0] ?? [];
  if (typeof options === 'string') return [`not-${options}`, {}];
  const [[inner, innerOptions] = ['', undefined]] = Object.entries(options);
  return name === 'not' && isJsonObject(innerOptions) && Object.keys(options).length === 1
    ? [`not-${inner}`, innerOptions]
    : [name, options];
}

function checkThresholds(file: EvalFile, report: Report): void {
  const allowed: readonly ThresholdName[] = THRESHOLDS_OF_TYPE[file.type];
  for (const name of Object.keys(file.thresholds) as ThresholdName[]) {
    if (!allowed.includes(name))
      report(
        ['thresholds', name],
        `${name} does not belong to an eval of type ${file.type}`,
        `it takes ${allowed.join(', ')}`,
      );
  }
  if (file.decide_by === 'interval' && file.margin === undefined) {
    report(['margin'], 'decide_by: interval needs a margin', 'such as margin: 0.03');
  }
}

/** What an eval of this type never looks at: accepted, it would seem to have been checked. */
function checkKeysOfType(config: EvalConfig, report: Report): void {
  const { type, labels, strict_labels, rubric, metrics, scorers } = config;
  const refuse = (key: string, fix: string) => report([key], `${key} has no effect on an eval of type ${type}`, fix);
  if (type !== 'classification') {
    if (labels !== undefined) refuse('labels', 'use type: classification, or drop the key');
    if (strict_labels) refuse('strict_labels', 'use type: classification, or drop the key');
  }
  const reads = type === 'instruction' || type === 'agent' || metrics.includes('rubric');
  if (rubric === undefined || reads || scorers.some(({ check }) => check.includes('rubric'))) return;
  refuse(
    'rubric',
    type === 'metrics'
      ? 'list rubric under metrics, or drop the key'
      : 'use type: instruction or a rubric scorer, or drop the key',
  );
}

function checkConfirmation({ confirm_trials, baseline }: EvalConfig, report: Report): void {
  if (confirm_trials === 0 || baseline !== 'none') return;
  const message = 'confirm_trials tries rows again that passed in the baseline, and baseline is none';
  report(['confirm_trials'], message, 'set baseline: last-pass, or drop it');
}

function checkCalibration(config: EvalConfig, report: Report): void {
  if (config.require_calibration === undefined || config.judges.length > 0) return;
  report(
    ['require_calibration'],
    'there is no judge that could be calibrated',
    'add a judge, or drop require_calibration',
  );
}

const TARGET_SCHEMAS = {
  http: HttpTargetSchema,
  recorded: RecordedTargetSchema,
  bedrock: BedrockTargetSchema,
  lambda: LambdaTargetSchema,
  agentcore: AgentCoreTargetSchema,
  'bedrock-agent': BedrockAgentTargetSchema,
  'knowledge-base': KnowledgeBaseTargetSchema,
};

function knownKeys(raw: unknown, path: readonly PropertyKey[]): string[] {
  const [head] = path;
  if (head === undefined) return Object.keys(EvalFileSchema.shape);
  if (head === 'thresholds') return Object.keys(ThresholdsSchema.shape);
  if (head === 'schedule') return [...SCHEDULE_KEYS];
  if (head === 'judge')
    return ['type', 'model', 'url', 'region', 'api_key', 'max_tokens', 'timeout_s', 'temperature', 'from'];
  if (head === 'target' || head === 'targets') {
    const type = isJsonObject(at(raw, path))
      ? (at(raw, path) as { type?: keyof typeof TARGET_SCHEMAS }).type
      : undefined;
    return Object.keys((TARGET_SCHEMAS[type ?? 'http'] ?? HttpTargetSchema).shape);
  }
  return [];
}

const at = (raw: unknown, path: readonly PropertyKey[]): JsonValue | undefined =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    raw,
  ) as JsonValue | undefined;
