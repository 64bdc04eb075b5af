import { datasetLine } from '../../core/dataset/dataset-version.ts';
import type { DatasetSource } from '../../core/dataset/read-dataset.ts';
import { pickRows, surveyDataset } from '../../core/dataset/survey-dataset.ts';
import type { DatasetVersion } from '../../core/schemas/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DatasetStore } from '../../ports/dataset-store.ts';
import type { Registry } from '../../ports/registry.ts';

export interface StoreDatasetPorts {
  readonly registry: Registry;
  readonly datasets: DatasetStore;
  readonly clock: Clock;
}

export interface DatasetUpload {
  readonly project: string;
  readonly dataset: string;
  readonly uploadId?: string;
  readonly columns?: Readonly<Record<string, string>>;
  /** The file, unpacked; asked for twice. */
  open(): Promise<DatasetSource>;
}

/**
 * A file of rows → a version of a dataset, named by what it holds: the same rows again are the same version. Read
 * twice, the second time into the store, so that memory does not grow with the rows and nothing invalid is stored.
 * Throws DatasetError with every fault.
 */
export async function storeDataset(
  upload: DatasetUpload,
  { registry, datasets, clock }: StoreDatasetPorts,
): Promise<{ version: DatasetVersion; isNew: boolean }> {
  const { project, dataset, uploadId } = upload;
  const options = upload.columns === undefined ? {} : { columns: upload.columns };
  const survey = await surveyDataset(await upload.open(), options);
  const newest = await registry.getDataset(project, dataset);
  const isNew = newest?.version !== survey.version;
  if (newest !== null && !isNew && uploadId === undefined) return { version: newest, isNew };
  const rows = pickRows(await upload.open(), survey, options);
  await datasets.write(project, dataset, survey.version, linesOf(rows));
  const version: DatasetVersion = {
    project,
    id: dataset,
    version: survey.version,
    status: 'ready',
    ...(uploadId === undefined ? {} : { upload_id: uploadId }),
    rows: survey.rows,
    without_input: survey.withoutInput,
    faults: [],
    // An older content that is uploaded again is the newest version from now on.
    created_at: new Date(clock.now()).toISOString(),
  };
  await registry.putDatasetVersion(version);
  return { version, isNew };
}

async function* linesOf(rows: ReturnType<typeof pickRows>): AsyncGenerator<string> {
  for await (const row of rows) yield datasetLine(row);
}
