import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { DatasetSource } from '../../core/dataset/read-dataset.ts';
import { DatasetError } from '../../core/errors.ts';

const MAX_DATASET_BYTES = 10 * 1024 ** 3;
const CHUNK_BYTES = 64 * 1024; // larger ones triple the peak of memory
/** Rows that repeat each other pack to a hundredth; what unpacks to more than this was made to. */
const MOST_TIMES_PACKED = 300;
/** Below it no ratio is of any harm. */
const FREE_UNPACKED_BYTES = 8 * 1024 ** 2;

/**
 * A dataset file on this machine, gunzipped where its first bytes say so. Its chunks can be read once: open it again
 * for a second pass. Throws DatasetError when there is no such file, when it may not be read, or beyond 10 GB.
 */
export async function openDatasetFile(path: string, maxBytes = MAX_DATASET_BYTES): Promise<DatasetSource> {
  const found = await stat(path).catch((error: unknown) => failToRead(path, error));
  if (found.isDirectory()) {
    throw datasetError(path, 'this is a folder', 'name a .csv, .jsonl or .json file in it');
  }
  if (found.size > maxBytes) throw tooLarge(path, maxBytes, '');
  return { name: path, chunks: unpackDataset(readFile(path), path, maxBytes) };
}

/**
 * Chunks of a dataset, gunzipped when they start with gzip's mark, whatever the name says.
 * Throws DatasetError on a damaged archive, once more than `maxBytes` have come out, and on one that unpacks to more than
 * 300 times its size.
 */
export async function* unpackDataset(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes = MAX_DATASET_BYTES,
): AsyncGenerator<Uint8Array, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  const head = await readHead(iterator);
  const read = { bytes: 0 };
  const all = counted(joinChunks(head, iterator), read);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  let bytes = 0;
  for await (const chunk of isGzip ? gunzip(all, name) : all) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(name, maxBytes, isGzip ? ' unpacked' : '');
    if (isGzip && bytes > FREE_UNPACKED_BYTES && bytes > read.bytes * MOST_TIMES_PACKED) {
      throw datasetError(name, `unpacks to more than ${MOST_TIMES_PACKED} times its size`, 'send it unpacked');
    }
    yield chunk;
  }
}

async function* counted(chunks: AsyncIterable<Uint8Array>, read: { bytes: number }): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    read.bytes += chunk.length;
    yield chunk;
  }
}

async function* readFile(path: string): AsyncGenerator<Uint8Array, void> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;
  } catch (error) {
    failToRead(path, error);
  }
}

/** At least two bytes, if there are. */
async function readHead(iterator: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < 2) {
    const next = await iterator.next();
    if (next.done === true) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return head;
}

async function* joinChunks(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.(); // closes the file when reading stops early
  }
}

async function* gunzip(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array, void> {
  const unpacked = Readable.from(chunks, { objectMode: false }).on('error', (error) => unpacker.destroy(error));
  const unpacker = createGunzip({ chunkSize: CHUNK_BYTES });
  try {
    yield* unpacked.pipe(unpacker) as AsyncIterable<Buffer>;
  } catch (error) {
    if (!isErrorWithCode(error) || !error.code.startsWith('Z_')) throw error;
    throw datasetError(name, `the gzip file is damaged or cut off (${error.message})`, 'pack it again');
  } finally {
    unpacked.destroy();
  }
}

const READ_FAULTS: Readonly<Record<string, readonly [message: string, fix: string]>> = {
  ENOENT: ['no such file', 'check the path; it is relative to the eval file or the current folder'],
  ENOTDIR: ['no such file', 'check the path'],
  EACCES: ['this file may not be read', 'change its permissions'],
  EPERM: ['this file may not be read', 'change its permissions'],
  EISDIR: ['this is a folder', 'name a .csv, .jsonl or .json file in it'],
};

function failToRead(path: string, error: unknown): never {
  if (error instanceof DatasetError || !isErrorWithCode(error)) throw error;
  const [message, fix] = READ_FAULTS[error.code] ?? [`cannot be read (${error.code})`, 'check the path'];
  throw datasetError(path, message, fix);
}

function isErrorWithCode(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

function tooLarge(name: string, maxBytes: number, unpacked: string): DatasetError {
  const limit = maxBytes >= 1024 ** 3 ? `${maxBytes / 1024 ** 3} GB` : `${maxBytes} bytes`;
  return datasetError(name, `larger than ${limit}${unpacked}`, 'split the dataset');
}

function datasetError(file: string, message: string, fix: string): DatasetError {
  return new DatasetError([{ file, message, fix }]);
}
