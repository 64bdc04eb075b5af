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

/** `.assay/calibrations/<judge hash>.json`: a judge beside human labels. */
export const CalibrationSchema = z.object({
  /** Judge, prompt, rubric and scales: what may not change, or the calibration is of another judge. */
  judge_hash: z.string(),
  judges: z.array(z.string()),
  eval: z.string(),
  /** The judged score that was compared with the labels; `row` is the verdict on the whole row. */
  metric: z.string(),
  /** Value from which the judge counts as passing an answer. */
  mark: share,
  /** ISO time. */
  date: z.string(),
  /** Version of the rules that people labelled by: the same answers under other rules give another κ. */
  label_policy: z.string(),
  dataset: z.object({ id: z.string(), version: z.string() }),
  /** Answers with a human label and a verdict; those without either, and answers that nobody labelled. */
  labels: count,
  not_judged: count,
  judged_only: count,
  /** Rows: what people said. Columns: what the judge said. */
  confusion: z.object({ labels: z.array(z.string()), counts: z.array(z.array(count)) }),
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
});
export type Calibration = z.infer<typeof CalibrationSchema>;
