import { DatasetError, type Fault, formatFault } from '../errors.ts';

const MAX_FAULTS = 100;
const MAX_WARNINGS = 10;

export type DatasetFault = Omit<Fault, 'file'>;

/** The faults of one dataset: the first 100 in full, the rest as a number. */
export class FaultList {
  readonly #file: string;
  readonly #kept: Fault[] = [];
  #count = 0;
  readonly #warnings: string[] = [];
  #warningCount = 0;

  constructor(file: string) {
    this.#file = file;
  }

  get count(): number {
    return this.#count;
  }

  add(fault: DatasetFault): void {
    this.#count += 1;
    if (this.#kept.length < MAX_FAULTS) this.#kept.push({ file: this.#file, ...fault });
  }

  /** Something odd that a person should look at; the row counts. The first 10 in full, the rest as a number. */
  warn(fault: DatasetFault): void {
    this.#warningCount += 1;
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push(formatFault({ file: this.#file, ...fault }));
  }

  warnings(): string[] {
    const more = this.#warningCount - this.#warnings.length;
    return more === 0 ? [...this.#warnings] : [...this.#warnings, `${this.#file}: and ${more} more like these`];
  }

  /** For a fault after which reading on makes no sense. */
  stop(fault: DatasetFault): never {
    this.add(fault);
    throw this.#error();
  }

  throwIfAny(): void {
    if (this.#count > 0) throw this.#error();
  }

  toArray(): Fault[] {
    const more = this.#count - this.#kept.length;
    if (more === 0) return [...this.#kept];
    return [...this.#kept, { file: this.#file, message: `and ${more} more ${more === 1 ? 'fault' : 'faults'}` }];
  }

  #error(): DatasetError {
    return new DatasetError(this.toArray());
  }
}
