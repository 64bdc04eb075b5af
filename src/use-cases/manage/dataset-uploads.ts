import { formatOfName } from '../../core/dataset/format.ts';
import type { DatasetVersion } from '../../core/schemas/registry.ts';
import { ID_PATTERN } from '../../core/schemas/target-config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DatasetIngestion } from '../../ports/dataset-ingestion.ts';
import type { DatasetStore } from '../../ports/dataset-store.ts';
import type { Registry } from '../../ports/registry.ts';
import { NotFoundError } from './errors.ts';

export interface DatasetUploadPorts {
  readonly registry: Registry;
  readonly datasets: DatasetStore;
  readonly ingestion: DatasetIngestion;
  readonly clock: Clock;
  randomBytes(count: number): Uint8Array;
}

/** An upload's id holds its dataset, so that completing it needs no record of an upload that may never come. */
const UPLOAD_ID_PATTERN = /^([a-z0-9][a-z0-9-]{0,62})\.(csv|tsv|jsonl|json|any)\.[0-9a-f]{32}$/;

/** Opens an upload in parts of 8 MiB. Throws DatasetError on a size that is none or too large. */
export async function openUpload(
  request: { project: string; dataset: string; fileName: string; sizeBytes: number },
  { datasets, randomBytes }: DatasetUploadPorts,
): Promise<{ uploadId: string; partUrls: readonly string[] }> {
  const format = formatOfName(request.fileName) ?? 'any';
  const uploadId = `${request.dataset}.${format}.${Buffer.from(randomBytes(16)).toString('hex')}`;
  const { partUrls } = await datasets.openUpload(request.project, uploadId, request.sizeBytes);
  return { uploadId, partUrls };
}

/**
 * All parts are sent: the file is read from here on without the sender. Asked again, it tells how far that is.
 * Throws DatasetError that names missing parts, NotFoundError.
 */
export async function completeUpload(
  request: { project: string; uploadId: string; columns?: Readonly<Record<string, string>> },
  ports: DatasetUploadPorts,
): Promise<DatasetVersion> {
  const { project, uploadId } = request;
  const { dataset, format } = readUploadId(uploadId);
  const known = await ports.registry.getDataset(project, dataset, uploadId);
  if (known !== null && known.status !== 'processing') return known;
  await ports.datasets.completeUpload(project, uploadId);
  const processing: DatasetVersion = known ?? {
    project,
    id: dataset,
    version: '',
    status: 'processing',
    upload_id: uploadId,
    rows: 0,
    without_input: 0,
    faults: [],
    created_at: new Date(ports.clock.now()).toISOString(),
  };
  if (known === null) await ports.registry.putDatasetVersion(processing);
  await ports.ingestion.start({
    project,
    dataset,
    upload_id: uploadId,
    file_name: format === 'any' ? dataset : `${dataset}.${format}`,
    ...(request.columns === undefined ? {} : { columns: { ...request.columns } }),
  });
  return processing;
}

function readUploadId(uploadId: string): { dataset: string; format: string } {
  const [, dataset = '', format = ''] = UPLOAD_ID_PATTERN.exec(uploadId) ?? [];
  if (!ID_PATTERN.test(dataset)) throw new NotFoundError('there is no such upload');
  return { dataset, format };
}
