/**
 * Nearest rank, sorted[⌈percent · n / 100⌉ − 1], the rank in integers: floats are off by one at 55 % of 100.
 * `sorted` ascends; `percent` is a whole number 1..100. Null for no values.
 */
export function percentile(sorted: ArrayLike<number>, percent: number): number | null {
  if (!Number.isInteger(percent) || percent < 1 || percent > 100)
    throw new RangeError(`a percentile is a whole number 1..100: ${percent}`);
  if (sorted.length === 0) return null;
  const rank = Math.floor((percent * sorted.length + 99) / 100);
  return sorted[rank - 1] ?? null;
}
