import { isJsonObject, type JsonValue } from '../../json.ts';
import type { Row } from '../../schemas/row.ts';

export type RowValues = Partial<Pick<Row, 'input' | 'input_fields' | 'metadata' | 'rubric'>>;

export const FROM_FORM = {
  message: 'from names where a row keeps the text: metadata.COLUMN, input.KEY or rubric',
  fix: 'such as from: metadata.must_mention',
};

export function isFrom(from: JsonValue): from is string {
  return typeof from === 'string' && /^(?:rubric|(?:metadata|input)\..+)$/s.test(from);
}

/** What a row keeps at `metadata.COLUMN`, `input.KEY` or `rubric`; null when it keeps nothing there. */
export function readFrom(from: string, row: RowValues): JsonValue {
  if (from === 'rubric') return row.rubric ?? null;
  const key = from.slice(from.indexOf('.') + 1);
  const fields = from.startsWith('metadata.') ? row.metadata : (row.input_fields ?? row.input);
  return isJsonObject(fields) && Object.hasOwn(fields, key) ? (fields[key] ?? null) : null;
}
