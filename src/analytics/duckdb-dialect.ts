/** Functions of Trino that DuckDB spells otherwise, for the named queries and a few that people reach for first. */
export const DUCKDB_MACROS: readonly string[] = [
  'CREATE MACRO cardinality(list) AS len(list)',
  'CREATE MACRO sequence(first, last) AS generate_series(first, last)',
  'CREATE MACRO approx_percentile(x, share) AS quantile_disc(x, share)',
  'CREATE MACRO approx_distinct(x) AS approx_count_distinct(x)',
  'CREATE MACRO json_extract_scalar(json, path) AS json_extract_string(json, path)',
  'CREATE MACRO from_iso8601_timestamp(text) AS CAST(text AS TIMESTAMP)',
  'CREATE MACRO date_parse(text, format) AS strptime(text, format)',
  'CREATE MACRO regexp_like(text, pattern) AS regexp_matches(text, pattern)',
  'CREATE MACRO array_join(list, separator) AS array_to_string(list, separator)',
];

const SCALARS: Readonly<Record<string, string>> = {
  string: 'VARCHAR',
  bigint: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
};

/** A Hive type, such as `map<string,array<double>>`, as DuckDB writes it. Throws RangeError for one it does not know. */
export function duckDbType(hiveType: string): string {
  const nested = /^(array|map|struct)<(.*)>$/.exec(hiveType);
  if (nested === null) {
    const scalar = SCALARS[hiveType];
    if (scalar === undefined) throw new RangeError(`no type of DuckDB for ${hiveType}`);
    return scalar;
  }
  const parts = splitParts(nested[2] ?? '');
  if (nested[1] === 'array') return `${duckDbType(parts.join(','))}[]`;
  if (nested[1] === 'map') return `MAP(${parts.map(duckDbType).join(', ')})`;
  const fields = parts.map((part) => {
    const colon = part.indexOf(':');
    return `"${part.slice(0, colon)}" ${duckDbType(part.slice(colon + 1))}`;
  });
  return `STRUCT(${fields.join(', ')})`;
}

/** Cut at the commas that stand outside of any <…>. */
function splitParts(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const [position, character] of [...text].entries()) {
    if (character === '<') depth += 1;
    if (character === '>') depth -= 1;
    if (character !== ',' || depth > 0) continue;
    parts.push(text.slice(start, position));
    start = position + 1;
  }
  return [...parts, text.slice(start)];
}
