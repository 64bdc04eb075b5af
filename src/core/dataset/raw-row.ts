import type { JsonValue } from '../json.ts';
import type { DatasetFault } from './fault-list.ts';
import type { RowField } from './fields.ts';

/** A value and the column or key it came from. */
export interface Given {
  readonly value: JsonValue;
  readonly from: string;
}

/** One record, sorted by what its values are for. */
export interface RawRow {
  /** Line where the record starts. */
  readonly line: number;
  /** Values are text cells (CSV), so lists and objects stand in them as JSON text. */
  readonly isText: boolean;
  readonly fields: Map<RowField, Given>;
  readonly checks: Map<string, Given>;
  readonly metadata: Map<string, JsonValue>;
  /** Collects what is wrong; the line is added. */
  readonly report: (fault: DatasetFault) => void;
}

/** Gives a value to a field. A second source for the same field is a fault that names both. */
export function giveField(row: RawRow, field: RowField, value: JsonValue, from: string): void {
  const before = row.fields.get(field);
  if (before !== undefined && before.value !== null) {
    if (value !== null) row.report(twoSources(field, before.from, from));
    return;
  }
  row.fields.set(field, { value, from });
}

export function twoSources(field: string, first: string, second: string): DatasetFault {
  return {
    field,
    message: `"${first}" and "${second}" both give ${field}`,
    fix: `keep one, or choose with columns: {${field}: ${JSON.stringify(second)}}`,
  };
}
