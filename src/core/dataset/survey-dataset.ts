import { DatasetError } from '../errors.ts';
import type { Row } from '../schemas/row.ts';
import { type DatasetCounts, DatasetReader, type DatasetSource, type ReadDatasetOptions } from './read-dataset.ts';
import { RowSample } from './sample.ts';

export interface SurveyOptions extends ReadDatasetOptions {
  /** Rows to pick; absent: all. */
  readonly sampleSize?: number;
  /** Decides which rows a sample holds. */
  readonly sampleSeed?: string;
}

export interface DatasetSurvey extends DatasetCounts {
  /** Indexes of the rows to run, ascending; null means every row. */
  readonly picked: Uint32Array | null;
}

/** First pass: reads the whole dataset, throws DatasetError with everything that is wrong, picks the rows to run. */
export async function surveyDataset(source: DatasetSource, options: SurveyOptions = {}): Promise<DatasetSurvey> {
  const { sampleSize, sampleSeed = '' } = options;
  const sample = sampleSize === undefined ? null : new RowSample(sampleSize, sampleSeed);
  const reader = new DatasetReader(source, options);
  for await (const row of reader) sample?.offer(row.id, row.index);
  return { ...reader.counts(), picked: sample?.indexes() ?? null };
}

/**
 * Second pass: the picked rows in file order, `index` counting them from 0. `source` is the same dataset, opened again.
 * Throws DatasetError at the end when it is not what was surveyed.
 */
export async function* pickRows(
  source: DatasetSource,
  survey: DatasetSurvey,
  options: Pick<ReadDatasetOptions, 'columns'> = {},
): AsyncGenerator<Row, void> {
  const reader = new DatasetReader(source, options);
  let picked = 0;
  for await (const row of reader) {
    if (survey.picked !== null && survey.picked[picked] !== row.index) continue;
    yield { ...row, index: picked };
    picked += 1;
  }
  if (reader.counts().version === survey.version) return;
  throw new DatasetError([{ file: source.name, message: 'the dataset changed while it was read', fix: 'run again' }]);
}
