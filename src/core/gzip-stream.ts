import { pipeline, Readable, type Transform } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';

type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** Chunks packed as gzip. What their source throws is thrown to whoever reads them. */
export function gzipped(chunks: Chunks): Readable {
  return through(chunks, createGzip());
}

/** The other way round. Throws zlib's errors for what is no gzip. */
export function gunzipped(chunks: Chunks): Readable {
  return through(chunks, createGunzip());
}

/** `a.pipe(b)` would leave b waiting and end the whole process when a fails: nobody listens to a. */
function through(chunks: Chunks, packer: Transform): Readable {
  pipeline(Readable.from(chunks), packer, () => {
    // The failure is the packer's by now, and its reader's.
  });
  return packer;
}
