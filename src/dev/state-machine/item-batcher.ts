import type { Hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { StateFailure } from './failure.ts';
import { type ItemText, readerFailed } from './item-reader.ts';
import { checkPayload, jsonBytes, knowBytes, MAX_PAYLOAD_BYTES } from './payload.ts';

/** The input of one child and the items it was made of. */
export interface ChildInput {
  readonly input: JsonValue;
  readonly itemCount: number;
  /** The items as they were read, for the digest that a redrive checks. */
  readonly texts: readonly string[];
}

export interface Batching {
  readonly maxItems: number;
  readonly maxBytes: number;
  /** Shared by all batches; absent when there is none. */
  readonly batchInput?: JsonValue;
}

interface ChildInputOptions {
  /** Items at the front that belong to children already; they go into `digest` only. */
  readonly skip: number;
  readonly digest: Hash;
  /** Items read at most. */
  readonly maxItems: number;
  /** Absent: an item is a child. */
  readonly batching?: Batching;
  /** What the ItemSelector makes of an item; absent: the item itself. */
  readonly select?: (index: number, value: JsonValue) => Promise<JsonValue>;
}

/** Cuts the items into children's inputs, each within the payload limit, in order and without gaps. */
export async function* childInputs(
  chunks: AsyncIterable<readonly ItemText[]>,
  options: ChildInputOptions,
): AsyncGenerator<ChildInput> {
  const batch = new Batch(options.batching);
  let index = -1;
  reading: for await (const chunk of chunks) {
    for (const item of chunk) {
      index += 1;
      if (index < options.skip) {
        options.digest.update(item.text);
      } else {
        const value = item.value as JsonValue;
        const selected = options.select === undefined ? value : await options.select(index, value);
        const bytes = jsonBytes(selected);
        if (!batch.fits(bytes)) yield batch.take();
        batch.add(selected, bytes, item.text);
        if (batch.full) yield batch.take();
      }
      if (index + 1 >= options.maxItems) break reading;
    }
  }
  if (index + 1 < options.skip) throw readerFailed(`there were ${options.skip} items before, now only ${index + 1}`);
  if (!batch.empty) yield batch.take();
}

class Batch {
  private readonly limits: Batching | undefined;
  /** Bytes of a batch without items. */
  private readonly frame: number;
  private items: JsonValue[] = [];
  private texts: string[] = [];
  private bytes: number;

  constructor(limits: Batching | undefined) {
    this.limits = limits;
    this.frame = limits === undefined ? 0 : jsonBytes(this.wrap([]));
    this.bytes = this.frame;
  }

  get empty(): boolean {
    return this.items.length === 0;
  }

  get full(): boolean {
    return this.items.length >= (this.limits?.maxItems ?? 1);
  }

  /** An item too large for any batch fits an empty one, where `add` refuses it. */
  fits(bytes: number): boolean {
    return this.empty || this.bytes + 1 + bytes <= this.maxBytes;
  }

  add(item: JsonValue, bytes: number, text: string): void {
    this.bytes += bytes + (this.empty ? 0 : 1);
    if (this.bytes > this.maxBytes) {
      const cause = `An item makes a child's input of ${this.bytes} bytes, more than ${this.maxBytes}.`;
      throw new StateFailure('States.DataLimitExceeded', cause);
    }
    this.items.push(item);
    this.texts.push(text);
  }

  take(): ChildInput {
    const { items, texts, bytes } = this;
    this.items = [];
    this.texts = [];
    this.bytes = this.frame;
    const input = this.limits === undefined ? (items[0] as JsonValue) : this.wrap(items);
    knowBytes(input, bytes);
    return { input, itemCount: items.length, texts };
  }

  private get maxBytes(): number {
    return this.limits?.maxBytes ?? MAX_PAYLOAD_BYTES;
  }

  private wrap(Items: JsonValue[]): JsonObject {
    const BatchInput = this.limits?.batchInput;
    return BatchInput === undefined ? { Items } : { BatchInput, Items };
  }
}

/** BatchInput alone must leave room for items. */
export function checkBatchInput(batchInput: JsonValue | undefined): void {
  if (batchInput !== undefined) checkPayload(batchInput, 'The Map was given a BatchInput');
}
