/** Holm's adjusted p-values, in the order given: each is compared with the error rate of the whole family. */
export function holm(pValues: readonly number[]): number[] {
  for (const p of pValues) if (!(p >= 0 && p <= 1)) throw new RangeError(`not a p-value: ${p}`);
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p || a.index - b.index);
  const adjusted = new Array<number>(pValues.length).fill(1);
  let floor = 0;
  order.forEach(({ p, index }, rank) => {
    floor = Math.max(floor, Math.min(1, p * (pValues.length - rank)));
    adjusted[index] = floor;
  });
  return adjusted;
}
