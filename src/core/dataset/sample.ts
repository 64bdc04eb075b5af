import { hash } from 'node:crypto';

/**
 * Chooses the `size` rows with the lowest SHA-256 of seed + line feed + row id: the same rows every time,
 * and stable when other rows are added. Holds no more than `size` entries.
 */
export class RowSample {
  readonly #size: number;
  readonly #prefix: string;
  /** A heap whose first entry is the highest hash kept. */
  readonly #heap: { hash: string; index: number }[] = [];

  constructor(size: number, seed: string) {
    this.#size = size;
    this.#prefix = `${seed}\n`;
  }

  offer(rowId: string, index: number): void {
    const entry = { hash: hash('sha256', this.#prefix + rowId, 'hex'), index };
    const highest = this.#heap[0];
    if (this.#heap.length < this.#size) {
      this.#heap.push(entry);
      this.#siftUp(this.#heap.length - 1);
    } else if (highest !== undefined && entry.hash < highest.hash) {
      this.#heap[0] = entry;
      this.#siftDown();
    }
  }

  /** Indexes of the chosen rows, ascending. */
  indexes(): Uint32Array {
    return Uint32Array.from(this.#heap, (entry) => entry.index).sort();
  }

  #siftUp(start: number): void {
    for (let at = start; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (this.#hashAt(parent) >= this.#hashAt(at)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #siftDown(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = this.#hashAt(left + 1) > this.#hashAt(left) ? left + 1 : left;
      if (this.#hashAt(child) <= this.#hashAt(at)) return;
      this.#swap(at, child);
      at = child;
    }
  }

  /** Empty text, below every hash, where there is no entry. */
  #hashAt(at: number): string {
    return this.#heap[at]?.hash ?? '';
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#heap[a], this.#heap[b]];
    if (first === undefined || second === undefined) return;
    this.#heap[a] = second;
    this.#heap[b] = first;
  }
}
