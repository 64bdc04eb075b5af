/** Lower and upper bound, lower first. */
export type Interval = readonly [number, number];

/** A share of a whole: both counts are integers, 0 ≤ successes ≤ total. Throws a RangeError otherwise. */
export function checkShare(successes: number, total: number): void {
  if (!Number.isInteger(successes) || !Number.isInteger(total) || successes < 0 || successes > total)
    throw new RangeError(`not a share: ${successes} of ${total}`);
}
