import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { StorageError } from '../../core/errors.ts';

const PLAIN_UP_TO_BYTES = 4 * 1024;
/** An item may have 400 KB, keys and other attributes included. */
const LARGEST_BYTES = 350 * 1024;

/**
 * Any JSON as one attribute: text while it is small, else gzip. As text inside an item it keeps what the item format
 * would lose or refuse (deep nesting, empty names, numbers beyond 38 digits) and needs no conversion.
 * Throws StorageError when it is too large even packed, RangeError on NaN and infinities.
 */
export function packJson(what: string, value: unknown): string | Uint8Array {
  const text = finiteJson(value);
  if (Buffer.byteLength(text) <= PLAIN_UP_TO_BYTES) return text;
  const packed = gzipSync(text);
  if (packed.byteLength > LARGEST_BYTES) {
    throw new StorageError(
      `${what} is too large to store: ${packed.byteLength} bytes packed, at most ${LARGEST_BYTES} fit`,
    );
  }
  return packed;
}

export function unpackJson(packed: unknown): unknown {
  if (typeof packed === 'string') return JSON.parse(packed);
  if (packed instanceof Uint8Array) return JSON.parse(gunzipSync(packed).toString('utf8'));
  throw new StorageError('a stored item lacks its content');
}

/** What an item's `body` holds. Throws StorageError where it is not what this version of Assay stores. */
export function readStored<S extends z.ZodType>(
  schema: S,
  item: { readonly pk: string; readonly sk: string; readonly body?: unknown },
): z.output<S> {
  const parsed = schema.safeParse(unpackJson(item.body));
  if (parsed.success) return parsed.data;
  throw new StorageError(`the stored item ${item.pk} / ${item.sk} does not fit: ${z.prettifyError(parsed.error)}`);
}

/** JSON.stringify that refuses what it would silently turn into null. */
export function finiteJson(value: unknown): string {
  return JSON.stringify(value, (key, member: unknown) => {
    if (typeof member === 'number' && !Number.isFinite(member)) {
      throw new RangeError(`${key === '' ? 'the value' : `"${key}"`} is ${member}, which is not JSON`);
    }
    return member;
  });
}
