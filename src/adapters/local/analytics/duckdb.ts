import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DUCKDB_MACROS, duckDbType } from '../../../analytics/duckdb-dialect.ts';
import { PARTITION, TABLES, type Table } from '../../../analytics/tables.ts';
import { ConfigError, StorageError } from '../../../core/errors.ts';
import { type LocalTables, mendedCopies, type TableFiles } from './table-files.ts';

const PACKAGE: string = '@duckdb/node-api';
/** DuckDB's own limit for a line is 16 MB; an agent's trajectory can be longer. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

export type QueryRow = Readonly<Record<string, unknown>>;

export interface QueryResult {
  readonly columns: readonly string[];
  readonly rows: readonly QueryRow[];
}

/** Runs one query over the tables. Throws ConfigError where the SQL or a parameter is wrong, or DuckDB is not installed. */
export async function runQuery(sql: string, parameters: readonly string[], tables: LocalTables): Promise<QueryResult> {
  const { DuckDBInstance } = await loadDuckDb();
  try {
    return await attempt(DuckDBInstance, sql, parameters, tables, {});
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (/Malformed JSON/.test(error.message)) return attemptMended(DuckDBInstance, sql, parameters, tables, error);
    if (/maximum_object_size/.test(error.message))
      return attempt(DuckDBInstance, sql, parameters, tables, { maximum_object_size: LONGEST_LINE_BYTES });
    throw readable(error);
  }
}

type DuckDb = Pick<typeof import('@duckdb/node-api'), 'DuckDBInstance'>;
type Instance = DuckDb['DuckDBInstance'];

async function loadDuckDb(): Promise<DuckDb> {
  try {
    return (await import(PACKAGE)) as DuckDb;
  } catch {
    const fix = `npm install ${PACKAGE}; it is an optional package of some 70 MB`;
    throw new ConfigError([{ message: 'assay query needs DuckDB, which is not installed here', fix }]);
  }
}

async function attemptMended(
  instance: Instance,
  sql: string,
  parameters: readonly string[],
  tables: LocalTables,
  fault: Error,
): Promise<QueryResult> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-query-'));
  try {
    const mended = {
      ...tables,
      row_results: await mendedCopies(tables.row_results, folder),
      row_outcomes: await mendedCopies(tables.row_outcomes, folder),
    };
    return await attempt(instance, sql, parameters, mended, { maximum_object_size: LONGEST_LINE_BYTES });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // What could not be mended is told of the file itself, not of its copy.
    throw readable(/Malformed JSON/.test(error.message) ? fault : error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function attempt(
  instance: Instance,
  sql: string,
  parameters: readonly string[],
  tables: LocalTables,
  reading: Readonly<Record<string, number>>,
): Promise<QueryResult> {
  const database = await instance.create(':memory:', { autoinstall_known_extensions: 'false' });
  try {
    const connection = await database.connect();
    for (const macro of DUCKDB_MACROS) await connection.run(macro);
    for (const table of TABLES)
      await connection.run(viewOf(table, tables[table.name as keyof LocalTables] as TableFiles, reading));
    const answer = await connection.runAndReadAll(sql, [...parameters]);
    return { columns: answer.columnNames(), rows: answer.getRowObjectsJS().map(plainNumbers) };
  } finally {
    database.closeSync();
  }
}

/** The table as Athena shows it, its partition last. */
function viewOf({ name, columns }: Table, files: TableFiles, reading: Readonly<Record<string, number>>): string {
  const names = columns.map((column) => `"${column.name}"`).join(', ');
  const types = columns.map((column) => `"${column.name}": ${quoted(duckDbType(column.type))}`).join(', ');
  const options = Object.entries(reading).map(([option, value]) => `, ${option} = ${value}`);
  const sources = (['plain', 'gzip'] as const)
    .filter((kind) => files[kind].length > 0)
    .map((kind) => {
      const list = files[kind].map(quoted).join(', ');
      const compression = kind === 'gzip' ? 'gzip' : 'uncompressed';
      return `SELECT ${names} FROM read_json([${list}], format = 'newline_delimited', compression = '${compression}', columns = {${types}}${options.join('')})`;
    });
  if (files.parquet !== undefined && files.parquet.length > 0)
    sources.push(`SELECT ${names} FROM read_parquet([${files.parquet.map(quoted).join(', ')}])`);
  const empty = `SELECT ${columns.map((column) => `CAST(NULL AS ${duckDbType(column.type)}) AS "${column.name}"`).join(', ')} WHERE false`;
  const all = sources.length === 0 ? empty : sources.join(' UNION ALL ');
  return `CREATE VIEW "${name}" AS SELECT *, substr(started_at, 1, 10) AS "${PARTITION.name}" FROM (${all})`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Whole numbers as numbers: counts and tokens stay far below what a double holds. */
function plainNumbers(row: Readonly<Record<string, unknown>>): QueryRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  );
}

/** DuckDB says what kind of error it is in the first words of its message. */
function readable(error: Error): Error {
  const [first = ''] = error.message.split('\n', 1);
  if (/IO Error|Malformed JSON/.test(first))
    return new StorageError(`results cannot be read: ${first}`, { cause: error });
  const isItsOwn = /(^|: )[A-Z][A-Za-z ]* Error: /.test(first);
  return isItsOwn ? new ConfigError([{ message: `the query does not work: ${error.message}` }]) : error;
}
