/** `1 row`, `2 rows`: a count in a sentence that is stored, so without a separator of thousands. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
