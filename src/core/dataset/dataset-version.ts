import { createHash } from 'node:crypto';
import { canonicalJson } from '../json.ts';
import type { Row } from '../schemas/row.ts';

const BATCH_LENGTH = 64 * 1024;

/** A row as a stored dataset holds it: RFC 8785 JSON without its index, and a line feed. */
export function datasetLine(row: Row): string {
  return `${canonicalJson({ ...row, index: undefined })}\n`;
}

/** Names a dataset by what it holds: SHA-256 over the lines of its normalised rows, in lower-case hex. */
export class DatasetVersion {
  readonly #hash = createHash('sha256');
  #pending = '';

  add(row: Row): void {
    this.#pending += datasetLine(row);
    if (this.#pending.length >= BATCH_LENGTH) this.#flush();
  }

  toHex(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }

  #flush(): void {
    this.#hash.update(this.#pending, 'utf8');
    this.#pending = '';
  }
}
