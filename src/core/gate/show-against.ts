import { meets, within } from '../scoring/meets.ts';

export interface ShownPair {
  readonly value: string;
  readonly limit: string;
}

/** Digits after the point that a figure shows when nothing needs more. */
export const SHARE_DIGITS = 3;
const MOST_DIGITS = 15;

/**
 * A value beside its limit, with as many digits as it takes to agree with the verdict: 0.79996 is not shown as 0.8 when
 * it is below 0.8, and a value that holds is not shown beyond its limit. The limit is shown as it was set.
 */
export function showAgainst(
  value: number,
  limit: number,
  kind: 'minimum' | 'maximum' = 'minimum',
  digits = SHARE_DIGITS,
): ShownPair {
  const holds = kind === 'minimum' ? meets(value, limit) : within(value, limit);
  const agrees = (shown: number) => (kind === 'minimum' ? shown >= limit : shown <= limit) === holds;
  for (let count = digits; count <= MOST_DIGITS; count += 1) {
    const shown = value.toFixed(count);
    if (agrees(Number(shown))) return { value: trimZeros(shown), limit: showNumber(limit) };
  }
  // Within rounding error of the limit: the verdict took it as equal, so it is shown as equal.
  return { value: holds ? showNumber(limit) : String(value), limit: showNumber(limit) };
}

/** A figure without a limit, rounded to `digits` after the point; exactly as it is without them. */
export function showNumber(value: number, digits?: number): string {
  return digits === undefined ? String(value) : trimZeros(value.toFixed(digits));
}

function trimZeros(text: string): string {
  return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '').replace(/^-0$/, '0') : text;
}
