import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** A span of OpenTelemetry, whichever exporter wrote it down. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly attributes: JsonObject;
  /** Milliseconds since the epoch; null when the record does not say. */
  readonly startMs: number | null;
  readonly endMs: number | null;
  /** Why it failed; null when it did not. */
  readonly error: string | null;
}

/** OTLP JSON (`resourceSpans`), or a list of spans. */
export function isSpanRecord(value: JsonValue): boolean {
  if (isJsonObject(value)) return Array.isArray(value.resourceSpans) || isSpan(value);
  return Array.isArray(value) && value.length > 0 && value.every((item) => isJsonObject(item) && isSpanRecord(item));
}

/** All spans of a record. */
export function spansOf(value: JsonValue): readonly Span[] {
  if (Array.isArray(value)) return value.flatMap(spansOf);
  if (!isJsonObject(value)) return [];
  if (!Array.isArray(value.resourceSpans)) return isSpan(value) ? [readSpan(value)] : [];
  return value.resourceSpans.flatMap((resource) =>
    listOf(resource, ['scopeSpans', 'instrumentationLibrarySpans']).flatMap((scope) =>
      listOf(scope, ['spans']).flatMap((span) => (isJsonObject(span) ? [readSpan(span)] : [])),
    ),
  );
}

function isSpan(value: JsonObject): boolean {
  const hasId = value.spanId !== undefined || value.span_id !== undefined || isJsonObject(value.context);
  return hasId && value.attributes !== undefined && typeof value.name === 'string';
}

function readSpan(span: JsonObject): Span {
  const context = isJsonObject(span.context) ? span.context : {};
  const text = (...values: (JsonValue | undefined)[]) =>
    values.find((value) => typeof value === 'string' && value !== '');
  return {
    traceId: String(text(span.traceId, span.trace_id, context.trace_id, context.traceId) ?? ''),
    spanId: String(text(span.spanId, span.span_id, context.span_id, context.spanId) ?? ''),
    parentId: (text(span.parentSpanId, span.parent_span_id, span.parent_id) as string | undefined) ?? null,
    name: typeof span.name === 'string' ? span.name : '',
    attributes: readAttributes(span.attributes),
    startMs: timeOf(span.startTimeUnixNano ?? span.start_time_unix_nano ?? span.start_time ?? span.startTime),
    endMs: timeOf(span.endTimeUnixNano ?? span.end_time_unix_nano ?? span.end_time ?? span.endTime),
    error: errorOf(span),
  };
}

/** A plain object, or OTLP's list of `{key, value: {stringValue: …}}`. */
function readAttributes(attributes: JsonValue | undefined): JsonObject {
  if (isJsonObject(attributes)) return attributes;
  if (!Array.isArray(attributes)) return {};
  return Object.fromEntries(
    attributes.flatMap((entry): [string, JsonValue][] =>
      isJsonObject(entry) && typeof entry.key === 'string' ? [[entry.key, anyValue(entry.value ?? null)]] : [],
    ),
  );
}

function anyValue(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  if (value.stringValue !== undefined) return value.stringValue;
  if (value.boolValue !== undefined) return value.boolValue;
  if (value.intValue !== undefined) return Number(value.intValue);
  if (value.doubleValue !== undefined) return value.doubleValue;
  if (isJsonObject(value.arrayValue)) return listOf(value.arrayValue, ['values']).map(anyValue);
  return isJsonObject(value.kvlistValue) ? readAttributes(value.kvlistValue.values) : null;
}

function listOf(value: JsonValue | undefined, keys: readonly string[]): readonly JsonValue[] {
  if (!isJsonObject(value)) return [];
  for (const key of keys) if (Array.isArray(value[key])) return value[key];
  return [];
}

/** Nanoseconds as OTLP writes them, or an ISO time. */
function timeOf(value: JsonValue | undefined): number | null {
  if (typeof value === 'string' && !/^\d+$/.test(value)) {
    const ms = Date.parse(value);
    return Number.isNaN(ms) ? null : ms;
  }
  const nanoseconds = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isFinite(nanoseconds) && nanoseconds > 0 ? nanoseconds / 1e6 : null;
}

function errorOf({ status, attributes }: JsonObject): string | null {
  const { code, status_code, message, description } = isJsonObject(status) ? status : {};
  const isError = [2, 'ERROR', 'STATUS_CODE_ERROR'].some((word) => word === code || word === status_code);
  const type = readAttributes(attributes)['error.type'];
  if (!isError && type === undefined) return null;
  const why = [message, description, type].find((text) => typeof text === 'string' && text !== '');
  return typeof why === 'string' ? why : 'failed';
}
