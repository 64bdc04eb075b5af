import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { nearestName } from '../nearest.ts';
import type { Row } from '../schemas/row.ts';

/** What may stand between the braces of a template. */
export type Variable =
  | { readonly kind: 'input' | 'contexts' | 'history' | 'row-id' }
  | {
      readonly kind: 'input-key' | 'metadata';
      readonly key: string;
      /** Written `{{input.KEY?}}`: a row without the key is filled in with nothing. @default false */
      readonly isOptional?: boolean;
    }
  | { readonly kind: 'secret'; readonly name: string };

/** What a template is filled from. */
export interface TemplateVariables {
  readonly row: Row;
  /** Values by name; must hold every name the template uses. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** Something made from a row, or why this row cannot give it. The message never holds a value. */
export type Rendered<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** Names of secrets, as in `{{secrets.NAME}}`. */
export const SECRET_NAME_PATTERN = /^[A-Z][A-Z0-9_]{0,63}$/;

const PLAIN = new Map<string, Variable>([
  ['input', { kind: 'input' }],
  ['contexts', { kind: 'contexts' }],
  ['history', { kind: 'history' }],
  ['row.id', { kind: 'row-id' }],
]);
const KNOWN = [
  '{{input}}',
  '{{input.KEY}}',
  '{{contexts}}',
  '{{history}}',
  '{{row.id}}',
  '{{metadata.KEY}}',
  '{{secrets.NAME}}',
];
/** What people coming from other tools write, and what it is called here. */
const SYNONYMS: Readonly<Record<string, string>> = {
  prompt: 'input',
  question: 'input',
  query: 'input',
  text: 'input',
  message: 'input',
  context: 'contexts',
  id: 'row.id',
  row_id: 'row.id',
};

/** The variable of that name, or what is wrong with the name and how to mend it. */
export function parseVariable(name: string): Variable | { readonly fault: string; readonly fix: string } {
  const plain = PLAIN.get(name);
  if (plain !== undefined) return plain;
  const dot = name.indexOf('.');
  const head = dot < 0 ? name : name.slice(0, dot);
  const key = dot < 0 ? '' : name.slice(dot + 1).trim();
  if (key !== '') {
    const kind = head === 'input' ? 'input-key' : head === 'metadata' ? 'metadata' : null;
    if (kind !== null && /[^?]\?$/.test(key)) return { kind, key: key.slice(0, -1).trim(), isOptional: true };
    if (kind !== null) return { kind, key };
    if (head === 'secrets' && SECRET_NAME_PATTERN.test(key)) return { kind: 'secret', name: key };
    if (head === 'secrets') {
      return { fault: `"${key}" cannot be the name of a secret`, fix: 'capital letters, digits and "_", at most 64' };
    }
  }
  return { fault: `unknown variable {{${name}}}`, fix: suggestion(name, head, key) };
}

/** The value a row gives a variable; `null` is a value. Secrets are text. */
export function readVariable(variable: Variable, { row, secrets }: TemplateVariables): Rendered<JsonValue> {
  switch (variable.kind) {
    case 'input':
      return found(row.input);
    case 'row-id':
      return found(row.id);
    case 'history':
      return found([]); // single-turn evals have none
    case 'contexts':
      return row.contexts === null
        ? { ok: false, message: '{{contexts}}: the row has no contexts' }
        : found(row.contexts);
    case 'input-key':
      return orNothing(variable, (key) => readInputKey(row, key));
    case 'metadata':
      return orNothing(variable, (key) => readKey(row.metadata, key, `metadata.${key}`, 'metadata'));
    case 'secret': {
      const value = secrets.get(variable.name);
      if (value === undefined) throw new Error(`secret ${variable.name} was not resolved before rendering`);
      return found(value);
    }
  }
}

function orNothing(
  { key, isOptional }: { readonly key: string; readonly isOptional?: boolean },
  read: (key: string) => Rendered<JsonValue>,
): Rendered<JsonValue> {
  const value = read(key);
  if (value.ok || isOptional !== true) return value;
  const asWritten = read(`${key}?`); // a column may well be called "really?"
  return asWritten.ok ? asWritten : found('');
}

function suggestion(name: string, head: string, key: string): string {
  if (name === 'expected') return 'the right answer is not given to the target';
  if (head === 'env' && key !== '') return `did you mean {{secrets.${key}}}?`;
  const known = nearestName(name, PLAIN.keys()) ?? SYNONYMS[name.toLowerCase()];
  if (known !== undefined) return `did you mean {{${known}}}?`;
  const group = key === '' ? undefined : nearestName(head, ['input', 'metadata', 'secrets']);
  if (group !== undefined) return `did you mean {{${group}.${key}}}?`;
  return `known are ${KNOWN.join(', ')}; another column of the dataset is {{metadata.COLUMN}}`;
}

function readInputKey(row: Row, key: string): Rendered<JsonValue> {
  const name = `input.${key}`;
  // Nested inputs of other tools keep their other keys beside the text that became `input`.
  if (row.input_fields !== undefined) {
    const value = readKey(row.input_fields, key, name, 'input');
    if (value.ok || !isJsonObject(row.input)) return value;
  }
  if (isJsonObject(row.input)) return readKey(row.input, key, name, 'input');
  return { ok: false, message: `{{${name}}}: the row's input is no object, it has no keys` };
}

/** The key as written wins; else its dots lead into nested objects. */
function readKey(from: JsonObject, key: string, name: string, what: string): Rendered<JsonValue> {
  const direct = own(from, key);
  if (direct !== undefined) return found(direct);
  let value: JsonValue | undefined = from;
  for (const part of key.split('.')) value = isJsonObject(value) ? own(value, part) : undefined;
  if (value !== undefined) return found(value);
  const keys = Object.keys(from);
  const present = keys.length === 0 ? `its ${what} is empty` : `its ${what} has ${keys.slice(0, 10).join(', ')}`;
  return { ok: false, message: `{{${name}}}: the row has no ${name}; ${present}` };
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function found(value: JsonValue): Rendered<JsonValue> {
  return { ok: true, value };
}
