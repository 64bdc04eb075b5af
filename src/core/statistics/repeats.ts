import { checkShare } from './interval.ts';

/** pass@k: chance that at least one of k trials passes, from c passes in n trials. */
export function passAtK(n: number, c: number, k: number): number {
  checkTrials(n, c, k);
  return 1 - allOf(n - c, n, k);
}

/** pass^k: chance that all of k trials pass. What a gate usually wants. */
export function passHatK(n: number, c: number, k: number): number {
  checkTrials(n, c, k);
  return allOf(c, n, k);
}

/** C(c, k) ÷ C(n, k), as a product that cannot overflow. */
function allOf(c: number, n: number, k: number): number {
  let chance = 1;
  for (let i = 0; i < k; i += 1) chance *= Math.max(0, c - i) / (n - i);
  return chance;
}

function checkTrials(n: number, c: number, k: number): void {
  checkShare(c, n);
  if (!Number.isInteger(k) || k < 1 || k > n) throw new RangeError(`k lies between 1 and the ${n} trials: ${k}`);
}
