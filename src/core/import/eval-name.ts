import { slugOf } from '../slug.ts';

/** A name as people write it → an id: lower-case letters, digits and "-", at most 63; null when nothing is left. */
export function evalNameFrom(name: string): string | null {
  const id = slugOf(name);
  return id === '' ? null : id;
}
