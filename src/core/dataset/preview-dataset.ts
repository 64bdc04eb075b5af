import { DatasetError, type Fault } from '../errors.ts';
import type { Row } from '../schemas/row.ts';
import { type DatasetCounts, DatasetReader, type DatasetSource, type ReadDatasetOptions } from './read-dataset.ts';

export interface DatasetPreview extends DatasetCounts {
  /** The first rows, normalised. */
  readonly firstRows: readonly Row[];
  /** Empty: the dataset can be run. */
  readonly faults: readonly Fault[];
}

/** Reads a whole dataset for a person to look at; faults are values here. */
export async function previewDataset(
  source: DatasetSource,
  rowCount: number,
  options: ReadDatasetOptions = {},
): Promise<DatasetPreview> {
  const reader = new DatasetReader(source, options);
  const firstRows: Row[] = [];
  let faults: readonly Fault[] = [];
  try {
    for await (const row of reader) if (firstRows.length < rowCount) firstRows.push(row);
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    faults = error.faults;
  }
  return { ...reader.counts(), firstRows, faults };
}
