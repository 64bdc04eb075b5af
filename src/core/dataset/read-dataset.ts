import type { Fault } from '../errors.ts';
import type { Row } from '../schemas/row.ts';
import { ColumnPlan } from './column-plan.ts';
import { DatasetVersion } from './dataset-version.ts';
import { FaultList } from './fault-list.ts';
import { type DatasetFormat, formatOfName } from './format.ts';
import { normaliseRow } from './normalise-row.ts';
import type { RawRow } from './raw-row.ts';
import { readRecords } from './read-records.ts';
import { SeenIds } from './seen-ids.ts';

const MAX_ROWS = 10_000_000;

export interface DatasetSource {
  /** The file as the person named it: faults name it, and its ending tells the format. */
  readonly name: string;
  /** Default: by name, else by the first character. */
  readonly format?: DatasetFormat;
  /** The file unpacked, cut anywhere. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface ReadDatasetOptions {
  /** Field → column, where names alone do not tell. */
  readonly columns?: Readonly<Record<string, string>>;
  /** What a row lacks for its eval type; file and line are added. */
  readonly checkRow?: (row: Row) => readonly Fault[];
  /** @default 10,000,000 */
  readonly maxRows?: number;
}

export interface DatasetCounts {
  /** Rows with an input. */
  readonly rows: number;
  readonly withoutInput: number;
  /** SHA-256 over the lines of the normalised rows. */
  readonly version: string;
  /** Oddities that do not stop a run, as people read them. */
  readonly warnings: readonly string[];
}

/**
 * Reads a dataset as rows in file order, `index` counting the rows that have an input.
 * Rows flow while faults are collected, and DatasetError with all of them (from the 101st on as a number) is thrown
 * at the end: so read to the end once, or `surveyDataset`, before anything is spent. Memory does not grow with the
 * rows, save for 16 to 64 bytes an id.
 */
export class DatasetReader implements AsyncIterable<Row> {
  readonly #source: DatasetSource;
  readonly #options: ReadDatasetOptions;
  readonly #faults: FaultList;
  #rows = 0;
  #withoutInput = 0;
  readonly #version = new DatasetVersion();

  constructor(source: DatasetSource, options: ReadDatasetOptions = {}) {
    this.#source = source;
    this.#options = options;
    this.#faults = new FaultList(source.name);
  }

  /** What was read so far; complete once the iteration has ended. */
  counts(): DatasetCounts {
    return {
      rows: this.#rows,
      withoutInput: this.#withoutInput,
      version: this.#version.toHex(),
      warnings: this.#faults.warnings(),
    };
  }

  /** Can be iterated once, as its bytes can. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void> {
    const { name, format = formatOfName(name), chunks } = this.#source;
    const plan = new ColumnPlan(this.#options.columns ?? {}, this.#faults);
    this.#faults.throwIfAny();
    const seen = new SeenIds();
    for await (const rawRows of readRecords(chunks, format, plan, this.#faults)) {
      for (const raw of rawRows) {
        const row = this.#toRow(raw, format !== 'rows', seen);
        if (row !== null) yield row;
      }
    }
    this.#checkEnd(plan);
    this.#faults.throwIfAny();
  }

  #toRow(raw: RawRow, nested: boolean, seen: SeenIds): Row | null {
    const faultsBefore = this.#faults.count;
    const row = normaliseRow(raw, this.#rows, nested);
    if (this.#faults.count > faultsBefore) return null;
    if (row === null) {
      this.#withoutInput += 1;
      return null;
    }
    if (this.#rows >= (this.#options.maxRows ?? MAX_ROWS)) this.#stopAtLimit(raw.line);
    this.#checkId(raw, row, seen);
    for (const fault of this.#options.checkRow?.(row) ?? []) raw.report(fault);
    if (this.#faults.count > faultsBefore) return null;
    this.#rows += 1;
    this.#version.add(row);
    return row;
  }

  #checkId(raw: RawRow, row: Row, seen: SeenIds): void {
    const before = seen.add(row.id, raw.line);
    if (before === null) return;
    const given = raw.fields.has('id');
    raw.report({
      field: 'id',
      message: given
        ? `duplicate id "${row.id}", also in line ${before}`
        : `duplicate input, also in line ${before}: both rows get the id "${row.id}"`,
      fix: given ? 'give each row an id of its own' : 'remove one, or give the rows ids',
    });
  }

  #checkEnd(plan: ColumnPlan): void {
    const found = `found: ${plan.namesMet().slice(0, 20).join(', ') || 'none'}`;
    for (const [field, column] of this.#rows > 0 ? plan.unseen() : []) {
      this.#faults.add({ field: `columns.${field}`, message: `no row has "${column}"`, fix: found });
    }
    if (this.#rows > 0 || this.#faults.count > 0) return;
    if (this.#withoutInput === 0) {
      this.#faults.add({ message: 'no rows', fix: 'a dataset has at least one row with an input' });
      return;
    }
    this.#faults.add({
      field: 'input',
      message: `no row has an input (${this.#withoutInput} without one; ${found})`,
      fix: 'name a column "input" (or query, question, text, task, prompt), or set columns: {input: <name>}',
    });
  }

  #stopAtLimit(line: number): never {
    const limit = (this.#options.maxRows ?? MAX_ROWS).toLocaleString('en');
    return this.#faults.stop({ line, message: `more than ${limit} rows`, fix: 'split the dataset' });
  }
}
