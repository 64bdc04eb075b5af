import type { Interval } from '../../src/core/statistics/interval.ts';
import { clusteredInterval, meanInterval } from '../../src/core/statistics/mean-interval.ts';
import { newcombePaired, pairedDifference } from '../../src/core/statistics/paired.ts';
import { wilsonInterval } from '../../src/core/statistics/wilson.ts';

export interface Coverage {
  readonly method: string;
  readonly rows: number;
  /** Share of the intervals that held the truth; 95 % is promised. */
  readonly covered: number;
  /** Mean width of the intervals. */
  readonly width: number;
}

type Random = () => number;
/** An interval from data that were drawn, and the truth they were drawn around. */
type Draw = (rows: number, random: Random) => { readonly truth: number; readonly interval: Interval | null };

const CLUSTER = 5;
const LEVELS = 5;

/** Every interval that a summary shows. The truth is drawn anew each time, so that no single value flatters or harms. */
const METHODS: Readonly<Record<string, Draw>> = {
  'pass rate (Wilson)': (rows, random) => {
    const truth = between(0.05, 0.95, random);
    return { truth, interval: wilsonInterval(passes(rows, truth, random), rows) };
  },
  'mean score (t)': (rows, random) => {
    const scale = levelScale(random);
    return { truth: scale.mean, interval: meanInterval(list(rows, () => scale.draw(random)))?.ci95 ?? null };
  },
  'mean score, rows in clusters of 5 (clustered t)': (rows, random) => {
    const truth = between(0.2, 0.8, random);
    const values: number[] = [];
    const clusters: number[] = [];
    for (let row = 0; row < rows; row += CLUSTER) {
      // Half of the spread is the cluster's.
      const ofCluster = truth + between(-0.2, 0.2, random);
      for (let at = 0; at < CLUSTER; at += 1) {
        values.push(ofCluster + between(-0.2, 0.2, random));
        clusters.push(row);
      }
    }
    return { truth, interval: clusteredInterval(values, clusters)?.ci95 ?? null };
  },
  'change of the mean score (paired t)': (rows, random) => {
    const truth = between(-0.1, 0.1, random);
    const then = list(rows, () => between(0.3, 0.7, random));
    const now = then.map((score) => score + truth + between(-0.15, 0.15, random));
    return { truth, interval: pairedDifference(now, then)?.ci95 ?? null };
  },
  'change of the pass rate (Newcombe)': (rows, random) => {
    const { shares, truth } = pairedTruth(random);
    const [bothPass, fix, regress] = shares;
    const table = { bothPass: 0, onlyCurrent: 0, onlyBaseline: 0, neither: 0 };
    for (let row = 0; row < rows; row += 1) {
      const u = random();
      if (u < regress) table.onlyBaseline += 1;
      else if (u < regress + fix) table.onlyCurrent += 1;
      else if (u < regress + fix + bothPass) table.bothPass += 1;
      else table.neither += 1;
    }
    return { truth, interval: newcombePaired(table)?.ci95 ?? null };
  },
};

/** Shares of rows that pass in both runs, only now, only before, in neither; and the change of the pass rate they make. */
export function pairedTruth(random: Random) {
  const [regress, fix] = [between(0.01, 0.15, random), between(0.01, 0.15, random)];
  const bothPass = (1 - regress - fix) * between(0.5, 0.95, random);
  const shares = [bothPass, fix, regress, 1 - regress - fix - bothPass] as const;
  return { shares, truth: fix - regress };
}

/** How often each interval holds the truth. */
export function simulateCoverage(rowCounts: readonly number[], repeats: number, random: Random): readonly Coverage[] {
  return Object.entries(METHODS).flatMap(([method, draw]) =>
    rowCounts.map((rows) => {
      let covered = 0;
      let width = 0;
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        const { truth, interval } = draw(rows, random);
        if (interval === null) continue;
        if (interval[0] <= truth && truth <= interval[1]) covered += 1;
        width += interval[1] - interval[0];
      }
      return { method, rows, covered: covered / repeats, width: width / repeats };
    }),
  );
}

/** Five levels, evenly spaced over 0..1, with chances of their own. */
function levelScale(random: Random): { readonly mean: number; draw(random: Random): number } {
  const weights = list(LEVELS, () => 0.1 + random());
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const values = weights.map((_, level) => level / (LEVELS - 1));
  const mean = weights.reduce((sum, weight, level) => sum + (weight / total) * (values[level] ?? 0), 0);
  return {
    mean,
    draw(from) {
      let rest = from() * total;
      for (let level = 0; level < LEVELS; level += 1) {
        rest -= weights[level] ?? 0;
        if (rest < 0) return values[level] ?? 1;
      }
      return 1;
    },
  };
}

function passes(rows: number, rate: number, random: Random): number {
  let count = 0;
  for (let row = 0; row < rows; row += 1) if (random() < rate) count += 1;
  return count;
}

const list = (length: number, value: () => number): number[] => Array.from({ length }, value);
const between = (low: number, high: number, random: Random): number => low + (high - low) * random();
