import type { JsonValue } from '../json.ts';

/** One record of a CSV file; the first is the header. */
export interface CsvRecord {
  /** Line where it starts. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** One value of a JSONL file, or one element of a JSON list. */
export interface JsonRecord {
  readonly line: number;
  readonly value: JsonValue;
}

/** Text goes in piece by piece, cut anywhere; the records that are whole by then come out. */
export interface RecordParser<R> {
  push(text: string): R[];
  end(): R[];
}

/** A record that grows beyond this (in UTF-16 units) is a quote or bracket that never closes. */
export const MAX_RECORD_LENGTH = 64 * 1024 * 1024;
