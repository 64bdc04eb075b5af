import { hash } from 'node:crypto';

const WORDS_PER_SLOT = 4; // three of the id's hash, one for the line
const FIRST_SLOTS = 1024;

/**
 * Ids met so far and the line of each, in 16 bytes a slot: 96 bits of SHA-256 stand for the id.
 * Two of 10 million ids fall together with a chance of 1 in 10^15.
 */
export class SeenIds {
  #slots = new Uint32Array(FIRST_SLOTS * WORDS_PER_SLOT);
  #count = 0;

  /** Remembers an id. Returns the line where it was met before, or null. Lines count from 1. */
  add(id: string, line: number): number | null {
    if (this.#count * 2 >= this.#slots.length / WORDS_PER_SLOT) this.#grow();
    const digest = hash('sha256', id, 'buffer');
    const words = [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8)] as const;
    const at = findSlot(this.#slots, words);
    const before = this.#slots[at + 3] ?? 0;
    if (before !== 0) return before;
    writeSlot(this.#slots, at, words, line);
    this.#count += 1;
    return null;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += WORDS_PER_SLOT) {
      const line = old[at + 3] ?? 0;
      if (line === 0) continue;
      const words = [old[at] ?? 0, old[at + 1] ?? 0, old[at + 2] ?? 0] as const;
      writeSlot(this.#slots, findSlot(this.#slots, words), words, line);
    }
  }
}

type Words = readonly [number, number, number];

/** The slot that holds these words, or the free one where they belong. */
function findSlot(slots: Uint32Array, [a, b, c]: Words): number {
  const mask = slots.length / WORDS_PER_SLOT - 1;
  for (let slot = a & mask; ; slot = (slot + 1) & mask) {
    const at = slot * WORDS_PER_SLOT;
    if (slots[at + 3] === 0 || (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c)) return at;
  }
}

function writeSlot(slots: Uint32Array, at: number, [a, b, c]: Words, line: number): void {
  slots[at] = a;
  slots[at + 1] = b;
  slots[at + 2] = c;
  slots[at + 3] = line;
}
