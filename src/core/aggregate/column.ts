/** One number for each slot, or none. Takes memory from its first number on: 8 bytes a slot. */
export class NumberColumn {
  private readonly size: number;
  private numbers: Float64Array | null = null;

  constructor(size: number) {
    this.size = size;
  }

  set(slot: number, value: number | null): void {
    if (value === null && this.numbers === null) return;
    this.numbers ??= new Float64Array(this.size).fill(Number.NaN);
    this.numbers[slot] = value ?? Number.NaN;
  }

  /** NaN where there is none. */
  get(slot: number): number {
    return this.numbers?.[slot] ?? Number.NaN;
  }

  /** Sum of what is there, in slot order, whatever order it came in. */
  sum(from = 0, step = 1, width = 1): number {
    const { numbers } = this;
    if (numbers === null) return 0;
    let total = 0;
    for (let start = from; start < numbers.length; start += step) {
      for (let slot = start; slot < start + width; slot += 1) {
        const value = numbers[slot] ?? Number.NaN;
        if (!Number.isNaN(value)) total += value;
      }
    }
    return total;
  }

  /** The numbers there are, in slot order. */
  *present(): Generator<number> {
    for (const value of this.numbers ?? []) if (!Number.isNaN(value)) yield value;
  }
}
