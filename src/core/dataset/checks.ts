import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { type RowChecks, RowChecksSchema } from '../schemas/row.ts';
import { CHECK_NAMES } from './fields.ts';
import { type RawRow, twoSources } from './raw-row.ts';
import { parseText, readObject, readTextList } from './text-values.ts';

/** The checks of a row, from `checks`, from what `expected` holds beside the answer, and from columns of their own. */
export function readChecks(row: RawRow, besideExpected: JsonObject): RowChecks {
  const given = row.fields.get('checks');
  const own = given === undefined ? null : readObject(given.value, 'checks', row.report);
  if (own === null && row.checks.size === 0 && Object.keys(besideExpected).length === 0) return {};

  const checks = new Map<string, JsonValue>();
  const add = (name: string, value: JsonValue, from: string) => {
    if (value === null) return;
    if (checks.has(name)) row.report(twoSources(`checks.${name}`, 'expected or checks', from));
    checks.set(name, value);
  };
  for (const [name, value] of Object.entries(besideExpected)) add(name, value, `expected.${name}`);
  for (const [name, value] of Object.entries(own ?? {})) add(name, value, `checks.${name}`);
  for (const [name, { value, from }] of row.checks) add(name, checkOfCell(name, value, row), from);

  for (const [name, value] of checks) checkName(name, value, row);
  const parsed = RowChecksSchema.safeParse(Object.fromEntries(checks));
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    row.report({ field: ['checks', ...issue.path].join('.'), message: issue.message });
  }
  return {};
}

/** A cell says `7`, `true`, `["a"]` or, for lists of names, `a, b`. */
function checkOfCell(name: string, value: JsonValue, row: RawRow): JsonValue {
  if (typeof value !== 'string' || name === 'answer_match') return value;
  if (name === 'must_call' || name === 'must_not_call') return readTextList(value, `checks.${name}`, row.report);
  const lower = value.trim().toLowerCase();
  return lower === 'true' || lower === 'false' ? lower === 'true' : (parseText(value) ?? value);
}

function checkName(name: string, value: JsonValue, row: RawRow): void {
  const field = `checks.${name}`;
  if (name.startsWith('min_') && (typeof value !== 'number' || !(value >= 0 && value <= 1))) {
    row.report({ field, message: `${name} is a number from 0 to 1` });
  }
  if (CHECK_NAMES.includes(name)) return;
  // A misspelt check would silently not be made; other keys are the user's own notes.
  const meant = CHECK_NAMES.find((known) => isOneSlipAway(name, known));
  if (meant !== undefined) row.report({ field, message: `unknown check "${name}"`, fix: `did you mean ${meant}?` });
}

/** Equal but for case, "-" for "_", or one letter too many, too few, wrong or swapped. */
function isOneSlipAway(name: string, known: string): boolean {
  const a = name.toLowerCase().replaceAll('-', '_');
  if (a === known) return true;
  let start = 0;
  while (start < a.length && a[start] === known[start]) start += 1;
  const [restA, restB] = [a.slice(start), known.slice(start)];
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  );
}

/** Whether an `expected` object is the nested form (answer, rubric and checks) and not itself the answer. */
export function isNestedExpected(value: JsonValue): value is JsonObject {
  return (
    isJsonObject(value) &&
    ['answer', 'ground_truth', 'label', 'rubric', ...CHECK_NAMES].some((name) => Object.hasOwn(value, name))
  );
}
