import { DatasetError, formatFault } from '../../core/errors.ts';
import type { IngestRequest } from '../../core/schemas/ingest.ts';
import type { DatasetVersion } from '../../core/schemas/registry.ts';
import type { ByteChunks } from '../../ports/run-store.ts';
import { type StoreDatasetPorts, storeDataset } from './store-dataset.ts';

export interface IngestDatasetPorts extends StoreDatasetPorts {
  /** Gunzips what is gzip; throws DatasetError on a damaged archive and beyond the size that is taken. */
  unpack(chunks: ByteChunks, name: string): ByteChunks;
}

const MOST_FAULTS = 100;

/**
 * A complete upload → a version of its dataset, or `invalid` with its faults. Repeatable: what is settled stays, and
 * the upload goes only after that is written.
 */
export async function ingestDataset(request: IngestRequest, ports: IngestDatasetPorts): Promise<DatasetVersion> {
  const { project, dataset, upload_id } = request;
  const known = await ports.registry.getDataset(project, dataset, upload_id);
  const settled = known !== null && known.status !== 'processing' ? known : await settle(request, ports);
  await ports.datasets.deleteUpload(project, upload_id);
  return settled;
}

async function settle(request: IngestRequest, ports: IngestDatasetPorts): Promise<DatasetVersion> {
  const { project, dataset, upload_id, file_name, columns } = request;
  try {
    const { version } = await storeDataset(
      {
        project,
        dataset,
        uploadId: upload_id,
        ...(columns === undefined ? {} : { columns }),
        open: async () => ({ name: file_name, chunks: ports.unpack(await openUpload(request, ports), file_name) }),
      },
      ports,
    );
    return version;
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    const invalid: DatasetVersion = {
      project,
      id: dataset,
      version: '',
      status: 'invalid',
      upload_id,
      rows: 0,
      without_input: 0,
      faults: error.faults.slice(0, MOST_FAULTS).map((fault) => formatFault(fault).slice(0, 1_000)),
      created_at: new Date(ports.clock.now()).toISOString(),
    };
    await ports.registry.putDatasetVersion(invalid);
    return invalid;
  }
}

async function openUpload(
  { project, upload_id, file_name }: IngestRequest,
  { datasets }: IngestDatasetPorts,
): Promise<ByteChunks> {
  const chunks = await datasets.readUpload(project, upload_id);
  if (chunks !== null) return chunks;
  throw new DatasetError([{ file: file_name, message: 'the upload is gone', fix: 'upload the file again' }]);
}
