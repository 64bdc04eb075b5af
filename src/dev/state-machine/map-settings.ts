import type { Hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { ItemReader, MapState } from './definition.ts';
import { evaluate, evaluateAs, evaluateNumber, type Scope } from './expression.ts';
import { StateFailure } from './failure.ts';
import { type Batching, type ChildInput, checkBatchInput, childInputs } from './item-batcher.ts';
import { type ItemText, readerFailed, readItems } from './item-reader.ts';
import { MAX_PAYLOAD_BYTES } from './payload.ts';
import { mapItems, selectItem } from './run-inline.ts';
import type { ObjectStore } from './services.ts';

/** Children of one Map Run that the service runs side by side at most. */
const MAX_CHILDREN = 10_000;

/** The fields of a distributed Map after evaluation. */
export interface MapSettings {
  readonly concurrency: number;
  readonly tolerated: Tolerated;
  readonly batching: Batching | undefined;
  readonly writer: { readonly bucket: string; readonly prefix: string } | undefined;
}

interface Tolerated {
  readonly count: number | undefined;
  readonly percentage: number | undefined;
}

export async function evaluateMapSettings(state: MapState, scope: Scope): Promise<MapSettings> {
  const most = await evaluateNumber(state.MaxConcurrency ?? 0, scope, 'MaxConcurrency', { min: 0, integer: true });
  return {
    concurrency: Math.min(most || MAX_CHILDREN, MAX_CHILDREN),
    tolerated: {
      count: await number(state.ToleratedFailureCount, scope, 'ToleratedFailureCount', { min: 0, integer: true }),
      percentage: await number(state.ToleratedFailurePercentage, scope, 'ToleratedFailurePercentage', {
        min: 0,
        max: 100,
        integer: false,
      }),
    },
    batching: await evaluateBatching(state, scope),
    writer: await evaluateWriter(state, scope),
  };
}

/**
 * Whether the failures so far fail the Map. The share of failed items counts once all items are known; without
 * any tolerance, and with a tolerance of zero, the first failure is enough.
 */
export function exceedsTolerance(
  { count, percentage }: Tolerated,
  failedItems: number,
  totalItems: number | null,
): boolean {
  if (failedItems === 0) return false;
  if (count !== undefined && failedItems > count) return true;
  const share = percentage ?? (count === undefined ? 0 : 100);
  if (share === 0) return true;
  return totalItems !== null && (100 * failedItems) / totalItems > share;
}

/** Inputs of the children after the first `skip` items, from the ItemReader or the state's own items. */
export async function openChildInputs(
  state: MapState,
  scope: Scope,
  objects: ObjectStore | undefined,
  options: { readonly batching: Batching | undefined; readonly skip: number; readonly digest: Hash },
): Promise<AsyncGenerator<ChildInput>> {
  const source = await openItems(state, scope, objects);
  const select = (index: number, value: JsonValue) => {
    const item: JsonObject = { Item: { Index: index, Value: value, Source: source.name } };
    return selectItem(state, scope, item, value);
  };
  return childInputs(source.chunks, {
    skip: options.skip,
    digest: options.digest,
    maxItems: source.maxItems,
    ...(options.batching === undefined ? {} : { batching: options.batching }),
    ...(state.ItemSelector === undefined ? {} : { select }),
  });
}

interface Source {
  readonly name: string;
  readonly maxItems: number;
  readonly chunks: AsyncIterable<readonly ItemText[]>;
}

async function openItems(state: MapState, scope: Scope, objects: ObjectStore | undefined): Promise<Source> {
  if (state.ItemReader === undefined) {
    const items = await mapItems(state, scope);
    return { name: 'STATE_DATA', maxItems: Number.POSITIVE_INFINITY, chunks: asTexts(items) };
  }
  const { Bucket, Key } = state.ItemReader.Arguments;
  const bucket = await evaluateAs<string>(Bucket, scope, 'ItemReader/Arguments/Bucket', 'string');
  const key = await evaluateAs<string>(Key, scope, 'ItemReader/Arguments/Key', 'string');
  const maxItems = await evaluateMaxItems(state.ItemReader, scope);
  if (objects === undefined) throw new StateFailure('States.Runtime', 'the ItemReader has no object store');
  return {
    name: `S3://${bucket}/${key}`,
    maxItems,
    chunks: readItems(objects, state.ItemReader.ReaderConfig.InputType, bucket, key),
  };
}

async function* asTexts(items: readonly JsonValue[]): AsyncGenerator<readonly ItemText[]> {
  const step = 500;
  for (let from = 0; from < items.length; from += step) {
    yield items.slice(from, from + step).map((value) => ({ text: JSON.stringify(value), value }));
  }
}

/** Zero means all of them, as it does in the service. */
async function evaluateMaxItems(reader: ItemReader, scope: Scope): Promise<number> {
  const given = reader.ReaderConfig.MaxItems ?? 0;
  const min = Number.MIN_SAFE_INTEGER;
  const maxItems = await evaluateNumber(given, scope, 'ItemReader/ReaderConfig/MaxItems', { min, integer: true });
  if (maxItems < 0) throw readerFailed('field MaxItems must be positive');
  return maxItems === 0 ? Number.POSITIVE_INFINITY : maxItems;
}

async function evaluateBatching(state: MapState, scope: Scope): Promise<Batching | undefined> {
  const { ItemBatcher: batcher } = state;
  if (batcher === undefined) return undefined;
  const whole = { min: 1, integer: true };
  const maxItems = await number(batcher.MaxItemsPerBatch, scope, 'ItemBatcher/MaxItemsPerBatch', whole);
  const maxBytes = await number(batcher.MaxInputBytesPerBatch, scope, 'ItemBatcher/MaxInputBytesPerBatch', {
    ...whole,
    max: MAX_PAYLOAD_BYTES,
  });
  const batchInput =
    batcher.BatchInput === undefined ? undefined : await evaluate(batcher.BatchInput, scope, 'ItemBatcher/BatchInput');
  checkBatchInput(batchInput);
  return {
    maxItems: maxItems ?? Number.POSITIVE_INFINITY,
    maxBytes: maxBytes ?? MAX_PAYLOAD_BYTES,
    ...(batchInput === undefined ? {} : { batchInput }),
  };
}

async function evaluateWriter(state: MapState, scope: Scope): Promise<MapSettings['writer']> {
  const args = state.ResultWriter?.Arguments;
  if (args === undefined) return undefined;
  const bucket = await evaluateAs<string>(args.Bucket, scope, 'ResultWriter/Arguments/Bucket', 'string');
  const prefix = await evaluateAs<string>(args.Prefix ?? '', scope, 'ResultWriter/Arguments/Prefix', 'string');
  return { bucket, prefix: prefix.replace(/\/+$/, '') };
}

async function number(
  value: number | string | undefined,
  scope: Scope,
  field: string,
  bounds: { readonly min: number; readonly max?: number; readonly integer: boolean },
): Promise<number | undefined> {
  return value === undefined ? undefined : evaluateNumber(value, scope, field, bounds);
}
