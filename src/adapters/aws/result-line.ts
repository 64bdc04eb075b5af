import { gunzipSync } from 'node:zlib';
import { StorageError } from '../../core/errors.ts';
import { packResult, unpackResult } from '../../core/packed-result.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import { RowResultSchema } from '../../core/schemas/result.ts';
import { finiteJson } from './packed-json.ts';

/** Columns of a result line, in order: fixed, lower-case snake_case names, scalars first, what reads the text columns last. */
const LINE_COLUMNS = [...RowResultSchema.keyof().options, 'json_columns'] as const;

/** Line separators that JSON leaves as they are and that some readers split at. */
const OTHER_LINE_BREAKS = /[\u0085\u2028\u2029]/g;

/** One physical line, its line feed included. Throws RangeError on NaN and infinities. */
export function resultLine(result: RowResult): string {
  const packed = packResult(result);
  const columns = LINE_COLUMNS.map((column) => [column, packed[column]]);
  const json = finiteJson(Object.fromEntries(columns));
  return physicalLine(json);
}

/** JSON texts, each as one line whatever reads it. */
export async function* physicalLines(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  for await (const json of texts) yield physicalLine(json);
}

function physicalLine(json: string): string {
  return `${json.replace(OTHER_LINE_BREAKS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

/** Results of a part, gzip or not read yet. `name` is for the error. */
export function readPart(name: string, gzipped: Uint8Array): RowResult[] {
  let lines: string[];
  try {
    lines = gunzipSync(gzipped).toString('utf8').split('\n');
  } catch (error) {
    throw new StorageError(`${name} is damaged: it is no complete gzip file`, { cause: error });
  }
  return lines.filter((line) => line !== '').map((line, index) => parseResult(`${name} line ${index + 1}`, line));
}

function parseResult(place: string, line: string): RowResult {
  let content: unknown;
  try {
    content = unpackResult(JSON.parse(line) as RowResult);
  } catch (error) {
    throw new StorageError(`${place} is damaged: it is no JSON`, { cause: error });
  }
  const parsed = RowResultSchema.safeParse(content);
  if (!parsed.success) throw new StorageError(`${place} is no result: ${parsed.error.message}`);
  return parsed.data;
}
