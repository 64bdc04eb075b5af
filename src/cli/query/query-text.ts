import type { NamedQuery } from '../../analytics/named-query.ts';
import { ConfigError } from '../../core/errors.ts';
import { nearestName } from '../../core/nearest.ts';

/** The query of that name, or SQL as it stands. Throws ConfigError with the nearest name. */
export function findQuery(text: string, queries: readonly NamedQuery[]): NamedQuery {
  const named = queries.find(({ name }) => name === text || name === text.replaceAll('-', '_'));
  if (named !== undefined) return named;
  if (/^\s*(--[^\n]*\n\s*)*(select|with)\s/i.test(text))
    return { name: 'sql', description: '', parameters: [], sql: text };
  const nearest = nearestName(
    text,
    queries.map(({ name }) => name),
  );
  const fix =
    nearest === undefined
      ? 'assay query --list shows them; SQL begins with SELECT or WITH'
      : `did you mean ${nearest}?`;
  throw new ConfigError([{ message: `there is no query "${text}"`, fix }]);
}

export function listQueries(queries: readonly NamedQuery[]): string {
  const width = Math.max(...queries.map(({ name }) => name.length));
  const lines = queries.map(({ name, description, parameters }) => {
    const asked = [...new Set(parameters.map((parameter) => parameter.name))].join(', ');
    return `${name.padEnd(width)}  ${description}\n${' '.repeat(width)}  takes ${asked}`;
  });
  return `${lines.join('\n')}\n`;
}
