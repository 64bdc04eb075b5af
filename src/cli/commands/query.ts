import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { runQuery } from '../../adapters/local/analytics/duckdb.ts';
import { findTables } from '../../adapters/local/analytics/table-files.ts';
import { NAMED_QUERIES } from '../../analytics/named-queries.ts';
import { ConfigError } from '../../core/errors.ts';
import { countOf } from '../../report/format.ts';
import { renderTextTable } from '../../report/text-table.ts';
import { EXIT_PASSED } from '../exit.ts';
import { parseOptions } from '../options.ts';
import { bindParameters, KNOWN_RUNS_SQL, type KnownRun, runsOf } from '../query/bind-parameters.ts';
import { findQuery, listQueries } from '../query/query-text.ts';

const HELP = `assay query <name | SQL> [--run r] [--param k=v] [--json] [--dir .assay]     ask the results on this machine
assay query --list                                                         the questions that have names

  --run <run>    the run to ask about (default: the latest that finished)
  --param k=v    a parameter of the query; those with a default may be left out
  --json         whole values, as one JSON array
  --sql          print the SQL instead of running it: Athena takes it as it is
  --dir          where runs (and the state of assay dev) lie (default .assay)

The same tables and queries are in Athena once the app is deployed: row_results, row_outcomes, runs.
It needs DuckDB, an optional package: npm install @duckdb/node-api
`;

export async function query(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    list: { type: 'boolean' },
    run: { type: 'string' },
    param: { type: 'string', multiple: true },
    json: { type: 'boolean' },
    sql: { type: 'boolean' },
    dir: { type: 'string' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  if (options.flag('list')) {
    process.stdout.write(listQueries(NAMED_QUERIES));
    return EXIT_PASSED;
  }
  const asked = findQuery(options.only('query', 'assay query --list shows those with names'), NAMED_QUERIES);
  if (options.flag('sql')) {
    process.stdout.write(`${asked.sql.trim()}\n`);
    return EXIT_PASSED;
  }
  const folder = options.text('dir') ?? '.assay';
  await checkFolder(folder);
  const given = readParams(options.list('param'), options.text('run'));
  const values =
    asked.parameters.length === 0 && given.size === 0 ? [] : bindParameters(asked, given, await knownRuns(folder));
  const tables = await findTables(folder, asked.sql, runsOf(asked, values));
  try {
    const { columns, rows } = await runQuery(asked.sql, values, tables);
    process.stdout.write(options.flag('json') ? `${JSON.stringify(rows, null, 2)}\n` : renderTextTable(columns, rows));
    if (!options.flag('json')) process.stderr.write(`${countOf(rows.length, 'row')}\n`);
    return EXIT_PASSED;
  } finally {
    await tables.dispose();
  }
}

/** A folder that never held a run would answer any question with nothing, as if nothing had been wrong. */
async function checkFolder(folder: string): Promise<void> {
  const found = await Promise.allSettled(['runs', 'dev'].map((name) => access(join(folder, name))));
  if (found.some(({ status }) => status === 'fulfilled')) return;
  throw new ConfigError([
    {
      message: `no runs in ${folder}: neither ${join(folder, 'runs')} nor ${join(folder, 'dev')} is there`,
      fix: 'name the folder that holds them with --dir (for assay dev --dir x/dev that is x), or start a run',
    },
  ]);
}

function readParams(pairs: readonly string[], run: string | undefined): ReadonlyMap<string, string> {
  const given = new Map(run === undefined ? [] : [['run', run]]);
  for (const pair of pairs) {
    const [, name, value] = /^([a-z_]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new ConfigError([
        { message: `--param "${pair}" is not name=value`, fix: 'such as --param since=2026-11-01' },
      ]);
    given.set(name, value);
  }
  return given;
}

async function knownRuns(folder: string): Promise<readonly KnownRun[]> {
  const tables = await findTables(folder, KNOWN_RUNS_SQL, []);
  try {
    return (await runQuery(KNOWN_RUNS_SQL, [], tables)).rows as unknown as KnownRun[];
  } finally {
    await tables.dispose();
  }
}
