/** Share of claims that are supported, 0..1; null when there is no claim to support. */
export function claimsShare(supported: readonly boolean[]): number | null {
  if (supported.length === 0) return null;
  return supported.filter(Boolean).length / supported.length;
}

/**
 * Rank-weighted precision of passages in the order they were retrieved: Σ(Precision@k · vₖ) ÷ relevant.
 * Exactly 1 when every relevant passage stands before every other, 0 when nothing is relevant (or nothing was found).
 */
export function rankWeightedPrecision(relevant: readonly boolean[]): number {
  let found = 0;
  let sum = 0;
  relevant.forEach((isRelevant, index) => {
    if (!isRelevant) return;
    found += 1;
    sum += found / (index + 1);
  });
  // No epsilon in the denominator: perfect must equal 1, since a floor of 1 is a legal threshold.
  return found === 0 ? 0 : sum / found;
}

/** Value of a label by its place on an evenly spaced scale of two labels or more. */
export function labelValue(index: number, labels: readonly string[]): number {
  if (labels.length < 2) throw new RangeError('a label scale has at least two labels');
  return index / (labels.length - 1);
}
