import type { JsonValue } from '../json.ts';
import type { Claim } from '../schemas/score.ts';

/** One thing a judge is asked to rule on in a call. `name` is the key of its verdict. */
export type JudgeAsk =
  /** A number 0..1 and a sentence of reason. */
  | { readonly kind: 'score'; readonly name: string; readonly definition: string }
  /** One label of an ordered scale, low to high, evenly spaced 0..1. */
  | {
      readonly kind: 'label';
      readonly name: string;
      readonly definition: string;
      readonly labels: readonly string[];
      /** A further label that means "does not apply": the score is left out of the mean. */
      readonly notApplicable?: string;
      /** @default true */
      readonly higherIsBetter?: boolean;
    }
  /** Every claim of the answer (or of the expected answer), each supported by the passages or not. Value = supported ÷ all; none = not applicable. */
  | { readonly kind: 'claims'; readonly name: string; readonly definition: string; readonly of: 'answer' | 'expected' }
  /** One ruling per passage, relevant or not, in passage order. Value = rank-weighted precision. */
  | { readonly kind: 'passages'; readonly name: string; readonly definition: string; readonly count: number };

/** One judge call, as data. Nothing in it is rendered text yet. */
export interface JudgeQuestion {
  /** Which prompt asks it: the file in `prompts/`. */
  readonly promptId: 'qa' | 'instruction' | 'metrics' | 'rag' | 'agent' | 'rubric';
  readonly asks: readonly JudgeAsk[];
  readonly input: JsonValue;
  readonly expected: JsonValue | null;
  readonly answer: string;
  readonly contexts: readonly string[] | null;
  readonly rubric: string | null;
  /** Agent steps as text, where the question is about them. */
  readonly steps?: string;
}

/** A judge's ruling on one ask, read and checked. */
export interface Verdict {
  /** 0..1, worst to best as the judge put it; null = does not apply. */
  readonly value: number | null;
  readonly reason: string;
  readonly rawLabel: string | null;
  readonly rawScore: number | null;
  readonly scale: readonly [number, number] | null;
  readonly higherIsBetter: boolean;
  /** What was counted, where claims were; see `ScoreSchema`. */
  readonly claims?: readonly Claim[] | undefined;
  readonly relevant?: readonly boolean[] | undefined;
}
