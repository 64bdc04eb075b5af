import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ByteChunks } from '../../ports/run-store.ts';
import type { S3Objects } from './s3-objects.ts';

const CHUNK_BYTES = 256 * 1024;

/** Lines of a stored part; `open` where its bytes are at hand already. Throws StorageError on a damaged archive. */
export async function* unpackedPart(
  objects: S3Objects,
  key: string,
  open: () => Promise<ByteChunks | Iterable<Uint8Array>> = () => existingPart(objects, key),
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(await open());
  const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
  source.on('error', (error) => unpacked.destroy(error));
  try {
    for await (const chunk of source.pipe(unpacked)) yield chunk as Uint8Array;
  } catch (error) {
    throw objects.failed('read', key, error);
  } finally {
    source.destroy();
  }
}

/** Throws StorageError where a part that was listed is not there any more. */
export async function existingPart(objects: S3Objects, key: string): Promise<ByteChunks> {
  const chunks = await objects.read(key);
  if (chunks === null) throw objects.failed('read', key, new Error('the part has vanished'));
  return chunks;
}
