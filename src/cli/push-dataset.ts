import { open, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { DatasetError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { ApiError, type DeployedClient } from './deployed-client.ts';
import { pollUntil } from './poll-until.ts';
import type { PlannedDataset } from './push-plan.ts';

/** Larger files are sent in parts, past the API. */
const FORM_BYTES = 4 * 1024 * 1024;
const PART_ATTEMPTS = 4;
const POLL_MS = 500;
const LONGEST_POLL_MS = 5_000;
const DEADLINE_MS = 20 * 60_000;

/** Sends a dataset file and waits until it can be run. Throws DatasetError with its faults, ApiError. */
export async function pushDataset(client: DeployedClient, project: string, dataset: PlannedDataset): Promise<void> {
  const { size } = await stat(dataset.path);
  if (size <= FORM_BYTES) await sendForm(client, project, dataset);
  else await sendParts(client, project, dataset, size);
}

async function sendForm(client: DeployedClient, project: string, dataset: PlannedDataset): Promise<void> {
  const form = new FormData();
  form.set('name', dataset.name);
  if (Object.keys(dataset.columns).length > 0) form.set('columns', JSON.stringify(dataset.columns));
  form.set('file', new Blob([await readFile(dataset.path)]), basename(dataset.path));
  await client.manage({ method: 'POST', path: `/api/datasets/project/${project}`, form });
}

async function sendParts(
  client: DeployedClient,
  project: string,
  dataset: PlannedDataset,
  size: number,
): Promise<void> {
  const path = `/api/datasets/project/${project}/uploads`;
  const name = dataset.name + ending(dataset.path);
  const upload = await client.manage({ method: 'POST', path, json: { name, size } });
  const partBytes = Number(upload.part_bytes);
  const parts = Array.isArray(upload.parts) ? upload.parts.filter(isJsonObject) : [];
  const file = await open(dataset.path);
  try {
    for (const [index, part] of parts.entries()) {
      const bytes = Buffer.alloc(Math.min(partBytes, size - index * partBytes));
      await file.read(bytes, 0, bytes.byteLength, index * partBytes);
      await putPart(String(part.url), bytes);
    }
  } finally {
    await file.close();
  }
  const columns: JsonObject = Object.keys(dataset.columns).length > 0 ? { columns: { ...dataset.columns } } : {};
  await client.manage({ method: 'POST', path: String(upload.complete_url), json: columns });
  await untilReady(client, project, dataset, String(upload.upload_id));
}

/** The ending tells the format, `.gz` included. */
function ending(path: string): string {
  return /(\.[A-Za-z0-9]+)?(\.gz)?$/i.exec(basename(path))?.[0]?.toLowerCase() ?? '';
}

async function putPart(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await fetch(url, { method: 'PUT', body: bytes }).catch((error: unknown) => error);
    if (reply instanceof Response && reply.ok) {
      await reply.body?.cancel();
      return;
    }
    const passing = !(reply instanceof Response) || reply.status >= 500 || reply.status === 429;
    if (!passing || attempt === PART_ATTEMPTS) {
      const why = reply instanceof Response ? `HTTP ${reply.status}` : String(reply);
      throw new ApiError(
        `a part of the dataset was not taken: ${why}`,
        reply instanceof Response ? reply.status : null,
      );
    }
    await sleep(POLL_MS * 2 ** attempt);
  }
}

async function untilReady(
  client: DeployedClient,
  project: string,
  dataset: PlannedDataset,
  uploadId: string,
): Promise<void> {
  const ask = async () => {
    const found = await client.find(`/api/datasets/${project}.${dataset.name}`);
    const versions = Array.isArray(found?.versions) ? found.versions.filter(isJsonObject) : [];
    const version = versions.find((candidate) => candidate.upload_id === uploadId);
    if (version?.status === 'invalid') throw invalid(dataset, version);
    return version?.status === 'ready' ? version : null;
  };
  const late = () => new ApiError(`${dataset.path} is still being read after 20 minutes`, null);
  await pollUntil(ask, { firstWaitMs: POLL_MS, longestWaitMs: LONGEST_POLL_MS, deadlineMs: DEADLINE_MS, late });
}

function invalid(dataset: PlannedDataset, version: JsonObject): DatasetError {
  const faults = Array.isArray(version.faults) ? version.faults.map(String) : [];
  return new DatasetError(faults.map((message) => ({ file: dataset.path, message })));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
