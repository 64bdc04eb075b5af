import { ConfigError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { evalNameFrom } from './eval-name.ts';
import { importAssert } from './promptfoo-asserts.ts';
import { importGrader, importProvider, type Prompt, readProvider } from './promptfoo-providers.ts';
import { ScorerSlots } from './promptfoo-slots.ts';
import { fillText } from './promptfoo-templates.ts';

export interface ImportedPromptfoo {
  readonly eval: JsonObject;
  readonly rows: readonly JsonObject[];
  /** What was not taken over, and why; for people. */
  readonly notImported: readonly string[];
}

const DEFAULT_JUDGE = { model: 'us.amazon.nova-2-lite-v1:0' };
const PLACEHOLDER_TARGET = { type: 'http', url: 'https://api.example.com/answer', response_path: '$' };
const READ_KEYS = ['description', 'prompts', 'providers', 'targets', 'tests', 'defaultTest', '$schema', 'tags'];
const MAX_ROWS = 1_000_000;

/**
 * A promptfoo configuration, its file references already replaced by what they hold, as an eval and its rows. Every
 * assert that has a counterpart becomes a scorer; where its text differs from test to test it stands in the row.
 * Throws ConfigError when nothing is left to ask or to score.
 */
export function importPromptfoo(config: JsonValue, name: string): ImportedPromptfoo {
  if (!isJsonObject(config)) throw new ConfigError([{ message: 'the configuration is no object' }]);
  const notImported = Object.keys(config)
    .filter((key) => !READ_KEYS.includes(key))
    .map((key) => `${key}: not known here`);
  const tests = testsOf(config, notImported);
  const onlyVar = onlyVarOf(tests);
  const slots = new ScorerSlots(tests.length);
  const rows = tests.map((test, index) => rowOf(test, index, onlyVar, slots, notImported));
  const { scorers, metrics, floors } = slots.finish(notImported);
  if (scorers.length === 0 && metrics.length === 0) {
    throw new ConfigError([
      { message: 'no assert could be taken over, so nothing would be scored', fix: notImported.slice(0, 5).join('; ') },
    ]);
  }
  const needsJudge = metrics.length > 0 || scorers.some((scorer) => Object.keys(scorer)[0]?.endsWith('judge-rubric'));
  return {
    eval: {
      name: evalNameFrom(name) ?? 'imported',
      ...(typeof config.description === 'string' ? { description: config.description } : {}),
      // Every assert of a qa eval must hold; metrics are means.
      type: metrics.length > 0 ? 'metrics' : 'qa',
      dataset: './dataset.jsonl',
      targets: targetsOf(config, onlyVar, notImported),
      ...(needsJudge ? { judge: judgeOf(config, notImported) } : {}),
      ...(metrics.length > 0 ? { metrics } : {}),
      ...(scorers.length > 0 ? { scorers } : {}),
      ...(Object.keys(floors).length > 0 ? { thresholds: { metric_floors: floors } } : {}),
    },
    rows: rows.filter((row) => row !== null).filter((row, index) => slots.keeps(row, index, notImported)),
    notImported,
  };
}

interface Test {
  readonly vars: JsonObject;
  readonly asserts: readonly JsonValue[];
  readonly description: string | null;
}

function testsOf(config: JsonObject, notImported: string[]): readonly Test[] {
  const defaults = isJsonObject(config.defaultTest) ? config.defaultTest : {};
  const given = Array.isArray(config.tests) ? config.tests : [];
  if (!Array.isArray(config.tests)) notImported.push('tests: no list of tests was found');
  const tests = given.flatMap((raw, index): Test[] => {
    if (!isJsonObject(raw)) {
      notImported.push(`tests[${index}]: ${typeof raw === 'string' ? `"${raw}" could not be read` : 'is no test'}`);
      return [];
    }
    for (const key of ['threshold', 'options', 'provider', 'assertScoringFunction']) {
      if (raw[key] !== undefined) notImported.push(`tests[${index}].${key}: not supported`);
    }
    const vars = { ...objectOr(defaults.vars), ...objectOr(raw.vars) };
    const asserts = [...listOr(defaults.assert), ...listOr(raw.assert)];
    const description = typeof raw.description === 'string' ? raw.description : null;
    return combinations(vars).map((one) => ({ vars: one, asserts, description }));
  });
  if (tests.length === 0)
    throw new ConfigError([{ field: 'tests', message: 'there is no test with variables to ask' }]);
  if (tests.length > MAX_ROWS) throw new ConfigError([{ field: 'tests', message: `more than ${MAX_ROWS} tests` }]);
  return tests;
}

/** A variable that lists values stands for a test with each; passages are a list on purpose. */
function combinations(vars: JsonObject): JsonObject[] {
  let made: JsonObject[] = [{}];
  for (const [name, value] of Object.entries(vars)) {
    const values = Array.isArray(value) && name !== 'context' ? value : [value];
    made = made.flatMap((one) => values.map((item) => ({ ...one, [name]: item })));
    if (made.length > MAX_ROWS)
      throw new ConfigError([{ field: 'tests', message: `more than ${MAX_ROWS} combinations of variables` }]);
  }
  return made;
}

function onlyVarOf(tests: readonly Test[]): string | null {
  const names = new Set(tests.flatMap((test) => Object.keys(test.vars)));
  names.delete('context');
  const [only, ...others] = names;
  return only !== undefined && others.length === 0 ? only : null;
}

function rowOf(
  { vars, asserts, description }: Test,
  index: number,
  onlyVar: string | null,
  slots: ScorerSlots,
  notImported: string[],
): JsonObject | null {
  const where = `tests[${index}]`;
  const file = Object.entries(vars).find(([, value]) => typeof value === 'string' && /^file:\/\//.test(value));
  if (file !== undefined) {
    notImported.push(`${where}: left out, its variable ${file[0]} is a file`);
    return null;
  }
  const metadata: JsonObject = description === null ? {} : { description };
  const row: JsonObject = {
    id: `test-${index + 1}`,
    input: onlyVar === null ? vars : (vars[onlyVar] ?? null),
    input_fields: vars,
    metadata,
  };
  if (vars.context !== undefined) row.contexts = vars.context;
  slots.begin();
  for (const [position, raw] of asserts.entries()) {
    const type = isJsonObject(raw) ? String(raw.type ?? '') : '';
    const value = filled(isJsonObject(raw) ? (raw.value ?? null) : null, vars, type);
    const made = value.ok ? importAssert(raw, value.value) : { kind: 'refused' as const, why: value.why };
    if (made.kind === 'refused') notImported.push(`${where}.assert[${position}] ${type}: ${made.why}`);
    else slots.add(made, row, metadata);
  }
  return row;
}

/** Code and schemas are not filled in: braces are theirs. */
function filled(
  value: JsonValue,
  vars: JsonObject,
  type: string,
): ReturnType<typeof fillText> | { ok: true; value: JsonValue } {
  if (/javascript|python|is-json|regex/.test(type)) return { ok: true, value };
  if (typeof value === 'string') return fillText(value, vars);
  if (!Array.isArray(value)) return { ok: true, value };
  const items: JsonValue[] = [];
  for (const item of value) {
    const one = typeof item === 'string' ? fillText(item, vars) : { ok: true as const, value: item };
    if (!one.ok) return one;
    items.push(one.value);
  }
  return { ok: true, value: items };
}

function targetsOf(config: JsonObject, onlyVar: string | null, notImported: string[]): JsonObject[] {
  const providers = [config.providers ?? config.targets ?? []].flat();
  const prompts = promptsOf(config, notImported);
  const targets: JsonObject[] = [];
  for (const [index, raw] of providers.entries()) {
    const provider = readProvider(raw);
    if (provider === null) {
      notImported.push(`providers[${index}]: is none that can be read`);
      continue;
    }
    for (const prompt of prompts) {
      const made = importProvider(provider, prompt, onlyVar);
      if (!made.ok) {
        notImported.push(`providers[${index}] ${provider.id}: ${made.why}`);
        break;
      }
      notImported.push(...made.value.notes.map((note) => `providers[${index}] ${provider.id}: ${note}`));
      const wanted = [
        provider.label ?? provider.id,
        prompts.length > 1 ? (prompt.label ?? `prompt-${prompts.indexOf(prompt) + 1}`) : '',
      ];
      targets.push({ id: freeId(wanted.join(' '), targets), ...made.value.target });
    }
  }
  if (targets.length > 0) return targets;
  notImported.push(`providers: none could be taken over; put yours in place of ${PLACEHOLDER_TARGET.url}`);
  return [PLACEHOLDER_TARGET];
}

function promptsOf(config: JsonObject, notImported: string[]): readonly Prompt[] {
  const given = [config.prompts ?? []].flat();
  const prompts = given.flatMap((raw, index): Prompt[] => {
    const text = typeof raw === 'string' ? raw : isJsonObject(raw) ? (raw.raw ?? raw.id) : null;
    const label = isJsonObject(raw) && typeof raw.label === 'string' ? raw.label : null;
    if (typeof text === 'string' && !/^file:\/\//.test(text)) return [{ text, label }];
    notImported.push(
      `prompts[${index}]: ${typeof text === 'string' ? `${text} could not be read as text` : 'is no text'}`,
    );
    return [];
  });
  return prompts.length > 0 ? prompts : [{ text: '{{input}}', label: null }];
}

function judgeOf(config: JsonObject, notImported: string[]): JsonObject {
  const options = isJsonObject(config.defaultTest) ? objectOr(config.defaultTest.options) : {};
  const given = options.provider ?? null;
  const judge = given === null ? null : importGrader(given);
  if (judge !== null) return judge;
  const why = given === null ? "none is named, and promptfoo's own default is not used" : 'it is not known here';
  notImported.push(`defaultTest.options.provider (the grader): ${why}; the judge is ${DEFAULT_JUDGE.model}`);
  return DEFAULT_JUDGE;
}

function freeId(wanted: string, targets: readonly JsonObject[]): string {
  const base = evalNameFrom(wanted)?.slice(0, 58) ?? 'target';
  let id = base;
  for (let n = 2; targets.some((target) => target.id === id); n += 1) id = `${base}-${n}`;
  return id;
}

const objectOr = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
const listOr = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);
