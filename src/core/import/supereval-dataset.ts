import { ConfigError, type Fault } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { nearestName } from '../nearest.ts';
import { EVAL_TYPES, EvalFileSchema, type EvalType } from '../schemas/eval.ts';
import { THRESHOLDS_OF_TYPE, ThresholdsSchema } from '../schemas/thresholds.ts';
import { evalNameFrom } from './eval-name.ts';
import type { ImportedEval } from './imported-eval.ts';
import { superevalPrompt } from './supereval-prompts.ts';

export interface SuperevalFolder {
  /** `dataset.json`. */
  readonly meta: JsonValue;
  /** The folder's name, and that of the folder it lies in: supereval keeps types apart as `rag/` and `agents/`. */
  readonly name: string;
  readonly parent: string;
  /** First line of `cases.jsonl`; null when there is none. */
  readonly firstCase: JsonValue;
  readonly models: readonly string[];
  /** Prompt template in supereval's form; absent: the default of the type. */
  readonly prompt?: string | undefined;
}

/** What supereval writes into dataset.json and no eval needs. */
const OWN_KEYS = ['id', 'created_at', 'updated_at', 'author', 'name', 'type', 'labels', 'thresholds', 'tools'];

/**
 * A dataset folder of supereval as an eval: `dataset.json` decides, `cases.jsonl` is the dataset as it is. Keys of an eval
 * beside supereval's own (`target`, `judge`, `trials`, …) count. Throws ConfigError; fields are those of dataset.json.
 */
export function importSupereval(folder: SuperevalFolder): ImportedEval {
  const { meta } = folder;
  if (!isJsonObject(meta)) throw new ConfigError([{ message: 'dataset.json is no object' }]);
  const faults: Fault[] = [];
  const warnings: string[] = [];
  const type = typeOf(folder, meta, faults);
  const name = evalNameFrom(typeof meta.name === 'string' ? meta.name : folder.name) ?? evalNameFrom(folder.name);
  if (name === null)
    faults.push({ field: 'name', message: 'no letter or digit to name the eval by', fix: 'rename it' });
  const thresholds = type === null ? {} : thresholdsOf(meta.thresholds ?? null, type, faults, warnings);
  const targets = type === null ? [] : targetsOf(folder, meta, type, faults, warnings);
  const further = furtherKeys(meta, warnings);
  if (type === null || name === null || faults.length > 0) throw new ConfigError(faults);
  return {
    value: {
      ...further,
      name,
      type,
      dataset: './cases.jsonl',
      ...(meta.labels == null ? {} : { labels: meta.labels }),
      thresholds,
      ...(targets === null ? {} : { targets }),
      ...(Array.isArray(meta.tools) && meta.tools.length > 0
        ? { metadata: withTools(further.metadata, meta.tools) }
        : {}),
    },
    warnings,
  };
}

function typeOf({ firstCase, parent }: SuperevalFolder, meta: JsonObject, faults: Fault[]): EvalType | null {
  const given = meta.type ?? null;
  if (given !== null) {
    const known = EVAL_TYPES.find((type) => type === given);
    if (known !== undefined) return known;
    const nearest = nearestName(String(given), EVAL_TYPES);
    const fix = nearest === undefined ? `one of ${EVAL_TYPES.join(', ')}` : `did you mean "${nearest}"?`;
    faults.push({ field: 'type', message: `unknown type ${JSON.stringify(given)}`, fix });
    return null;
  }
  // supereval writes no type for rag and agent datasets: where they lie says it, and what their cases hold.
  const input = isJsonObject(firstCase) && isJsonObject(firstCase.input) ? firstCase.input : {};
  if (parent === 'agents' || 'task' in input || Array.isArray(meta.tools)) return 'agent';
  if (parent === 'rag' || 'retrieved_contexts' in input) return 'rag';
  faults.push({ field: 'type', message: '"type" is missing', fix: `one of ${EVAL_TYPES.join(', ')}` });
  return null;
}

function thresholdsOf(given: JsonValue, type: EvalType, faults: Fault[], warnings: string[]): JsonObject {
  if (given === null) return {};
  if (!isJsonObject(given)) {
    faults.push({ field: 'thresholds', message: 'thresholds is an object' });
    return {};
  }
  const known = Object.keys(ThresholdsSchema.shape);
  const ofType: readonly string[] = THRESHOLDS_OF_TYPE[type];
  const thresholds: JsonObject = {};
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name)) {
      const nearest = nearestName(name, known);
      const fix = nearest === undefined ? `it takes ${ofType.join(', ')}` : `did you mean "${nearest}"?`;
      faults.push({ field: `thresholds.${name}`, message: `unknown threshold "${name}"`, fix });
    } else if (!ofType.includes(name)) {
      if (value !== null)
        warnings.push(`thresholds.${name} has no meaning in a dataset of type ${type}: not looked at`);
    } else if (value !== null) {
      thresholds[name] = value;
    }
  }
  return thresholds;
}

/** Null: the file names its targets itself. */
function targetsOf(
  { models, prompt }: SuperevalFolder,
  meta: JsonObject,
  type: EvalType,
  faults: Fault[],
  warnings: string[],
): JsonObject[] | null {
  if (meta.target !== undefined || meta.targets !== undefined) {
    if (models.length > 0) warnings.push('dataset.json names its target: --model was not used');
    return null;
  }
  if (models.length === 0) {
    faults.push({ message: 'there is no model to ask', fix: 'add --model <Bedrock model id>, once for each' });
  }
  const labels = Array.isArray(meta.labels) ? meta.labels.map(String) : [];
  const template = superevalPrompt(type, labels, prompt);
  if ('fault' in template) {
    faults.push({ field: prompt === undefined ? 'labels' : '--prompt', message: template.fault, fix: template.fix });
    return [];
  }
  return models.flatMap((model) => {
    const id = bedrockModel(model);
    if (id === null) {
      const message = `model "${model}" is not on Amazon Bedrock`;
      const fix = 'give the Bedrock model id, or put a target of type http into dataset.json';
      faults.push({ field: '--model', message, fix });
      return [];
    }
    const target: JsonObject = { type: 'bedrock', model: id, prompt: template.prompt };
    if (models.length > 1) target.id = evalNameFrom(id) ?? 'model';
    return [target];
  });
}

/** Model ids as promptfoo knows them (`bedrock:…`); null for other services. */
function bedrockModel(model: string): string | null {
  const plain = model.replace(/^bedrock:(?:converse:)?/, '');
  return /^(?:anthropic|openai|azure|google|vertex|mistral|ollama|openrouter|huggingface|cohere|http|https|file|exec|python):(?!\d)/.test(
    plain,
  )
    ? null
    : plain;
}

function furtherKeys(meta: JsonObject, warnings: string[]): JsonObject {
  const further: JsonObject = {};
  for (const [key, value] of Object.entries(meta)) {
    if (OWN_KEYS.includes(key)) continue;
    if (Object.hasOwn(EvalFileSchema.shape, key)) further[key] = value;
    else warnings.push(`dataset.json: "${key}" is not known and was not looked at`);
  }
  return further;
}

function withTools(metadata: JsonValue | undefined, tools: JsonValue): JsonObject {
  return { ...(isJsonObject(metadata) ? metadata : {}), tools };
}
