/** `rows`: JSONL that Assay wrote itself, aliases and nested forms resolved already. */
export type DatasetFormat = 'csv' | 'tsv' | 'jsonl' | 'json' | 'rows';

const FORMAT_OF_EXTENSION: ReadonlyMap<string, DatasetFormat> = new Map([
  ['csv', 'csv'],
  ['tsv', 'tsv'],
  ['jsonl', 'jsonl'],
  ['ndjson', 'jsonl'],
  ['json', 'json'],
]);

/** Format by file name, `.gz` set aside; null when the name does not tell. */
export function formatOfName(name: string): DatasetFormat | null {
  const extension = /\.([a-z]+)$/i.exec(name.replace(/\.gz$/i, ''))?.[1];
  return FORMAT_OF_EXTENSION.get(extension?.toLowerCase() ?? '') ?? null;
}

/** Format by the first character that is not white space. The JSON scanner reads a run of objects too. */
export function sniffFormat(start: string): DatasetFormat {
  return /^\s*[[{]/.test(start) ? 'json' : 'csv';
}
