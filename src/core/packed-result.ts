import type { JsonValue } from './json.ts';
import type { RowResult } from './schemas/result.ts';

/** Columns that hold text as it is, and anything else as JSON text. */
const TEXT_OR_JSON = ['input', 'expected'] as const;
/** Columns that always hold JSON text. */
const JSON_TEXT = ['trajectory', 'metadata'] as const;

/** A result as a line of a table: what has no fixed shape is text. */
export type PackedResult = Omit<RowResult, 'input' | 'expected' | 'trajectory' | 'metadata'> & {
  readonly input: string | null;
  readonly expected: string | null;
  readonly trajectory: string | null;
  readonly metadata: string;
  /** Which of `input` and `expected` are JSON text and not text as such. */
  readonly json_columns: readonly (typeof TEXT_OR_JSON)[number][];
};

/**
 * Result → what the Athena table reads. Its SerDe loses its place in a line when a text column holds an object, and
 * columns of objects would let names that users chose (which may differ only in case) become names of columns.
 */
export function packResult(result: RowResult): PackedResult {
  return {
    ...result,
    input: textOf(result.input),
    expected: textOf(result.expected),
    trajectory: result.trajectory === null ? null : finiteText('trajectory', result.trajectory),
    metadata: finiteText('metadata', result.metadata),
    json_columns: TEXT_OR_JSON.filter((column) => typeof (result[column] ?? '') !== 'string'),
  };
}

/**
 * The result that was packed; one that was not (runs on this machine) is given back as it is.
 * Throws SyntaxError where a column that should hold JSON does not.
 */
export function unpackResult(line: RowResult | PackedResult): RowResult {
  const fields: Record<string, unknown> & { json_columns?: unknown } = line;
  for (const column of JSON_TEXT) {
    const text = fields[column];
    if (typeof text === 'string') fields[column] = JSON.parse(text);
  }
  if (!Array.isArray(fields.json_columns)) return line as RowResult;
  for (const column of TEXT_OR_JSON) {
    if (fields.json_columns.includes(column)) fields[column] = JSON.parse(fields[column] as string);
  }
  delete fields.json_columns;
  return line as RowResult;
}

const textOf = (value: JsonValue): string | null =>
  value === null || typeof value === 'string' ? value : finiteText('the value', value);

/** JSON in the order it came in. Throws RangeError on NaN and infinities, which JSON would silently make null. */
function finiteText(what: string, value: unknown): string {
  return JSON.stringify(value, (key, member: unknown) => {
    if (typeof member !== 'number' || Number.isFinite(member)) return member;
    throw new RangeError(`${key === '' ? what : `"${key}"`} is ${member}, which is not JSON`);
  });
}
