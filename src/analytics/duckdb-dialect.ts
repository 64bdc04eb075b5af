import { type HiveType, parseHiveType } from './hive-type.ts';

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

/** A Hive type, such as `map<string,array<double>>`, as DuckDB writes it. Throws TypeError for one it does not know. */
export function duckDbType(hiveType: string): string {
  return typeName(parseHiveType(hiveType));
}

function typeName(type: HiveType): string {
  switch (type.kind) {
    case 'string':
      return 'VARCHAR';
    case 'array':
      return `${typeName(type.element)}[]`;
    case 'map':
      return `MAP(VARCHAR, ${typeName(type.value)})`;
    case 'struct':
      return `STRUCT(${type.fields.map(([name, field]) => `"${name}" ${typeName(field)}`).join(', ')})`;
    default:
      return type.kind.toUpperCase();
  }
}
