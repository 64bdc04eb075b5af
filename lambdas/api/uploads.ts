import * as z from 'zod';
import { completeUpload, openUpload } from '../../src/use-cases/manage/dataset-uploads.ts';
import { findProject } from '../../src/use-cases/manage/put-project.ts';
import { parseJsonBody } from '../shared/http-body.ts';
import { jsonResponse } from '../shared/http-response.ts';
import { datasetIdOf } from './dataset-id.ts';
import { toView } from './datasets.ts';
import { projectParameter, qualifiedId } from './parameters.ts';
import type { ApiOperation } from './ports.ts';

const PART_BYTES = 8 * 1024 * 1024;

export const NewUploadSchema = z.strictObject({
  /** Name of the dataset, or of its file: the ending tells the format. */
  name: z.string().min(1).max(300),
  size: z.number(),
});
export const CompletedUploadSchema = z.strictObject({ columns: z.record(z.string(), z.string()).optional() });

export const openUploadOperation: ApiOperation = async (request, ports) => {
  const { id: project } = await findProject(projectParameter(request, 'project'), ports);
  const { name, size } = parseJsonBody(request, NewUploadSchema);
  const dataset = datasetIdOf(name);
  const { uploadId, partUrls } = await openUpload({ project, dataset, fileName: name, sizeBytes: size }, ports);
  return jsonResponse(201, {
    upload_id: uploadId,
    dataset: qualifiedId(project, dataset),
    part_bytes: PART_BYTES,
    parts: partUrls.map((url, index) => ({ number: index + 1, url })),
    complete_url: `/api/datasets/project/${project}/uploads/${uploadId}/complete`,
  });
};

export const completeUploadOperation: ApiOperation = async (request, ports) => {
  const { id: project } = await findProject(projectParameter(request, 'project'), ports);
  const { columns } = parseJsonBody(request, CompletedUploadSchema);
  const uploadId = request.parameters.uploadId ?? '';
  const version = await completeUpload({ project, uploadId, ...(columns === undefined ? {} : { columns }) }, ports);
  const view = toView(version);
  return jsonResponse(202, { ...view, status_url: `/api/datasets/${view.id}` });
};
