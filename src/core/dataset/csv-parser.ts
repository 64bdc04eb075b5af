import type { FaultList } from './fault-list.ts';
import { type CsvRecord, MAX_RECORD_LENGTH, type RecordParser } from './record-parser.ts';
import { type Delimiter, headerEnd, sniffDelimiter } from './sniff-delimiter.ts';

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
/** Waits no longer than this for the end of the header. */
const MAX_HEADER_LENGTH = 1024 * 1024;

/**
 * RFC 4180 with LF, CRLF or CR line ends. Blank lines are skipped; cells stay exactly as written.
 * A record that breaks the quoting rules is a fault with its line, and is left out.
 */
export class CsvParser implements RecordParser<CsvRecord> {
  readonly #faults: FaultList;
  #delimiter: number | null;
  /** Text before the delimiter is known. */
  #head = '';
  #state: 'cell-start' | 'plain' | 'quoted' | 'quote-seen' | 'broken' = 'cell-start';
  #afterCr = false;
  #parts: string[] = [];
  #cells: string[] = [];
  #anyQuoted = false;
  #recordLength = 0;
  #line = 1;
  #recordLine = 1;
  #quoteLine = 1;
  #records: CsvRecord[] = [];
  #header: readonly string[] | null = null;

  constructor(faults: FaultList, delimiter: Delimiter | null) {
    this.#faults = faults;
    this.#delimiter = delimiter?.charCodeAt(0) ?? null;
  }

  push(text: string): CsvRecord[] {
    if (this.#delimiter !== null) return this.#scan(text, this.#delimiter);
    this.#head += text;
    const end = headerEnd(this.#head);
    if (end === null && this.#head.length < MAX_HEADER_LENGTH) return [];
    return this.#startScan(end ?? this.#head.length);
  }

  end(): CsvRecord[] {
    const early = this.#delimiter === null ? this.#startScan(this.#head.length) : [];
    if (this.#state === 'quoted') {
      this.#faults.stop({
        line: this.#quoteLine,
        column: this.#columnName(),
        message: 'a quoted cell starts here and never ends',
        fix: 'close the quote, or write "" for a quote inside a quoted cell',
      });
    }
    if (this.#state !== 'cell-start' || this.#cells.length > 0) this.#endRecord();
    return [...early, ...this.#takeRecords()];
  }

  #startScan(headerLength: number): CsvRecord[] {
    const head = this.#head;
    this.#head = '';
    this.#delimiter = sniffDelimiter(head.slice(0, headerLength)).charCodeAt(0);
    return this.#scan(head, this.#delimiter);
  }

  #scan(text: string, delimiter: number): CsvRecord[] {
    let at = 0;
    if (this.#afterCr && text.length > 0) {
      if (text.charCodeAt(0) === LF) at = 1;
      this.#afterCr = false;
    }
    while (at < text.length) {
      if (this.#state === 'quoted') at = this.#scanQuoted(text, at);
      else if (this.#state === 'plain') at = this.#scanPlain(text, at, delimiter);
      else at = this.#step(text, at, delimiter);
    }
    if (this.#recordLength > MAX_RECORD_LENGTH) {
      this.#faults.stop({
        line: this.#recordLine,
        message: 'a row is longer than 64 million characters',
        fix: 'look for a quote that is never closed',
      });
    }
    return this.#takeRecords();
  }

  /** One character in a state where every character decides. */
  #step(text: string, at: number, delimiter: number): number {
    const code = text.charCodeAt(at);
    const state = this.#state;
    if (state === 'quote-seen' && code === QUOTE) {
      this.#parts.push('"');
      this.#state = 'quoted';
      return at + 1;
    }
    if (code === LF || code === CR) return this.#lineBreak(text, at);
    if (state === 'broken') return at + 1;
    if (code === delimiter) {
      this.#endCell();
      return at + 1;
    }
    if (state === 'quote-seen') {
      this.#break('text after the closing quote of a cell');
      return at + 1;
    }
    if (code === QUOTE) {
      this.#state = 'quoted';
      this.#anyQuoted = true;
      this.#quoteLine = this.#line;
      return at + 1;
    }
    this.#state = 'plain';
    return at;
  }

  #scanPlain(text: string, start: number, delimiter: number): number {
    let at = start;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === delimiter || code === LF || code === CR) break;
      // A quote further on in a cell stands for itself, as in `the "Logs" tab`; after blanks it was meant to open.
      if (code === QUOTE && delimiter !== TAB && this.#isBlankBefore(text, start, at)) {
        this.#break('blanks before the opening quote of a cell');
        return at + 1;
      }
    }
    this.#addPart(text.slice(start, at));
    if (at === text.length) return at;
    if (text.charCodeAt(at) !== delimiter) return this.#lineBreak(text, at);
    this.#endCell();
    return at + 1;
  }

  #isBlankBefore(text: string, start: number, at: number): boolean {
    return this.#parts.every((part) => part.trim() === '') && text.slice(start, at).trim() === '';
  }

  #scanQuoted(text: string, start: number): number {
    const quote = text.indexOf('"', start);
    const end = quote === -1 ? text.length : quote;
    for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) this.#line += 1;
    this.#addPart(text.slice(start, end));
    if (quote === -1) return end;
    this.#state = 'quote-seen';
    return end + 1;
  }

  #addPart(part: string): void {
    if (part !== '') this.#parts.push(part);
    this.#recordLength += part.length;
  }

  #endCell(): void {
    this.#cells.push(this.#parts.length === 1 ? (this.#parts[0] ?? '') : this.#parts.join(''));
    this.#parts = [];
    this.#state = 'cell-start';
  }

  #lineBreak(text: string, at: number): number {
    this.#endRecord();
    this.#line += 1;
    this.#recordLine = this.#line;
    if (text.charCodeAt(at) === LF) return at + 1;
    if (at + 1 === text.length) this.#afterCr = true;
    return text.charCodeAt(at + 1) === LF ? at + 2 : at + 1;
  }

  #endRecord(): void {
    const broken = this.#state === 'broken';
    this.#endCell();
    const cells = this.#cells;
    const blank = cells.length === 1 && !this.#anyQuoted && cells[0]?.trim() === '';
    if (!broken && !blank) {
      this.#records.push({ line: this.#recordLine, cells });
      this.#header ??= cells;
    }
    this.#cells = [];
    this.#anyQuoted = false;
    this.#recordLength = 0;
  }

  #break(message: string): void {
    this.#faults.add({
      line: this.#line,
      column: this.#columnName(),
      message,
      fix: 'put the whole cell in quotes, nothing around them, and write "" for each quote inside it',
    });
    this.#parts = [];
    this.#state = 'broken';
  }

  #columnName(): string {
    const index = this.#cells.length;
    return this.#header?.[index]?.trim() || String(index + 1);
  }

  #takeRecords(): CsvRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }
}
