import { newcombePaired } from '../../src/core/statistics/paired.ts';
import { logGamma } from '../../src/core/statistics/special-functions.ts';
import { pairedTruth } from './coverage.ts';

export interface ExactCoverage {
  readonly rows: number;
  /** Truths tried, drawn as in the simulation. */
  readonly truths: number;
  readonly mean: number;
  readonly least: number;
}

/** How often Newcombe's interval holds the truth: summed over every table that so many rows can give, no chance in it. */
export function exactNewcombe(rows: number, truths: number, random: () => number): ExactCoverage {
  const tables = [...allTables(rows)];
  let sum = 0;
  let least = 1;
  for (let drawn = 0; drawn < truths; drawn += 1) {
    const { shares, truth } = pairedTruth(random);
    const logs = shares.map(Math.log);
    let covered = 0;
    for (const { cells, logWays, lower, upper } of tables) {
      if (truth < lower || truth > upper) continue;
      covered += Math.exp(cells.reduce((total, cell, at) => total + cell * (logs[at] ?? 0), logWays));
    }
    sum += covered;
    least = Math.min(least, covered);
  }
  return { rows, truths, mean: sum / truths, least };
}

function* allTables(rows: number) {
  for (let bothPass = 0; bothPass <= rows; bothPass += 1) {
    for (let onlyCurrent = 0; onlyCurrent <= rows - bothPass; onlyCurrent += 1) {
      for (let onlyBaseline = 0; onlyBaseline <= rows - bothPass - onlyCurrent; onlyBaseline += 1) {
        const neither = rows - bothPass - onlyCurrent - onlyBaseline;
        const [lower, upper] = newcombePaired({ bothPass, onlyCurrent, onlyBaseline, neither })?.ci95 ?? [-1, 1];
        const cells = [bothPass, onlyCurrent, onlyBaseline, neither];
        const logWays = cells.reduce((log, cell) => log - logGamma(cell + 1), logGamma(rows + 1));
        yield { cells, logWays, lower, upper };
      }
    }
  }
}
