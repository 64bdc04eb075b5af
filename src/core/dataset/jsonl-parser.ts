import type { FaultList } from './fault-list.ts';
import { JsonParser } from './json-parser.ts';
import { parseJsonAt } from './parse-json.ts';
import { type JsonRecord, MAX_RECORD_LENGTH, type RecordParser } from './record-parser.ts';

/**
 * One JSON value a line; blank lines are skipped and counted. A line that is not JSON is a fault and reading goes on.
 * A file that starts with a list holds the list's elements, whatever lines it spans.
 */
export class JsonlParser implements RecordParser<JsonRecord> {
  readonly #faults: FaultList;
  #list: JsonParser | null = null;
  #started = false;
  #line = 1;
  #parts: string[] = [];
  #length = 0;

  constructor(faults: FaultList) {
    this.#faults = faults;
  }

  push(text: string): JsonRecord[] {
    if (!this.#started && /\S/.test(text)) {
      this.#started = true;
      if (text.trimStart().startsWith('[')) this.#list = new JsonParser(this.#faults, this.#line);
    }
    if (this.#list !== null) return this.#list.push(text);
    const records: JsonRecord[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#endLine(text.slice(start, end), records);
      this.#line += 1;
      start = end + 1;
    }
    this.#keep(text.slice(start));
    return records;
  }

  end(): JsonRecord[] {
    if (this.#list !== null) return this.#list.end();
    const records: JsonRecord[] = [];
    this.#endLine('', records);
    return records;
  }

  #keep(part: string): void {
    if (part === '') return;
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length > MAX_RECORD_LENGTH) {
      this.#faults.stop({ line: this.#line, message: 'a line is longer than 64 million characters' });
    }
  }

  #endLine(rest: string, records: JsonRecord[]): void {
    const line = this.#parts.length === 0 ? rest : this.#parts.join('') + rest;
    this.#parts = [];
    this.#length = 0;
    if (line.trim() === '') return;
    const parsed = parseJsonAt(line, this.#line, this.#faults);
    if (parsed !== null) records.push({ line: this.#line, value: parsed.value });
  }
}
