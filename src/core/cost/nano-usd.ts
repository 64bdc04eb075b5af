/** Whole billionths of a US dollar: sums of them are exact in any order, as sums of dollars are not. */
export type NanoUsd = number;

const NANOS = 1_000_000_000;

/** What may be spent, rounded down; nine million dollars at most, more than a double holds to the billionth. */
export function limitInNanos(usd: number): NanoUsd {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.floor(withoutNoise(usd)));
}

/** What is spent or may be, rounded up. */
export function costInNanos(usd: number): NanoUsd {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.ceil(withoutNoise(usd)));
}

export function usdOfNanos(nanos: NanoUsd): number {
  return nanos / NANOS;
}

/** 0.07 × 10⁹ is 70000000.00000001 in doubles, and no cent is to be lost to that. */
function withoutNoise(usd: number): number {
  return Number((usd * NANOS).toPrecision(15));
}
