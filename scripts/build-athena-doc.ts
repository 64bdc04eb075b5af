/** Writes tables, queries and their results on the demo data into docs/athena.md: `node scripts/build-athena-doc.ts`. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type QueryRow, runQuery } from '../src/adapters/local/analytics/duckdb.ts';
import { findTables } from '../src/adapters/local/analytics/table-files.ts';
import { NAMED_QUERIES } from '../src/analytics/named-queries.ts';
import type { NamedQuery } from '../src/analytics/named-query.ts';
import { TABLES } from '../src/analytics/tables.ts';
import { bindParameters, type KnownRun } from '../src/cli/query/bind-parameters.ts';
import { cellText } from '../src/report/text-table.ts';
import { snippet } from '../src/report/visible-text.ts';
import { runDemo } from './athena-demo.ts';

const FILE = new URL('../docs/athena.md', import.meta.url);
const MOST_ROWS = 8;
const WIDEST_CELL = 60;

const folder = await mkdtemp(join(tmpdir(), 'assay-athena-'));
try {
  const workspace = await runDemo(folder);
  let text = await readFile(FILE, 'utf8');
  text = replaced(text, 'tables', TABLES.map(tableSection).join('\n\n'));
  const sections: string[] = [];
  for (const query of NAMED_QUERIES) sections.push(await querySection(query, workspace));
  text = replaced(text, 'queries', sections.join('\n\n'));
  await writeFile(FILE, text);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function replaced(text: string, mark: string, content: string): string {
  const [begin, end] = [`<!-- ${mark}: written by scripts/build-athena-doc.ts -->`, `<!-- end of ${mark} -->`];
  const [head, tail] = [text.indexOf(begin), text.indexOf(end)];
  if (head === -1 || tail < head) throw new Error(`docs/athena.md has no marks for ${mark}`);
  return `${text.slice(0, head + begin.length)}\n\n${content}\n\n${text.slice(tail)}`;
}

function tableSection({ name, description, prefix, format, columns }: (typeof TABLES)[number]): string {
  const head = `### \`${name}\`\n\n${description}. Under \`${prefix}/dt=…/\`.`;
  if (format === 'parquet') return `${head} It has the columns of \`row_results\`.`;
  const rows = columns.map((column) => ({ column: column.name, type: shortType(column.type), '': column.comment }));
  return `${head}\n\n${markdownTable(['column', 'type', ''], rows)}`;
}

/** A struct's fields stand in the template; here they would fill the page. */
function shortType(type: string): string {
  return type.length > 40 ? `${type.slice(0, type.indexOf('<'))}<…>` : type;
}

async function querySection(query: NamedQuery, workspace: string): Promise<string> {
  const values = bindParameters(query, new Map(), await knownRuns(workspace));
  const { columns, rows } = await answer(query.sql, values, workspace);
  const shown = rows.slice(0, MOST_ROWS);
  const more = rows.length > shown.length ? `\n\n… and ${rows.length - shown.length} more rows.` : '';
  const asked = query.parameters
    .map(({ name, comment }, i) => `\`${name}\` (${comment}) = \`${values[i]}\``)
    .join(', ');
  return [
    `### \`${query.name}\``,
    `${query.description}.`,
    `\`\`\`sql\n${query.sql.trim()}\n\`\`\``,
    `Parameters, in order: ${asked}.`,
    shown.length === 0 ? 'No rows.' : `${markdownTable(columns, shown)}${more}`,
  ].join('\n\n');
}

async function knownRuns(workspace: string): Promise<readonly KnownRun[]> {
  const sql = 'SELECT run_id, eval, project, dt, baseline_run_id FROM runs ORDER BY run_id';
  return (await answer(sql, [], workspace)).rows as unknown as KnownRun[];
}

async function answer(sql: string, values: readonly string[], workspace: string) {
  const tables = await findTables(workspace, sql, null);
  try {
    return await runQuery(sql, values, tables);
  } finally {
    await tables.dispose();
  }
}

function markdownTable(columns: readonly string[], rows: readonly QueryRow[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const body = rows.map((row) =>
    line(columns.map((column) => snippet(cellText(row[column]), WIDEST_CELL).replace(/[|<`*_\\]/g, '\\$&'))),
  );
  return [line(columns), line(columns.map(() => '---')), ...body].join('\n');
}
