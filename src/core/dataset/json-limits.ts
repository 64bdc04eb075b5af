import type { JsonValue } from '../json.ts';
import type { DatasetFault } from './fault-list.ts';
import type { RawRow } from './raw-row.ts';

const MAX_DEPTH = 100;

/** What could not be written back as it came: numbers beyond the range, or nesting that would exhaust a stack. */
export function findUnkeepable(raw: RawRow): DatasetFault | null {
  if (raw.isText) return null; // cells are text; what is parsed out of them is checked there
  for (const [field, { value }] of raw.fields) {
    const found = findIn(value, 0) ?? inexact(field, value);
    if (found !== null) return { field, ...found };
  }
  for (const [name, { value }] of raw.checks) {
    const found = findIn(value, 0);
    if (found !== null) return { field: `checks.${name}`, ...found };
  }
  for (const [key, value] of raw.metadata) {
    const found = findIn(value, 0);
    if (found !== null) return { field: `metadata.${key}`, ...found };
  }
  return null;
}

/** The same for one value. */
export function findIn(value: JsonValue, depth: number): Omit<DatasetFault, 'field'> | null {
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : { message: 'a number beyond the range of JSON' };
  if (value === null || typeof value !== 'object') return null;
  if (depth >= MAX_DEPTH) return { message: `nested deeper than ${MAX_DEPTH} levels` };
  for (const member of Object.values(value)) {
    const found = findIn(member, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** 12345678901234567890 would be asked, or compared, as 12345678901234567000. */
function inexact(field: string, value: JsonValue): Omit<DatasetFault, 'field'> | null {
  if (field !== 'input' && field !== 'expected') return null;
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return null;
  return { message: 'a number with too many digits to be kept exactly', fix: 'put it in quotes' };
}
