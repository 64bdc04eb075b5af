import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { parseHiveType } from '../../analytics/hive-type.ts';
import { parquetSchema, parquetValue } from '../../analytics/parquet-columns.ts';
import type { Column } from '../../analytics/tables.ts';

/** Text of a row group before it is encoded, in UTF-16 units: what has to be held as objects at once. */
const GROUP_CHARACTERS = 32 * 1024 * 1024;
/** Readers skip and parallelise by row group; a group of many thousand short rows costs them both. */
const GROUP_ROWS = 50_000;

/**
 * JSON lines of one table → one Parquet file (ZSTD), a row group at a time. Half a surrogate pair, which UTF-8 cannot
 * hold, becomes U+FFFD; all else is kept.
 */
export class ParquetFile {
  readonly #columns: readonly { readonly name: string; convert(value: unknown): unknown }[];
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  #group: unknown[][];
  #groupCharacters = 0;
  #rows = 0;

  constructor(columns: readonly Column[]) {
    this.#columns = columns.map(({ name, type }) => ({ name, convert: parquetValue(parseHiveType(type)) }));
    this.#group = columns.map(() => []);
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: parquetSchema(columns),
      codec: 'ZSTD',
      compressors: { ZSTD: (input) => zstdCompressSync(input) },
      createdBy: 'assay',
    });
  }

  /** Rows so far. */
  get rows(): number {
    return this.#rows;
  }

  /** Size of what is encoded so far, in bytes. */
  get encodedBytes(): number {
    return this.#bytes.offset;
  }

  /** Throws SyntaxError where the line is no JSON, TypeError where a value is of another type than its column. */
  add(line: string): void {
    const row = JSON.parse(line) as Record<string, unknown>;
    for (const [position, { name, convert }] of this.#columns.entries()) {
      this.#group[position]?.push(convert(row[name]));
    }
    this.#rows += 1;
    this.#groupCharacters += line.length;
    if (this.#groupCharacters >= GROUP_CHARACTERS || (this.#group[0]?.length ?? 0) >= GROUP_ROWS) this.#endGroup();
  }

  /** The whole file; nothing can be added afterwards. */
  finish(): Uint8Array {
    this.#endGroup();
    this.#writer.finish();
    return this.#bytes.getBytes();
  }

  #endGroup(): void {
    const rowGroupSize = this.#group[0]?.length ?? 0;
    if (rowGroupSize === 0) return;
    const columnData = this.#columns.map(({ name }, position) => ({ name, data: this.#group[position] ?? [] }));
    this.#writer.write({ columnData, rowGroupSize });
    this.#group = this.#columns.map(() => []);
    this.#groupCharacters = 0;
  }
}
