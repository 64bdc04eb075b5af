import type { FaultList } from './fault-list.ts';
import { CHECK_NAMES, comparableName, fieldOfName, ROW_FIELDS, type RowField } from './fields.ts';

/** Where a column's values go. */
export type Role =
  | { readonly kind: 'field'; readonly field: RowField }
  | { readonly kind: 'check'; readonly check: string }
  | { readonly kind: 'metadata'; readonly key: string };

const MAX_CACHED_NAMES = 10_000;

/** Which column feeds which field: the eval's `columns` first, then names and aliases, the rest to metadata. */
export class ColumnPlan {
  /** Field → column, as the eval wrote it. */
  readonly mapped: ReadonlyMap<RowField, string>;
  readonly #fieldsOfColumn = new Map<string, RowField[]>();
  readonly #cache = new Map<string, readonly Role[]>();
  readonly #seen = new Set<string>();

  constructor(columns: Readonly<Record<string, string>>, faults: FaultList) {
    const mapped = new Map<RowField, string>();
    for (const [name, column] of Object.entries(columns)) {
      const field = ROW_FIELDS.find((candidate) => candidate === comparableName(name));
      if (field === undefined) {
        faults.add({
          field: `columns.${name}`,
          message: `"${name}" is no field of a row`,
          fix: `the fields are ${ROW_FIELDS.join(', ')}`,
        });
        continue;
      }
      mapped.set(field, column);
      const key = comparableName(column);
      this.#fieldsOfColumn.set(key, [...(this.#fieldsOfColumn.get(key) ?? []), field]);
    }
    this.mapped = mapped;
  }

  rolesOf(name: string): readonly Role[] {
    const cached = this.#cache.get(name);
    if (cached !== undefined) return cached;
    const roles = this.#findRoles(name);
    if (this.#cache.size < MAX_CACHED_NAMES) this.#cache.set(name, roles);
    return roles;
  }

  /** Mapped columns that no record had, given by field. */
  unseen(): [RowField, string][] {
    return [...this.mapped].filter(([, column]) => !this.#seen.has(comparableName(column)));
  }

  /** Tells that a mapped column was found elsewhere than among the names asked for. */
  markSeen(column: string): void {
    this.#seen.add(comparableName(column));
  }

  /** Names of columns met so far, for messages. */
  namesMet(): string[] {
    return [...this.#cache.keys()];
  }

  #findRoles(name: string): readonly Role[] {
    const key = comparableName(name);
    const fields = this.#fieldsOfColumn.get(key);
    if (fields !== undefined) {
      this.#seen.add(key);
      return fields.map((field) => ({ kind: 'field', field }));
    }
    const field = fieldOfName(name);
    if (field !== null && !this.mapped.has(field)) return [{ kind: 'field', field }];
    if (field === null && CHECK_NAMES.includes(key)) return [{ kind: 'check', check: key }];
    return [{ kind: 'metadata', key: name.trim() }];
  }
}
