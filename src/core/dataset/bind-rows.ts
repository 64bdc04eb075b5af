import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { emptyRawRow, objectOf } from './bind-json.ts';
import type { ColumnPlan } from './column-plan.ts';
import type { FaultList } from './fault-list.ts';
import { comparableName, fieldOfName, ROW_FIELDS, type RowField } from './fields.ts';
import type { RawRow } from './raw-row.ts';
import type { JsonRecord } from './record-parser.ts';

/**
 * A row that Assay wrote, as a raw row. An eval's `columns` still work: a column without a field of its own
 * was kept in `metadata`, and one that has a field is found there.
 */
export function bindNormalised(record: JsonRecord, plan: ColumnPlan, faults: FaultList): RawRow | null {
  const object = objectOf(record, faults);
  if (object === null) return null;
  const row = emptyRawRow(record.line, faults);
  const metadata: JsonObject = isJsonObject(object.metadata) ? object.metadata : {};
  for (const [key, value] of Object.entries(metadata)) row.metadata.set(key, value);
  for (const field of ROW_FIELDS) {
    const value = Object.hasOwn(object, field) ? object[field] : undefined;
    if (field !== 'metadata' && value !== undefined && value !== null) row.fields.set(field, { value, from: field });
  }
  if (plan.mapped.size > 0) remap(row, plan);
  return row;
}

function remap(row: RawRow, plan: ColumnPlan): void {
  const moves: { field: RowField; column: string; value: JsonValue; source: RowField | null }[] = [];
  for (const [field, column] of plan.mapped) {
    const key = [...row.metadata.keys()].find((name) => comparableName(name) === comparableName(column));
    const source = fieldOfName(column);
    const inField = source === null ? undefined : row.fields.get(source)?.value;
    const value = key === undefined ? inField : row.metadata.get(key);
    if (value === undefined) continue;
    plan.markSeen(column);
    if (key === undefined && source === field) continue;
    moves.push({ field, column, value, source: key === undefined ? source : null });
    if (key !== undefined) row.metadata.delete(key);
  }
  const moved = new Set(moves.map((move) => move.source));
  for (const { field } of moves) {
    const displaced = row.fields.get(field);
    if (displaced !== undefined && !moved.has(field)) row.metadata.set(field, displaced.value);
  }
  for (const source of moved) if (source !== null) row.fields.delete(source);
  for (const { field, column, value } of moves) row.fields.set(field, { value, from: column });
}
