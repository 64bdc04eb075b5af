const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LF = 0x0a;

/** Cuts one JSON value out of text that comes in pieces, by brackets and quotes alone. */
export class JsonValueReader {
  /** Line where the value starts. */
  readonly line: number;
  length = 0;
  lineFeeds = 0;
  done = false;
  #parts: string[] = [];
  #kind: 'container' | 'string' | 'scalar' | null = null;
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(line: number) {
    this.line = line;
  }

  /** Reads on from `start`; returns where the value ends, or the length of the text while it has not ended. */
  read(text: string, start: number): number {
    this.#kind ??= kindOf(text[start]);
    const end = this.#kind === 'scalar' ? this.#scalarEnd(text, start) : this.#closedEnd(text, start);
    this.#parts.push(text.slice(start, end));
    this.length += end - start;
    return end;
  }

  text(): string {
    return this.#parts.join('');
  }

  #scalarEnd(text: string, start: number): number {
    for (let at = start; at < text.length; at++) {
      if (' \t\r\n,]}:"[{'.includes(text[at] ?? '')) {
        this.done = true;
        return at;
      }
    }
    return text.length;
  }

  #closedEnd(text: string, start: number): number {
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#escaped) {
        this.#escaped = false;
      } else if (code === BACKSLASH) {
        this.#escaped = this.#inString;
      } else if (code === QUOTE) {
        this.#inString = !this.#inString;
        if (!this.#inString && this.#depth === 0) return this.#finish(at);
      } else if (code === LF) {
        this.lineFeeds += 1;
      } else if (!this.#inString && (code === 0x7b || code === 0x5b)) {
        this.#depth += 1;
      } else if (!this.#inString && (code === 0x7d || code === 0x5d)) {
        this.#depth -= 1;
        if (this.#depth === 0) return this.#finish(at);
      }
    }
    return text.length;
  }

  #finish(last: number): number {
    this.done = true;
    return last + 1;
  }
}

function kindOf(char: string | undefined): 'container' | 'string' | 'scalar' {
  if (char === '{' || char === '[') return 'container';
  return char === '"' ? 'string' : 'scalar';
}
