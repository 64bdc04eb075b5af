import type { DatasetFormat } from '../../../src/core/dataset/format.ts';
import { type DatasetPreview, previewDataset } from '../../../src/core/dataset/preview-dataset.ts';
import type { DatasetSource, ReadDatasetOptions } from '../../../src/core/dataset/read-dataset.ts';
import { type Fault, formatFault } from '../../../src/core/errors.ts';
import type { Row } from '../../../src/core/schemas/row.ts';

/** A dataset from text or bytes, in chunks of `size` bytes. */
export function sourceOf(name: string, body: string | Uint8Array, size = 1024, format?: DatasetFormat): DatasetSource {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return { name, ...(format === undefined ? {} : { format }), chunks: chunksOf(bytes, size) };
}

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

export function read(
  name: string,
  body: string | Uint8Array,
  options?: ReadDatasetOptions,
  size?: number,
): Promise<DatasetPreview> {
  return previewDataset(sourceOf(name, body, size), 1000, options);
}

/** The rows of a dataset without faults. */
export async function rowsOf(
  name: string,
  body: string | Uint8Array,
  options?: ReadDatasetOptions,
): Promise<readonly Row[]> {
  const { firstRows, faults } = await read(name, body, options);
  if (faults.length > 0) throw new Error(faults.map(formatFault).join('\n'));
  return firstRows;
}

/** The only row. */
export async function rowOf(record: unknown, options?: ReadDatasetOptions): Promise<Row> {
  const [row, ...more] = await rowsOf('one.jsonl', JSON.stringify(record), options);
  if (row === undefined || more.length > 0) throw new Error('expected one row');
  return row;
}

export async function faultsOf(
  name: string,
  body: string | Uint8Array,
  options?: ReadDatasetOptions,
): Promise<readonly Fault[]> {
  return (await read(name, body, options)).faults;
}

/** JSONL of one record a line. */
export function jsonl(...records: unknown[]): string {
  return records.map((record) => JSON.stringify(record)).join('\n');
}
