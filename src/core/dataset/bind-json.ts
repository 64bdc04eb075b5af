import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ColumnPlan, Role } from './column-plan.ts';
import type { FaultList } from './fault-list.ts';
import { giveField, type RawRow, twoSources } from './raw-row.ts';
import type { JsonRecord } from './record-parser.ts';

/** A JSON record as a raw row; anything but an object is a fault. */
export function bindJson(record: JsonRecord, plan: ColumnPlan, faults: FaultList): RawRow | null {
  const row = emptyRawRow(record.line, faults);
  const object = objectOf(record, faults);
  if (object === null) return null;
  for (const [key, member] of Object.entries(object)) {
    for (const role of plan.rolesOf(key)) giveMember(row, role, key, member);
  }
  return row;
}

export function objectOf({ line, value }: JsonRecord, faults: FaultList): JsonObject | null {
  if (isJsonObject(value)) return value;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  faults.add({ line, message: `a row is an object such as {"input": "…"}; this is ${kind}` });
  return null;
}

export function emptyRawRow(line: number, faults: FaultList): RawRow {
  const report: RawRow['report'] = (fault) => faults.add({ line, ...fault });
  return { line, isText: false, fields: new Map(), checks: new Map(), metadata: new Map(), report };
}

function giveMember(row: RawRow, role: Role, key: string, member: JsonValue): void {
  if (role.kind === 'metadata') {
    row.metadata.set(role.key, member);
  } else if (role.kind === 'field') {
    // A row with `contexts: null` was given its passages: none.
    if (member !== null || role.field === 'contexts') giveField(row, role.field, member, key);
  } else if (member !== null) {
    const before = row.checks.get(role.check);
    if (before !== undefined) row.report(twoSources(`checks.${role.check}`, before.from, key));
    row.checks.set(role.check, { value: member, from: key });
  }
}
