import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NAMED_QUERIES } from '../../src/analytics/named-queries.ts';
import { TABLES } from '../../src/analytics/tables.ts';

const text = readFileSync(new URL('../../docs/athena.md', import.meta.url), 'utf8');

it.each(NAMED_QUERIES)('docs/athena.md shows $name as it is, with a result', ({ name, sql }) => {
  const section = text.slice(text.indexOf(`### \`${name}\``)).split('\n### ')[0] ?? '';
  expect(section, 'node scripts/build-athena-doc.ts writes it').toContain(sql.trim());
  expect(section).toMatch(/\n\| --- /);
  expect(section).not.toContain('No rows.');
});

it.each(TABLES)('docs/athena.md lists the columns of $name', ({ name, format, columns }) => {
  const section = text.slice(text.indexOf(`### \`${name}\``)).split('\n### ')[0] ?? '';
  if (format === 'parquet') return expect(section).toContain('It has the columns of `row_results`');
  for (const column of columns) expect(section).toContain(`| ${column.name.replaceAll('_', '\\_')} |`);
});
