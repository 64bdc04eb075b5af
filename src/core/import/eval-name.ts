/** A name as people write it → an id: lower-case letters, digits and "-", at most 63; null when nothing is left. */
export function evalNameFrom(name: string): string | null {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const id = plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 63)
    .replace(/-+$/, '');
  return id === '' ? null : id;
}
