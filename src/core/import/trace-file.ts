import { DatasetError, type Fault } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { tracesFromSpans } from '../trajectory/from-spans.ts';
import { isSpanRecord } from '../trajectory/read-spans.ts';
import { readTrace } from '../trajectory/read-trace.ts';
import { rowFromTrace } from './trace-row.ts';

export interface ImportedTraces {
  readonly rows: readonly JsonObject[];
  /** Traces that made no row, and what is odd about those that did; for people. */
  readonly notes: readonly string[];
}

/**
 * A file of traces: JSON lines, a JSON list or one JSON value; each a trace in steps, a list of messages, or spans,
 * which belong together by their trace id wherever they stand. Throws DatasetError where it cannot be read.
 */
export function importTraces(text: string, file: string): ImportedTraces {
  const records = readRecords(text, file);
  const rows = new Map<string, JsonObject>();
  const notes: string[] = [];
  const faults: Fault[] = [];
  const add = (where: string, trace: Parameters<typeof rowFromTrace>[0], meta: JsonObject) => {
    const made = rowFromTrace(trace, meta);
    if ('skipped' in made) notes.push(`${where}: left out, ${made.skipped}`);
    else if (rows.has(String(made.row.id))) notes.push(`${where}: left out, the same trace stands there before`);
    else rows.set(String(made.row.id), made.row);
    if ('warnings' in made) notes.push(...made.warnings.map((warning) => `${where}: ${warning}`));
  };
  const spans = records.filter(({ value }) => isSpanRecord(value));
  for (const { traceId, ...trace } of tracesFromSpans(spans.map(({ value }) => value))) {
    add(`trace ${traceId}`, trace, {});
  }
  for (const { value, line } of records) {
    if (isSpanRecord(value)) continue;
    const trace = readTrace(value);
    const where = `line ${line}`;
    if (trace === null || 'fault' in trace) {
      const message = trace === null ? 'is no trace: neither steps, messages nor spans' : trace.fault;
      faults.push({ file, line, message });
    } else add(where, trace, metaOf(value));
  }
  if (faults.length > 0) throw new DatasetError(faults);
  return { rows: [...rows.values()], notes };
}

function metaOf(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) return {};
  return isJsonObject(value.metadata) ? { ...value, ...value.metadata } : value;
}

interface FileRecord {
  readonly value: JsonValue;
  readonly line: number;
}

function readRecords(text: string, file: string): readonly FileRecord[] {
  const plain = text.replace(/^\uFEFF/, '');
  try {
    const value = JSON.parse(plain) as JsonValue;
    // One list is many traces, unless it is the messages or steps of one.
    const isMany =
      Array.isArray(value) && (isSpanRecord(value) || value.some((item) => Array.isArray(item) || hasTrace(item)));
    return isMany ? (value as JsonValue[]).map((item) => ({ value: item, line: 1 })) : [{ value, line: 1 }];
  } catch {
    return readLines(plain, file);
  }
}

const hasTrace = (item: JsonValue): boolean =>
  isJsonObject(item) && ['steps', 'messages', 'trajectory', 'resourceSpans'].some((key) => item[key] !== undefined);

function readLines(text: string, file: string): readonly FileRecord[] {
  const records: FileRecord[] = [];
  const faults: Fault[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      records.push({ value: JSON.parse(line) as JsonValue, line: index + 1 });
    } catch (error) {
      faults.push({ file, line: index + 1, message: `not valid JSON: ${(error as Error).message}` });
    }
  }
  if (faults.length > 0) throw new DatasetError(faults.slice(0, 20));
  return records;
}
