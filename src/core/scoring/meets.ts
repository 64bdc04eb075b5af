/** Rounding error of sums of fractions; far below any difference a person would set. */
export const TOLERANCE = 1e-9;

/** value ≥ minimum on raw numbers. NaN never meets anything. */
export function meets(value: number, minimum: number): boolean {
  return value >= minimum - TOLERANCE;
}

/** value ≤ maximum on raw numbers: a limit on cost, time or a drop that is equal still passes. */
export function within(value: number, maximum: number): boolean {
  return value <= maximum + TOLERANCE;
}
