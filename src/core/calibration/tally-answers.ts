import type { Calibration, CalibrationEvidence } from '../schemas/calibration.ts';
import { meets } from '../scoring/meets.ts';
import type { HumanLabel } from './human-label.ts';

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

export type Tallied = Pick<CalibrationEvidence, 'confusion' | 'judged_only'>;

/** Answers → counts: the table of people and judge, and how many of the others the judge passed. */
export function tallyAnswers({ labelled, judgedOnly, mark, scale }: CalibrationInput): Tallied {
  const passes = (value: number) => (meets(value, mark) ? 1 : 0);
  const binary = labelled.map(({ human, judged }) => [passes(human.value), passes(judged)] as const);
  return {
    confusion: orderedTable(labelled, scale) ?? { labels: ['fail', 'pass'], counts: table(2, binary) },
    judged_only: { judged: judgedOnly.length, passed: sum(judgedOnly.map(passes)) },
  };
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

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
