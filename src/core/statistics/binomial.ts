import { logGamma } from './special-functions.ts';

/** Chance of at least `hits` hits in `trials` independent trials that each hit with chance `rate` (0..1, exclusive). */
export function binomialTail(hits: number, trials: number, rate: number): number {
  if (!Number.isSafeInteger(hits) || !Number.isSafeInteger(trials) || trials < 0) {
    throw new RangeError(`not a number of trials: ${hits} of ${trials}`);
  }
  if (!(rate > 0 && rate < 1)) throw new RangeError(`not a chance between 0 and 1: ${rate}`);
  if (hits <= 0) return 1;
  let tail = 0;
  // The smallest terms first, so that none is lost beside a larger one.
  for (let k = trials; k >= hits; k -= 1) tail += Math.exp(logChance(k, trials, rate));
  return Math.min(1, tail);
}

function logChance(k: number, n: number, rate: number): number {
  const ways = logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
  return ways + k * Math.log(rate) + (n - k) * Math.log1p(-rate);
}
