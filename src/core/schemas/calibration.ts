import * as z from 'zod';

const share = z.number().min(0).max(1);
const IntervalSchema = z.tuple([z.number(), z.number()]);
const count = z.number().int().nonnegative();

/** A rate of the judge over answers that people ruled on; null rate when there are none of the kind. */
const JudgeRateSchema = z.object({ rate: share.nullable(), n: count, ci95: IntervalSchema.nullable() });
export type JudgeRate = z.infer<typeof JudgeRateSchema>;

const CorrectedSchema = z.object({
  status: z.enum(['corrected', 'judge_drift', 'edge', 'uninformative', 'unknown']),
  rate: z.number().nullable(),
  ci95: IntervalSchema.nullable(),
});

const LONGEST_SCALE = 20;
const MOST_ANSWERS = 1_000_000;

/** Rows: what people said. Columns: what the judge said. Labels from worst to best; `fail`, `pass` where there is no scale. */
const ConfusionSchema = z
  .strictObject({
    labels: z.array(z.string().max(200)).min(2).max(LONGEST_SCALE),
    counts: z.array(z.array(count)).min(2).max(LONGEST_SCALE),
  })
  .refine(
    ({ labels, counts }) => counts.length === labels.length && counts.every((row) => row.length === labels.length),
    'as many rows and columns of counts as labels',
  )
  .refine(
    ({ counts }) => counts.flat().reduce((sum, one) => sum + one, 0) <= MOST_ANSWERS,
    'at most a million answers',
  );

const IDENTITY = {
  /** Judge, prompt, rubric and scales: what may not change, or the calibration is of another judge. */
  judge_hash: z.string().regex(/^[0-9a-f]{64}$/, 'the SHA-256 of a judge: 64 of 0 to 9 and a to f'),
  judges: z.array(z.string().min(1).max(300)).min(1).max(100),
  eval: z.string().min(1).max(100),
  /** The judged score that was compared with the labels; `row` is the verdict on the whole row. */
  metric: z.string().min(1).max(200),
  /** Value from which the judge counts as passing an answer. */
  mark: share,
  /** ISO time. */
  date: z.iso.datetime({ offset: true }),
  /** Version of the rules that people labelled by: the same answers under other rules give another κ. */
  label_policy: z.string().min(1).max(500),
  dataset: z.strictObject({ id: z.string().max(4096), version: z.string().max(200) }),
};

/** What was seen when a judge was put beside human labels: counts, from which all figures follow. */
export const CalibrationEvidenceSchema = z.strictObject({
  ...IDENTITY,
  /** Answers with a human label that the judge gave no verdict on. */
  not_judged: count,
  confusion: ConfusionSchema,
  /** Answers that only the judge saw, and how many of them it passed. */
  judged_only: z
    .strictObject({ judged: count.max(MOST_ANSWERS), passed: count })
    .refine(({ judged, passed }) => passed <= judged, 'no more passed than judged'),
});
export type CalibrationEvidence = z.infer<typeof CalibrationEvidenceSchema>;

/** `.assay/calibrations/<judge hash>.json`, and what a deployed app keeps: a judge beside human labels. */
export const CalibrationSchema = z.object({
  ...IDENTITY,
  /** Answers with a human label and a verdict; those without either, and answers that nobody labelled. */
  labels: count,
  not_judged: count,
  judged_only: count,
  judged_only_passed: count.optional(),
  confusion: ConfusionSchema,
  weights: z.enum(['plain', 'quadratic']),
  /** Null: undefined, since chance alone explains all agreement. */
  kappa: z.number().nullable(),
  agreement: share.nullable(),
  tpr: JudgeRateSchema,
  tnr: JudgeRateSchema,
  human_pass_rate: share.nullable(),
  judged_pass_rate: share.nullable(),
  /** Pass rate that people would have given to the answers without a label. */
  corrected: z.object({ rogan_gladen: CorrectedSchema, ppi: CorrectedSchema }),
  suggestion: z.object({ use: z.enum(['gate', 'corrected', 'review', 'none']), text: z.string() }),
  /** Who put it into a deployed app, and when. */
  pushed: z.object({ by: z.string(), at: z.string() }).optional(),
});
export type Calibration = z.infer<typeof CalibrationSchema>;
