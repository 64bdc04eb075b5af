import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { compilePattern } from '../scoring/checks/pattern.ts';

/** What an assert of promptfoo becomes. */
export type ImportedAssert =
  /** A text check or rubric whose text may differ from test to test. */
  | { readonly kind: 'text'; readonly check: string; readonly options: JsonObject; readonly value: JsonValue }
  /** A check that looks at the answer alone, so it holds for all tests or none. */
  | { readonly kind: 'alone'; readonly check: string; readonly options: JsonObject }
  | { readonly kind: 'metric'; readonly metric: string; readonly floor: number | null; readonly expected: JsonValue }
  | { readonly kind: 'refused'; readonly why: string };

const EXACTLY = { case_sensitive: true };
const TEXT_CHECKS: Readonly<Record<string, readonly [check: string, options: JsonObject]>> = {
  equals: ['exact', EXACTLY],
  contains: ['contains', EXACTLY],
  icontains: ['contains', {}],
  'starts-with': ['starts-with', EXACTLY],
  'contains-any': ['contains-any', EXACTLY],
  'contains-all': ['contains-all', EXACTLY],
  'icontains-any': ['contains-any', {}],
  'icontains-all': ['contains-all', {}],
  regex: ['regex', {}],
  'llm-rubric': ['judge-rubric', {}],
  'model-graded-closedqa': ['judge-rubric', {}],
  factuality: ['judge-rubric', {}],
  'model-graded-factuality': ['judge-rubric', {}],
};
const METRICS: Readonly<Record<string, string>> = {
  'answer-relevance': 'relevance',
  'context-faithfulness': 'faithfulness',
  'context-recall': 'context_recall',
  'context-relevance': 'context_precision',
};
const REASONS: Readonly<Record<string, string>> = {
  similar: 'embeddings are not supported; use a rubric',
  python: 'Python is not run; use javascript or a rubric',
  ruby: 'Ruby is not run; use javascript or a rubric',
  webhook: 'no third party is asked to score',
  'assert-set': 'sets of asserts are not supported; list them one by one',
  'select-best': 'answers are scored one by one, not against each other',
  'max-score': 'answers are scored one by one, not against each other',
  moderation: 'use the metric safety',
  'g-eval': 'use a rubric',
};

/** One assert; `value` is filled in with the test's variables already. */
export function importAssert(raw: JsonValue, value: JsonValue): ImportedAssert {
  if (!isJsonObject(raw) || typeof raw.type !== 'string') return refused('it has no type');
  for (const key of ['transform', 'contextTransform', 'provider', 'rubricPrompt', 'config']) {
    if (raw[key] !== undefined) return refused(`"${key}" of an assert is not supported`);
  }
  if (raw.weight === 0) return refused('its weight is 0, so it decides nothing');
  const isNegated = raw.type.startsWith('not-');
  const type = isNegated ? raw.type.slice(4) : raw.type;
  const made =
    typeof value === 'string' && /^file:|^package:/.test(value)
      ? refused('its value is a file')
      : plain(type, raw, value);
  if (!isNegated || made.kind === 'refused') return made;
  return made.kind === 'metric' ? refused('a metric has no negation') : { ...made, check: `not-${made.check}` };
}

function plain(type: string, raw: JsonObject, value: JsonValue): ImportedAssert {
  const metric = METRICS[type];
  if (metric !== undefined) return { kind: 'metric', metric, floor: numberOr(raw.threshold, null), expected: value };
  const known = TEXT_CHECKS[type];
  if (known !== undefined) return textAssert(type, known, raw, value);
  switch (type) {
    case 'is-json':
      if (value !== null && !isJsonObject(value)) return refused('its schema is no object');
      return { kind: 'alone', check: 'is-json', options: value === null ? {} : { schema: value } };
    case 'latency':
      return limit('latency', 'max_ms', raw.threshold);
    case 'cost':
      return limit('cost', 'max_usd', raw.threshold);
    case 'levenshtein':
      return {
        kind: 'text',
        check: 'levenshtein',
        options: { max_distance: numberOr(raw.threshold, 5) ?? 5, ...EXACTLY },
        value,
      };
    case 'rouge-n':
      return { kind: 'text', check: 'rouge-n', options: { threshold: numberOr(raw.threshold, 0.75) ?? 0.75 }, value };
    case 'javascript': {
      if (typeof value !== 'string') return refused('its value is no expression');
      const threshold = numberOr(raw.threshold, null);
      return { kind: 'alone', check: 'javascript', options: { value, ...(threshold === null ? {} : { threshold }) } };
    }
    default:
      return refused(REASONS[type] ?? `asserts of type "${type}" are not known here`);
  }
}

function textAssert(
  type: string,
  [check, options]: readonly [string, JsonObject],
  raw: JsonObject,
  value: JsonValue,
): ImportedAssert {
  if (value === null || value === '') return refused('it has no value to compare with');
  if (type === 'equals' && typeof value === 'object') return { kind: 'text', check: 'equals-json', options: {}, value };
  if (type.endsWith('-any') || type.endsWith('-all')) {
    const list = typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value;
    return { kind: 'text', check, options, value: list };
  }
  if (type === 'regex') {
    const compiled = compilePattern(String(value));
    if (!compiled.ok) return refused(`${compiled.message} (${compiled.fix})`);
  }
  if (check === 'judge-rubric') return rubric(type, options, raw, value);
  return { kind: 'text', check, options, value };
}

function rubric(type: string, options: JsonObject, raw: JsonObject, value: JsonValue): ImportedAssert {
  if (typeof value !== 'string') return refused('its rubric is no text');
  if (raw.threshold !== undefined)
    return refused('a rubric is passed or failed here, without a threshold; give it a scale by hand');
  const text = type.endsWith('factuality')
    ? `The answer agrees in substance with this reference and contradicts it nowhere: ${value}`
    : value;
  return { kind: 'text', check: 'judge-rubric', options, value: text };
}

function limit(check: string, option: string, threshold: JsonValue | undefined): ImportedAssert {
  if (typeof threshold !== 'number' || !(threshold >= 0)) return refused('it has no threshold');
  return { kind: 'alone', check, options: { [option]: threshold } };
}

const refused = (why: string): ImportedAssert => ({ kind: 'refused', why });

function numberOr<T>(value: JsonValue | undefined, otherwise: T): number | T {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}
