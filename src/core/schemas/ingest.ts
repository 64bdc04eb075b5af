import * as z from 'zod';
import { IdSchema } from './target-config.ts';

/** What `ingest-dataset` is asked: an upload whose parts are all there → a version of the dataset. */
export const IngestRequestSchema = z.object({
  project: IdSchema,
  dataset: IdSchema,
  upload_id: z.string().min(1).max(128),
  /** Faults name it, and its ending tells the format. */
  file_name: z.string().min(1).max(255),
  /** Field → column, where names alone do not tell. */
  columns: z.record(z.string(), z.string()).optional(),
});
export type IngestRequest = z.infer<typeof IngestRequestSchema>;
