import { isJsonObject, type JsonObject, type JsonValue, jsonToText } from '../json.ts';
import type { Row } from '../schemas/row.ts';
import { isNestedExpected, readChecks } from './checks.ts';
import { readContexts } from './contexts.ts';
import { findUnkeepable } from './json-limits.ts';
import { type RawRow, twoSources } from './raw-row.ts';
import { readRowId } from './row-id.ts';
import { parseText, readObject, readStructure, readText, readTextList } from './text-values.ts';

/** Of input, expected, rubric and checks together: they travel with every request and verdict. */
const MAX_CORE_BYTES = 200 * 1024;

const INPUT_KEYS = ['query', 'text', 'instruction', 'task'];
const EXPECTED_KEYS = ['answer', 'ground_truth', 'label'];

/**
 * A raw row as a row, or null when it has no input. Faults are reported; the row is then worth nothing.
 * `nested`: objects in `input` and `expected` may be supereval's forms. Off for rows that Assay wrote.
 */
export function normaliseRow(raw: RawRow, index: number, nested: boolean): Row | null {
  const unkeepable = findUnkeepable(raw);
  if (unkeepable !== null) {
    raw.report(unkeepable);
    return null;
  }
  const { input, fields } = readInput(raw, nested);
  if (isNoInput(input)) return null;
  const { expected, rubric, rest } = readExpected(raw, nested);
  const checks = readChecks(raw, rest);
  const row: Row = {
    id: readRowId(raw, hasOtherKeys(fields) ? fields : input),
    index,
    input,
    expected,
    rubric,
    contexts: read(raw, 'contexts', readContexts) ?? nestedContexts(raw, fields),
    tags: read(raw, 'tags', (value, report) => readTextList(value, 'tags', report)) ?? [],
    difficulty: read(raw, 'difficulty', (value, report) => readText(value, 'difficulty', report)) ?? null,
    cluster: read(raw, 'cluster', (value, report) => readText(value, 'cluster', report)) ?? null,
    metadata: readMetadata(raw),
    checks,
  };
  if (fields !== null) row.input_fields = fields;
  addRecordings(raw, row);
  checkSize(row, raw);
  return row;
}

function read<T>(raw: RawRow, field: 'contexts' | 'tags' | 'difficulty' | 'cluster', parse: Parse<T>): T | undefined {
  const given = raw.fields.get(field);
  return given === undefined ? undefined : parse(given.value, raw.report);
}
type Parse<T> = (value: JsonValue, report: RawRow['report']) => T;

/** supereval's rag datasets keep the passages beside the query. */
function nestedContexts(raw: RawRow, fields: JsonObject | null): string[] | null {
  const given = fields?.retrieved_contexts ?? null;
  return given === null ? null : readContexts(given, raw.report);
}

/** No input: nothing, blank text, or an empty list or object. 0 and false are inputs. */
function isNoInput(input: JsonValue): boolean {
  if (typeof input === 'string') return input.trim() === '';
  return input === null || (typeof input === 'object' && Object.keys(input).length === 0);
}

function readInput(raw: RawRow, nested: boolean): { input: JsonValue; fields: JsonObject | null } {
  const given = raw.fields.get('input');
  const input = given?.value ?? null;
  const givenFields = raw.fields.get('input_fields')?.value;
  if (givenFields !== undefined) return { input, fields: readObject(givenFields, 'input_fields', raw.report) };
  if (!nested || given === undefined || !isJsonObject(input)) return { input, fields: null };
  const key = pickKey(raw, input, INPUT_KEYS, 'input');
  return key === null ? { input, fields: null } : { input: input[key] ?? null, fields: input };
}

