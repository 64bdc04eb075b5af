import type { Calibration, JudgeRate } from '../schemas/calibration.ts';
import { meets } from '../scoring/meets.ts';
import { kappa } from '../statistics/kappa.ts';
import { predictionPoweredMean } from '../statistics/prediction-powered.ts';
import { wilsonInterval } from '../statistics/wilson.ts';
import { correctRate } from './corrected-rate.ts';
import type { HumanLabel } from './human-label.ts';
import { suggestUse } from './suggested-use.ts';

/** An answer that a person labelled and the judge ruled on. */
export interface LabelledAnswer {
  readonly human: HumanLabel;
  /** 0 is worst, 1 is best. */
  readonly judged: number;
  /** Position on the judge's scale; null where it gives numbers. */
  readonly level: number | null;
}

export interface CalibrationInput {
  readonly labelled: readonly LabelledAnswer[];
  /** What the judge said of answers without a label, 0..1. */
  readonly judgedOnly: readonly number[];
  /** Value from which an answer passes, for people and for the judge. */
  readonly mark: number;
  /** The judge's labels, low to high; null where it gives numbers. */
  readonly scale: readonly string[] | null;
}

type Figures = Pick<
  Calibration,
  | 'labels'
  | 'judged_only'
  | 'confusion'
  | 'weights'
  | 'kappa'
  | 'agreement'
  | 'tpr'
  | 'tnr'
  | 'human_pass_rate'
  | 'judged_pass_rate'
  | 'corrected'
  | 'suggestion'
>;

/** How far a judge agrees with people, and what that makes of its verdicts on answers that nobody labelled. */
export function calibrate({ labelled, judgedOnly, mark, scale }: CalibrationInput): Figures {
  const pairs = labelled.map(({ human, judged }) => ({
    human: meets(human.value, mark) ? 1 : 0,
    judged: meets(judged, mark) ? 1 : 0,
  }));
  const binary = table(
    2,
    pairs.map(({ human, judged }) => [human, judged]),
  );
  const ordered = orderedTable(labelled, scale);
  const tpr = rate(binary[1]?.[1] ?? 0, sum(binary[1]));
  const tnr = rate(binary[0]?.[0] ?? 0, sum(binary[0]));
  const passes = judgedOnly.map((value) => (meets(value, mark) ? 1 : 0));
  const figures = {
    labels: pairs.length,
    judged_only: passes.length,
    confusion: ordered ?? { labels: ['fail', 'pass'], counts: binary },
    weights: ordered === null ? ('plain' as const) : ('quadratic' as const),
    kappa: ordered === null ? kappa(binary) : kappa(ordered.counts, 'quadratic'),
    agreement: pairs.length === 0 ? null : pairs.filter(({ human, judged }) => human === judged).length / pairs.length,
    tpr,
    tnr,
    human_pass_rate: meanOf(pairs.map(({ human }) => human)),
    judged_pass_rate: meanOf(pairs.map(({ judged }) => judged)),
    corrected: {
      rogan_gladen: correctRate({ passed: sum(passes), judged: passes.length, tpr, tnr }),
      ppi: predictionPowered(pairs, passes),
    },
  };
  return { ...figures, suggestion: suggestUse(figures) };
}

/** The whole scale, where people used its labels and it has more than two: then near misses count less than far ones. */
function orderedTable(
  labelled: readonly LabelledAnswer[],
  scale: readonly string[] | null,
): Calibration['confusion'] | null {
  if (scale === null || scale.length < 3 || labelled.length === 0) return null;
  const levels: [number, number][] = [];
  for (const { human, level } of labelled) {
    if (human.level === null || level === null) return null;
    levels.push([human.level, level]);
  }
  return { labels: [...scale], counts: table(scale.length, levels) };
}

function table(size: number, pairs: readonly (readonly number[])[]): number[][] {
  const counts = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  for (const [human = 0, judged = 0] of pairs) {
    const row = counts[human];
    if (row !== undefined) row[judged] = (row[judged] ?? 0) + 1;
  }
  return counts;
}

function predictionPowered(
  pairs: readonly { readonly human: number; readonly judged: number }[],
  judgedOnly: readonly number[],
): Calibration['corrected']['ppi'] {
  const human = pairs.map((pair) => pair.human);
  const estimate = predictionPoweredMean({ human, judged: pairs.map(({ judged }) => judged), judgedOnly });
  if (estimate === null) return { status: 'unknown', rate: null, ci95: null };
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  const [lower, upper] = estimate.ci95;
  return { status: 'corrected', rate: clamp(estimate.mean), ci95: [clamp(lower), clamp(upper)] };
}

function rate(hits: number, n: number): JudgeRate {
  const interval = wilsonInterval(hits, n);
  return { rate: n === 0 ? null : hits / n, n, ci95: interval === null ? null : [interval[0], interval[1]] };
}

const sum = (values: readonly number[] = []): number => values.reduce((total, value) => total + value, 0);
const meanOf = (values: readonly number[]): number | null => (values.length === 0 ? null : sum(values) / values.length);
