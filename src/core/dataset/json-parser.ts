import type { JsonValue } from '../json.ts';
import type { FaultList } from './fault-list.ts';
import { JsonValueReader } from './json-value-reader.ts';
import { duplicateKey, parseJsonAt } from './parse-json.ts';
import { type JsonRecord, MAX_RECORD_LENGTH, type RecordParser } from './record-parser.ts';

type Place = 'top' | 'list' | 'object' | 'rows';
type Expected = 'value' | 'value-or-end' | 'more' | 'key' | 'key-or-end' | 'colon';

/**
 * A list of records, `{"rows": [...]}` or a run of records one after the other, read without holding the whole.
 * Elements are cut out by brackets and quotes alone and each is checked by JSON.parse. A fault of structure ends reading.
 */
export class JsonParser implements RecordParser<JsonRecord> {
  readonly #faults: FaultList;
  #line: number;
  #place: Place = 'top';
  #expected: Expected = 'value';
  #reader: JsonValueReader | null = null;
  #key = '';
  /** Members of a top-level object, until it turns out to be a wrapper of rows. */
  #members: [string, JsonValue][] | null = null;
  #membersLength = 0;
  #objectLine = 1;
  #records: JsonRecord[] = [];

  constructor(faults: FaultList, line = 1) {
    this.#faults = faults;
    this.#line = line;
  }

  push(text: string): JsonRecord[] {
    let at = 0;
    while (at < text.length)
      at = this.#reader === null ? this.#step(text, at) : this.#readValue(text, at, this.#reader);
    return this.#takeRecords();
  }

  end(): JsonRecord[] {
    if (this.#reader !== null || this.#place !== 'top') {
      const what = this.#place === 'object' ? 'object' : 'list';
      const line = this.#reader?.line ?? this.#line;
      this.#faults.stop({
        line,
        message: `not valid JSON: the file ends inside a ${what}`,
        fix: 'is the file cut off?',
      });
    }
    return this.#takeRecords();
  }

  #step(text: string, at: number): number {
    const char = text[at] ?? '';
    if (char === '\n') this.#line += 1;
    if (char === '\n' || char === ' ' || char === '\r' || char === '\t') return at + 1;
    if (this.#place === 'top') return this.#stepTop(char, at);
    const expected = this.#expected;
    const closer = this.#place === 'object' ? '}' : ']';
    if (char === closer && (expected === 'more' || expected === 'value-or-end' || expected === 'key-or-end')) {
      this.#close();
    } else if (expected === 'more') {
      if (char !== ',') this.#unexpected(char, `"," or "${closer}"`);
      this.#expected = closer === '}' ? 'key' : 'value';
    } else if (expected === 'colon') {
      if (char !== ':') this.#unexpected(char, '":"');
      this.#expected = 'value';
    } else if ((expected === 'key' || expected === 'key-or-end') && char !== '"') {
      this.#unexpected(char, 'a key in double quotes');
    } else if (expected === 'value' && this.#place === 'object' && this.#key === 'rows' && char === '[') {
      this.#place = 'rows';
      this.#expected = 'value-or-end';
      this.#members = null;
    } else {
      if (char === closer || char === ',' || char === ':') this.#unexpected(char, 'a value');
      this.#reader = new JsonValueReader(this.#line);
      return at; // the value's first character is the reader's
    }
    return at + 1;
  }

  #stepTop(char: string, at: number): number {
    if (char !== '[' && char !== '{') this.#unexpected(char, 'a list of rows or {"rows": [...]}');
    this.#place = char === '[' ? 'list' : 'object';
    this.#expected = char === '[' ? 'value-or-end' : 'key-or-end';
    this.#objectLine = this.#line;
    this.#members = char === '[' ? null : [];
    this.#membersLength = 0;
    return at + 1;
  }

  #close(): void {
    if (this.#place === 'object' && this.#members !== null && !this.#hasKeyTwice(this.#members)) {
      this.#records.push({ line: this.#objectLine, value: Object.fromEntries(this.#members) });
    }
    this.#place = this.#place === 'rows' ? 'object' : 'top';
    this.#expected = this.#place === 'top' ? 'value' : 'more';
  }

  #hasKeyTwice(members: readonly [string, JsonValue][]): boolean {
    const seen = new Set<string>();
    const twice = members.find(([key]) => seen.size === seen.add(key).size);
    if (twice !== undefined) this.#faults.add({ line: this.#objectLine, ...duplicateKey(twice[0]) });
    return twice !== undefined;
  }

  #readValue(text: string, start: number, reader: JsonValueReader): number {
    const end = reader.read(text, start);
    if (reader.length > MAX_RECORD_LENGTH) {
      this.#faults.stop({ line: reader.line, message: 'a value is longer than 64 million characters' });
    }
    if (!reader.done) return end;
    this.#reader = null;
    this.#line += reader.lineFeeds;
    const parsed = parseJsonAt(reader.text(), reader.line, this.#faults);
    if (this.#expected === 'key' || this.#expected === 'key-or-end') {
      this.#key = typeof parsed?.value === 'string' ? parsed.value : '';
      this.#expected = 'colon';
      return end;
    }
    this.#expected = 'more';
    if (parsed !== null) this.#keep(parsed.value, reader);
    return end;
  }

  #keep(value: JsonValue, reader: JsonValueReader): void {
    if (this.#place !== 'object') this.#records.push({ line: reader.line, value });
    if (this.#members === null) return;
    this.#members.push([this.#key, value]);
    this.#membersLength += reader.length;
    if (this.#membersLength > MAX_RECORD_LENGTH) {
      this.#faults.stop({
        line: this.#objectLine,
        message: 'an object of more than 64 million characters without a list named "rows"',
        fix: 'write a list of rows, or {"rows": [...]}',
      });
    }
  }

  #unexpected(found: string, expected: string): never {
    return this.#faults.stop({
      line: this.#line,
      message: `not valid JSON: expected ${expected}, found ${JSON.stringify(found)}`,
    });
  }

  #takeRecords(): JsonRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }
}