function readExpected(raw: RawRow, nested: boolean): { expected: JsonValue; rubric: string | null; rest: JsonObject } {
  const value = raw.fields.get('expected')?.value ?? null;
  const ownRubric = readText(raw.fields.get('rubric')?.value ?? null, 'rubric', raw.report);
  if (!nested || !isNestedExpected(value)) return { expected: blankToNull(value), rubric: ownRubric, rest: {} };

  const key = pickKey(raw, value, EXPECTED_KEYS, 'expected');
  const rubric = readText(value.rubric ?? null, 'rubric', raw.report);
  if (rubric !== null && ownRubric !== null) raw.report(twoSources('rubric', 'rubric', 'expected.rubric'));
  const rest = Object.entries(value).filter(([name]) => name !== 'rubric' && !EXPECTED_KEYS.includes(name));
  return {
    expected: blankToNull(key === null ? null : (value[key] ?? null)),
    rubric: rubric ?? ownRubric,
    rest: Object.fromEntries(rest),
  };
}

/** The one key of these that holds a value; several are a fault that names two. */
function pickKey(raw: RawRow, object: JsonObject, keys: readonly string[], field: string): string | null {
  const held = keys.filter((key) => Object.hasOwn(object, key) && object[key] !== null);
  // Beside a question or an instruction, `text` is the document it is about.
  const [key, second] = held.length > 1 ? held.filter((name) => name !== 'text') : held;
  if (key !== undefined && second !== undefined) {
    raw.report({ ...twoSources(field, `${field}.${key}`, `${field}.${second}`), fix: 'keep one of them' });
  }
  return key ?? null;
}

/** Blank text cannot be a right answer: any answer would contain it. */
function blankToNull(value: JsonValue): JsonValue {
  return typeof value === 'string' && value.trim() === '' ? null : value;
}

function readMetadata(raw: RawRow): JsonObject {
  const given = raw.fields.get('metadata');
  const own = given === undefined ? null : readObject(given.value, 'metadata', raw.report);
  for (const [key, value] of Object.entries(own ?? {})) {
    if (raw.metadata.has(key)) raw.report(twoSources(`metadata.${key}`, key, `metadata.${key}`));
    raw.metadata.set(key, value);
  }
  return Object.fromEntries(raw.metadata);
}

function addRecordings(raw: RawRow, row: Row): void {
  const value = (field: 'output' | 'trajectory' | 'verdicts' | 'judge_replies' | 'tools') =>
    raw.fields.get(field)?.value ?? null;
  const output = value('output');
  if (output !== null) row.output = output;
  for (const field of ['trajectory', 'tools'] as const) {
    const structure = value(field) === null ? null : readStructure(value(field), field, raw.report);
    if (structure !== null) row[field] = structure;
  }
  const verdicts = value('verdicts') === null ? null : readObject(value('verdicts'), 'verdicts', raw.report);
  if (verdicts !== null) row.verdicts = verdicts;
  const replies = value('judge_replies');
  if (replies !== null) row.judge_replies = listOfReplies(replies);
}

/** One raw reply a call; what is not a list is the only reply. */
function listOfReplies(value: JsonValue): JsonValue[] {
  const parsed = typeof value === 'string' && value.trimStart().startsWith('[') ? parseText(value) : value;
  return Array.isArray(parsed) ? parsed : [value];
}

function hasOtherKeys(fields: JsonObject | null): fields is JsonObject {
  return fields !== null && Object.keys(fields).length > 1;
}

function checkSize(row: Row, raw: RawRow): void {
  const parts: JsonValue[] = [row.input_fields ?? row.input, row.expected ?? '', row.rubric ?? ''];
  if (Object.keys(row.checks).length > 0) parts.push(row.checks as JsonObject);
  const bytes = parts.reduce((sum: number, part) => sum + Buffer.byteLength(jsonToText(part)), 0);
  if (bytes <= MAX_CORE_BYTES) return;
  raw.report({
    field: 'input',
    message: `input, expected, rubric and checks together take ${Math.ceil(bytes / 1024)} KB of at most 200 KB`,
    fix: 'move long material to contexts',
  });
}
