import middy from '@middy/core';
import { IngestRequestSchema } from '../../src/core/schemas/ingest.ts';
import { type IngestDatasetPorts, ingestDataset } from '../../src/use-cases/manage/ingest-dataset.ts';
import { log } from '../shared/log.ts';

/** An upload in, a dataset version out. Failures of infrastructure propagate: Lambda tries again, then the queue has it. */
export const createHandler = (ports: IngestDatasetPorts) =>
  middy().handler(async (event: unknown) => {
    const request = IngestRequestSchema.parse(event);
    const { status, version, rows, faults } = await ingestDataset(request, ports);
    const { project, dataset, upload_id } = request;
    log.info('dataset ingested', { project, dataset, upload_id, status, version, rows, faults: faults.length });
    return { status, version, rows };
  });
