import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { JsonValue } from '../../core/json.ts';
import type { ItemReader } from './definition.ts';
import { StateFailure } from './failure.ts';
import type { ObjectStore } from './services.ts';

/** An item as JSON text; `value` where it was parsed already. */
export interface ItemText {
  readonly text: string;
  readonly value?: JsonValue;
}

/** Items the service reads up to this size. */
const MAX_ITEM_BYTES = 8 * 1024 * 1024;

/** Items of an S3 object in chunks; JSONL is never held as a whole. Throws States.ItemReaderFailed. */
export async function* readItems(
  store: ObjectStore,
  inputType: ItemReader['ReaderConfig']['InputType'],
  bucket: string,
  key: string,
): AsyncGenerator<readonly ItemText[]> {
  const place = `s3://${bucket}/${key}`;
  try {
    const texts = decode(uncompressed(store.getObject(bucket, key)));
    yield* inputType === 'JSONL' ? jsonLines(texts, place) : jsonArray(texts, place);
  } catch (error) {
    if (error instanceof StateFailure) throw error;
    throw readerFailed(`${place}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function readerFailed(cause: string): StateFailure {
  return new StateFailure('States.ItemReaderFailed', cause);
}

async function* jsonLines(texts: AsyncIterable<string>, place: string): AsyncGenerator<ItemText[]> {
  let line = 0;
  const items = (lines: readonly string[]): ItemText[] => {
    const found: ItemText[] = [];
    for (const text of lines) {
      line += 1;
      if (text.trim() !== '') found.push({ text, value: parseLine(text, line, place) });
    }
    return found;
  };
  // The line that is not at its end yet, in pieces: joined once, however small the reads are.
  let pieces: string[] = [];
  let length = 0;
  for await (const text of texts) {
    const [head = '', ...lines] = text.split('\n');
    pieces.push(head);
    length += head.length;
    if (length > MAX_ITEM_BYTES) throw readerFailed(`${place}, line ${line + 1}: longer than ${MAX_ITEM_BYTES} bytes`);
    const rest = lines.pop();
    if (rest === undefined) continue;
    const found = items([pieces.join(''), ...lines]);
    pieces = [rest];
    length = rest.length;
    if (found.length > 0) yield found;
  }
  const last = items([pieces.join('')]);
  if (last.length > 0) yield last;
}

function parseLine(text: string, line: number, place: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw readerFailed(`${place}, line ${line}: ${(error as Error).message}`);
  }
}

async function* jsonArray(texts: AsyncIterable<string>, place: string): AsyncGenerator<ItemText[]> {
  let whole = '';
  for await (const text of texts) whole += text;
  const value = parseLine(whole, 1, place);
  if (!Array.isArray(value)) throw readerFailed('Attempting to map over non-iterable node.');
  if (value.length > 0) yield value.map((item) => ({ text: JSON.stringify(item), value: item }));
}

async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** gzip by its first bytes, whatever the object is called: JSON never starts with them. */
async function* uncompressed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let ended = false;
  while (head.length < 4 && !ended) {
    const { done, value } = await iterator.next();
    ended = done === true;
    if (!ended) head = Buffer.concat([head, value as Uint8Array]);
  }
  if (head.length >= 4 && head.readUInt32BE(0) === 0x28b52ffd)
    throw readerFailed('zstd is not supported locally: use gzip or plain text');
  const all = resumed(head, iterator, ended);
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* all;
    return;
  }
  const source = Readable.from(all, { objectMode: false });
  // pipeline hands faults of the source on and closes both when the reader stops early.
  yield* pipeline(source, createGunzip(), () => {}) as AsyncIterable<Uint8Array>;
}

async function* resumed(
  head: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
  ended: boolean,
): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    while (!ended) {
      const { done, value } = await iterator.next();
      if (done === true) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
