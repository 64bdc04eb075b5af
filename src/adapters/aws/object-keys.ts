import { StorageError } from '../../core/errors.ts';

/**
 * Keys of the one bucket:
 * - `datasets/<project>/<dataset>/<version>.jsonl`
 * - `uploads/<project>/<upload>/…` (expire)
 * - `runs/<project>/<run>/<file>`
 * - `results/dt=<UTC date>/project=<project>/run=<run>/part-<first row, 8 digits>.jsonl.gz` (the Athena table)
 * - `tables/<table>/dt=<UTC date>/<run>.jsonl.gz` (further Athena tables)
 * - `parquet/dt=<UTC date>/project=<project>/run=<run>/<first part>-<last part>.parquet` (large runs once more)
 * - `compacting/<project>/<run>/…` (the same while they are made; expire)
 */
export const objectKeys = {
  datasets: (project: string, dataset: string): string => `datasets/${segment(project)}/${segment(dataset)}/`,
  dataset: (project: string, dataset: string, version: string): string =>
    `${objectKeys.datasets(project, dataset)}${segment(version)}.jsonl`,
  upload: (project: string, uploadId: string): string => `uploads/${segment(project)}/${segment(uploadId)}/`,
  uploadPart: (project: string, uploadId: string, part: number): string =>
    `${objectKeys.upload(project, uploadId)}part-${String(part).padStart(5, '0')}`,
  runFile: (project: string, runId: string, file: string): string =>
    `runs/${segment(project)}/${segment(runId)}/${file}`,
  results: (run: { project: string; runId: string; startedAt: string }): string =>
    `results/dt=${utcDate(run.startedAt)}/project=${segment(run.project)}/run=${segment(run.runId)}/`,
  parquet: (run: { project: string; runId: string; startedAt: string }): string =>
    `parquet/dt=${utcDate(run.startedAt)}/project=${segment(run.project)}/run=${segment(run.runId)}/`,
  compacting: (run: { project: string; runId: string }): string =>
    `compacting/${segment(run.project)}/${segment(run.runId)}/`,
  table: (table: string, run: { runId: string; startedAt: string }): string =>
    `tables/${segment(table)}/dt=${utcDate(run.startedAt)}/${segment(run.runId)}.jsonl.gz`,
};

export function partName(firstIndex: number): string {
  if (!Number.isSafeInteger(firstIndex) || firstIndex < 0 || firstIndex > 99_999_999) {
    throw new RangeError(`${firstIndex} is not the number of a row`);
  }
  return `part-${String(firstIndex).padStart(8, '0')}.jsonl.gz`;
}

/** First row of the part that a key names. Throws RangeError where it names none. */
export function partNumber(key: string): number {
  const found = /\/part-(\d{8})\.jsonl\.gz$/.exec(key);
  if (found === null) throw new RangeError(`${key} is no part of results`);
  return Number(found[1]);
}

/** UTC date of an ISO time in any zone, as the partitions are named. */
export function utcDate(isoTime: string): string {
  const time = new Date(isoTime);
  if (Number.isNaN(time.getTime())) throw new RangeError(`"${isoTime}" is not an ISO time`);
  return time.toISOString().slice(0, 10);
}

/** An id becomes a folder: what could leave it never reaches the store. */
function segment(id: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)) {
    throw new StorageError(`${JSON.stringify(id)} cannot be part of an object's key`);
  }
  return id;
}
