import { normalQuantile } from './quantiles.ts';

export interface PowerSettings {
  /** ω²: variance of the true paired difference between rows. */
  readonly rowVariance: number;
  /** σ²: variance of one trial of a row, of each side. @default 0 */
  readonly trialVariance?: number;
  /** Trials a row, of each side. @default 1 */
  readonly trials?: number;
  /** Two-sided error of the first kind. @default 0.05 */
  readonly alpha?: number;
  /** Chance of seeing the difference when it is there. @default 0.8 */
  readonly power?: number;
}

/** Rows needed to see a difference of `delta` in the mean score. */
export function sampleSize(delta: number, settings: PowerSettings): number {
  if (!(delta > 0)) throw new RangeError(`the difference to detect is above 0: ${delta}`);
  return Math.ceil(zSum(settings) ** 2 * (variance(settings) / (delta * delta)) - 1e-9);
}

/** The smallest difference that `rows` rows would show. */
export function minimumDetectableEffect(rows: number, settings: PowerSettings): number {
  if (!(rows > 0)) throw new RangeError(`an effect needs rows: ${rows}`);
  return zSum(settings) * Math.sqrt(variance(settings) / rows);
}

function zSum({ alpha = 0.05, power = 0.8 }: PowerSettings): number {
  return normalQuantile(1 - alpha / 2) + normalQuantile(power);
}

function variance({ rowVariance, trialVariance = 0, trials = 1 }: PowerSettings): number {
  return rowVariance + (2 * trialVariance) / trials;
}
