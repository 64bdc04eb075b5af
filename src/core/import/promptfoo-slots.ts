import { canonicalJson, type JsonObject, type JsonValue } from '../json.ts';
import type { ImportedAssert } from './promptfoo-asserts.ts';

interface Slot {
  readonly check: string;
  readonly options: JsonObject;
  /** Column of the row that holds its text. */
  readonly column: string;
  readonly values: JsonValue[];
}

interface Alone {
  readonly check: string;
  readonly options: JsonObject;
  count: number;
}

/**
 * Gathers the asserts of all tests into few scorers. The nth assert of a kind in a test shares its scorer with the nth
 * of that kind in the others; its text stands in a column of the row, or with the scorer where it is the same in all.
 */
export class ScorerSlots {
  private readonly tests: number;
  private readonly slots = new Map<string, Slot>();
  private readonly alone = new Map<string, Alone>();
  private readonly floors = new Map<string, number | null>();
  private readonly usedInTest = new Map<string, number>();

  constructor(tests: number) {
    this.tests = tests;
  }

  /** Before the asserts of each test. */
  begin(): void {
    this.usedInTest.clear();
  }

  add(made: Exclude<ImportedAssert, { kind: 'refused' }>, row: JsonObject, metadata: JsonObject): void {
    if (made.kind === 'metric') {
      this.floors.set(made.metric, made.floor ?? this.floors.get(made.metric) ?? null);
      if (made.expected !== null && row.expected === undefined) row.expected = made.expected;
      return;
    }
    const kind = canonicalJson([made.check, made.options]);
    if (made.kind === 'alone') {
      const known = this.alone.get(kind) ?? { check: made.check, options: made.options, count: 0 };
      if (!this.usedInTest.has(kind)) known.count += 1;
      this.usedInTest.set(kind, 1);
      this.alone.set(kind, known);
      return;
    }
    const nth = (this.usedInTest.get(kind) ?? 0) + 1;
    this.usedInTest.set(kind, nth);
    const key = `${kind} ${nth}`;
    const slot = this.slots.get(key) ?? {
      check: made.check,
      options: made.options,
      column: this.freeColumn(made.check),
      values: [],
    };
    this.slots.set(key, slot);
    slot.values.push(made.value);
    metadata[slot.column] = made.value;
  }

  /** Scorers as an eval lists them. */
  finish(notImported: string[]): { scorers: JsonObject[]; metrics: string[]; floors: JsonObject } {
    const scorers = [...this.slots.values()].map((slot): JsonObject => {
      const isShared = this.isShared(slot);
      const text = slot.check.endsWith('judge-rubric') ? 'rubric' : 'value';
      const source: JsonObject = isShared ? { [text]: slot.values[0] ?? null } : { from: `metadata.${slot.column}` };
      return { [slot.check]: { ...slot.options, ...source } };
    });
    for (const { check, options, count } of this.alone.values()) {
      if (count === this.tests) scorers.push({ [check]: options });
      else
        notImported.push(
          `${check}: stands in ${count} of ${this.tests} tests, and such a check holds for all rows or none; split the eval`,
        );
    }
    const floors = [...this.floors].flatMap(([metric, floor]): [string, number][] =>
      floor === null ? [] : [[metric, floor]],
    );
    if (this.floors.size > 0) {
      notImported.push(
        'model-graded metrics are means here: the pass mark and metric_floors decide, not each test by itself',
      );
    }
    return { scorers, metrics: [...this.floors.keys()], floors: Object.fromEntries(floors) };
  }

  /** Takes out of a row what its scorers hold already; false when nothing scores the row. */
  keeps(row: JsonObject, index: number, notImported: string[]): boolean {
    const metadata = row.metadata as JsonObject;
    const isScored =
      this.floors.size > 0 ||
      [...this.alone.values()].some(({ count }) => count === this.tests) ||
      [...this.slots.values()].some(({ column }) => metadata[column] !== undefined);
    for (const slot of this.slots.values()) if (this.isShared(slot)) delete metadata[slot.column];
    if (!isScored) notImported.push(`${String(row.id ?? index)}: left out, none of its asserts was taken over`);
    return isScored;
  }

  private isShared({ values }: Slot): boolean {
    const first = canonicalJson(values[0] ?? null);
    return values.length === this.tests && values.every((value) => canonicalJson(value) === first);
  }

  private freeColumn(check: string): string {
    const base = `assert_${check.replaceAll('-', '_')}`;
    const taken = new Set([...this.slots.values()].map((slot) => slot.column));
    let column = base;
    for (let n = 2; taken.has(column); n += 1) column = `${base}_${n}`;
    return column;
  }
}
