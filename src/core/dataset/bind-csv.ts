import type { ColumnPlan, Role } from './column-plan.ts';
import type { FaultList } from './fault-list.ts';
import { comparableName, type RowField } from './fields.ts';
import { giveField, type RawRow, twoSources } from './raw-row.ts';
import type { CsvRecord } from './record-parser.ts';

interface BoundColumn {
  readonly name: string;
  readonly roles: readonly Role[];
}

/**
 * Reads the header and returns what turns later records into raw rows.
 * What is wrong with the header is thrown at once: without it no row means anything.
 */
export function bindCsv(header: CsvRecord, plan: ColumnPlan, faults: FaultList): (record: CsvRecord) => RawRow | null {
  const columns = header.cells.map((cell): BoundColumn => {
    const name = cell.trim();
    return { name, roles: name === '' ? [] : plan.rolesOf(name) };
  });
  checkHeader(columns, header.line, plan, faults);
  faults.throwIfAny();
  return (record) => bindRecord(record, columns, faults);
}

function bindRecord(record: CsvRecord, columns: readonly BoundColumn[], faults: FaultList): RawRow | null {
  const { line, cells } = record;
  if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell !== '')) {
    faults.add({
      line,
      message: `${cells.length} cells, but the header names ${columns.length} columns`,
      fix: 'put cells that contain the delimiter in quotes',
    });
    return null;
  }
  const row: RawRow = {
    line,
    isText: true,
    fields: new Map(),
    checks: new Map(),
    metadata: new Map(),
    report: (fault) => faults.add({ line, ...columnOf(fault.field, row), ...fault }),
  };
  for (const [index, column] of columns.entries()) {
    const cell = cells[index];
    if (cell === undefined) break;
    // A value without a header is kept where it can be found, never dropped; it often tells of a broken line.
    if (column.name === '' && cell.trim() !== '') {
      row.metadata.set(`column ${index + 1}`, cell);
      const message = `${JSON.stringify(cell.slice(0, 40))} stands in a column without a name`;
      faults.warn({
        line,
        column: String(index + 1),
        message,
        fix: 'look for a stray delimiter or quote in this line',
      });
    }
    for (const role of column.roles) giveCell(row, role, cell, column.name);
  }
  return row;
}

function giveCell(row: RawRow, role: Role, cell: string, name: string): void {
  if (role.kind === 'metadata') {
    row.metadata.set(role.key, cell);
    return;
  }
  // An empty cell is no value, save that a row with an empty list of passages was given: none.
  if (cell.trim() === '' && !(role.kind === 'field' && role.field === 'contexts')) return;
  if (role.kind === 'check') row.checks.set(role.check, { value: cell, from: name });
  else giveField(row, role.field, cell, name);
}

function columnOf(field: string | undefined, row: RawRow): { column?: string } {
  const top = field?.split('.')[0] as RowField | undefined;
  const from = top === undefined ? undefined : row.fields.get(top)?.from;
  return from === undefined ? {} : { column: from };
}

function checkHeader(columns: readonly BoundColumn[], line: number, plan: ColumnPlan, faults: FaultList): void {
  const names = columns.map((column) => column.name).filter((name) => name !== '');
  const found = `the header has: ${names.join(', ') || 'no names'}`;
  const seen = new Map<string, number>();
  for (const [index, { name }] of columns.entries()) {
    const key = comparableName(name);
    const before = seen.get(key);
    if (name !== '' && before !== undefined) {
      const message = `duplicate header: columns ${before + 1} and ${index + 1} are both named "${name}"`;
      faults.add({ line, column: name, message, fix: 'rename or remove one' });
    }
    seen.set(key, before ?? index);
  }
  const sources = new Map<RowField, string>();
  for (const { name, roles } of columns) {
    for (const role of roles) {
      if (role.kind !== 'field') continue;
      const before = sources.get(role.field);
      if (before === undefined) sources.set(role.field, name);
      else if (comparableName(before) !== comparableName(name)) {
        faults.add({ line, column: name, ...twoSources(role.field, before, name) });
      }
    }
  }
  for (const [field, column] of plan.unseen()) {
    faults.add({ line, field: `columns.${field}`, message: `there is no column "${column}"`, fix: found });
  }
  if (!sources.has('input') && !plan.mapped.has('input')) {
    faults.add({
      line,
      field: 'input',
      message: `no column holds the input; ${found}`,
      fix: 'name a column "input" (or query, question, text, task, prompt), or set columns: {input: <name>}',
    });
  }
}
