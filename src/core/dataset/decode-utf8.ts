import { isUtf8 } from 'node:buffer';
import type { FaultList } from './fault-list.ts';

const LINE_FEED = 0x0a;

/**
 * Bytes to text, strictly: a byte that is not UTF-8 is a fault that names its line, never U+FFFD.
 * A byte-order mark is dropped. Pieces end between characters, anywhere in a line.
 */
export async function* decodeUtf8(chunks: AsyncIterable<Uint8Array>, faults: FaultList): AsyncGenerator<string> {
  let linesBefore = 0;
  let carry: Uint8Array = new Uint8Array(0);
  let first = true;
  for await (const chunk of chunks) {
    const bytes = carry.length > 0 ? Buffer.concat([carry, chunk]) : chunk;
    const end = lastCharacterEnd(bytes);
    // Three bytes first, so that a byte-order mark cut in pieces is seen whole.
    if (first && end < 3) {
      carry = bytes;
      continue;
    }
    carry = bytes.subarray(end).slice();
    yield decode(bytes.subarray(0, end), linesBefore, faults, first);
    first = false;
    linesBefore += countLineFeeds(bytes, end);
  }
  if (carry.length > 0) yield decode(carry, linesBefore, faults, first);
}

function decode(bytes: Uint8Array, linesBefore: number, faults: FaultList, first: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: !first }).decode(bytes);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    const line = linesBefore + firstBadLine(bytes);
    return faults.stop({ line, message: `not valid UTF-8${guess(bytes, first)}`, fix: 'save the file as UTF-8' });
  }
}

/** Where the last whole character ends; a cut one is at most three bytes. Broken ends are left for the decoder. */
function lastCharacterEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue; // a continuation byte: its lead stands further left
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Bisects, since a text is valid up to its first fault. A character still open at a cut is no fault of the part before. */
function firstBadLine(bytes: Uint8Array): number {
  let valid = 0;
  let end = bytes.length;
  while (end - valid > 1) {
    const middle = (valid + end) >>> 1;
    const part = bytes.subarray(0, middle);
    if (isUtf8(part.subarray(0, lastCharacterEnd(part)))) valid = middle;
    else end = middle;
  }
  return 1 + countLineFeeds(bytes, valid);
}

function countLineFeeds(bytes: Uint8Array, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1 && at < end; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

function guess(bytes: Uint8Array, first: boolean): string {
  if (!first) return '';
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return ' (this is UTF-16)';
  if (a === 0x50 && b === 0x4b) return ' (this is a zip or Excel file; export the sheet as CSV)';
  return '';
}
