export type KappaWeights = 'plain' | 'linear' | 'quadratic';

/**
 * Cohen's κ of two raters over a square table of counts (rows: first rater, columns: second), categories in scale
 * order. Null when it is undefined: chance alone explains all agreement, or the table is empty.
 */
export function kappa(table: readonly (readonly number[])[], weights: KappaWeights = 'plain'): number | null {
  const size = table.length;
  const total = checkedTotal(table);
  if (total === 0) return null;
  const rowSums = table.map((row) => row.reduce((sum, count) => sum + count, 0));
  const columnSums = table.map((_, j) => table.reduce((sum, row) => sum + (row[j] ?? 0), 0));
  let observed = 0;
  let expected = 0;
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1) {
      const weight = disagreement(i, j, size, weights);
      observed += weight * (table[i]?.[j] ?? 0) * total;
      expected += weight * (rowSums[i] ?? 0) * (columnSums[j] ?? 0);
    }
  }
  return expected === 0 ? null : 1 - observed / expected;
}

function disagreement(i: number, j: number, size: number, weights: KappaWeights): number {
  if (weights === 'plain') return i === j ? 0 : 1;
  const distance = Math.abs(i - j) / Math.max(1, size - 1);
  return weights === 'linear' ? distance : distance * distance;
}

function checkedTotal(table: readonly (readonly number[])[]): number {
  let total = 0;
  for (const row of table) {
    if (row.length !== table.length) throw new RangeError('the table of two raters is square');
    for (const count of row) {
      if (!Number.isInteger(count) || count < 0) throw new RangeError(`not a count: ${count}`);
      total += count;
    }
  }
  return total;
}
