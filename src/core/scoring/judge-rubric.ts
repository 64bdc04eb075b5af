import * as z from 'zod';
import type { Fault } from '../errors.ts';
import { RUBRIC_DEFINITION } from '../judging/prompts/rubric.ts';
import type { JudgeQuestion } from '../judging/question.ts';
import { PASS_FAIL } from '../judging/scales.ts';
import { nearestName } from '../nearest.ts';
import type { EvalConfig, ScorerSpec } from '../schemas/eval.ts';
import type { Row } from '../schemas/row.ts';
import { type Score, unscored } from '../schemas/score.ts';
import { FROM_FORM, isFrom, readFrom } from './checks/row-values.ts';
import { expectedText } from './checks/run-check.ts';
import { contextsOf } from './contexts.ts';
import type { AnsweredRow, Judgement } from './eval-scoring.ts';
import { judgedScore } from './judged-score.ts';
import { rubricOf } from './rubric-of.ts';
import { isRubricScorer, JUDGE_RUBRIC, NOT_JUDGE_RUBRIC } from './rubric-scorer.ts';

const RubricOptionsSchema = z.strictObject({
  /** The rubric of all rows. @default that of the row, else of the eval */
  rubric: z
    .string()
    .refine((text) => text.trim() !== '', 'a rubric is expected')
    .optional(),
  /** Where a row keeps its rubric; rows without one are not judged by it. */
  from: z.string().optional(),
  /** Labels, worst to best, evenly spaced over 0..1. @default fail, pass */
  scale: z.array(z.string().trim().min(1).max(60)).min(2).max(20).optional(),
  /** From this label upward the score is 1, below it 0. @default the label's own value */
  pass_from: z.string().optional(),
  /** The judge sees the passages too. @default false */
  contexts: z.boolean().optional(),
});
type RubricOptions = z.infer<typeof RubricOptionsSchema>;

/** What is wrong with the scorer's options, or with an eval that has it and no judge. */
export function rubricFaults(spec: ScorerSpec, index: number, config: EvalConfig): readonly Fault[] {
  const field = `scorers.${index}.${spec.check}`;
  const parsed = RubricOptionsSchema.safeParse(spec.options);
  if (!parsed.success) return parsed.error.issues.flatMap((issue) => optionFaults(issue, field));
  const { rubric, from, pass_from } = parsed.data;
  const labels = scaleOf(parsed.data).map(comparable);
  const faults: Fault[] = [];
  if (rubric !== undefined && from !== undefined) {
    faults.push({ field, message: 'both rubric and from are given', fix: 'keep one of them' });
  }
  if (from !== undefined && !isFrom(from)) faults.push({ field: `${field}.from`, ...FROM_FORM });
  if (new Set(labels).size < labels.length) {
    faults.push({ field: `${field}.scale`, message: 'a label stands twice in the scale', fix: 'name each once' });
  }
  if (pass_from !== undefined && !labels.includes(comparable(pass_from))) {
    const message = `"${pass_from}" is no label of the scale`;
    faults.push({ field: `${field}.pass_from`, message, fix: `one of ${scaleOf(parsed.data).join(', ')}` });
  }
  if (config.judges.length === 0) {
    const fix = `add judge: {model: …}, or leave ${spec.name} out`;
    faults.push({ field: 'judge', message: `${spec.name} needs a judge and there is none`, fix });
  }
  return faults;
}

export function rubricRowFaults(spec: ScorerSpec, row: Row, config: EvalConfig): readonly Fault[] {
  const options = optionsOf(spec);
  if (options.from !== undefined || options.rubric !== undefined || rubricOf(row, config) !== null) return [];
  const fix = `fill in the rubric of the row, or set rubric: for ${spec.name}`;
  return [{ field: 'rubric', message: `row "${row.id}" has no rubric, which ${spec.name} needs`, fix }];
}

/** The question of this scorer; null when it is no rubric scorer, or when the row keeps no rubric for it. */
export function rubricQuestion(spec: ScorerSpec, answered: AnsweredRow, config: EvalConfig): JudgeQuestion | null {
  if (!isRubricScorer(spec)) return null;
  const options = optionsOf(spec);
  const { row, answer } = answered;
  const rubric = rubricFor(options, row, config);
  if (rubric === null) return null;
  return {
    promptId: 'rubric',
    asks: [{ kind: 'label', name: spec.name, definition: RUBRIC_DEFINITION, labels: scaleOf(options) }],
    input: row.input,
    expected: expectedText(row.expected) === null ? null : row.expected,
    answer: answer.text,
    contexts: options.contexts === true ? (contextsOf(answered) ?? []) : null,
    rubric,
  };
}

/** The label's value; with `pass_from` 1 or 0. Negated: the rest to 1. The raw label stays as the judge gave it. */
export function rubricScore(
  spec: ScorerSpec,
  answered: AnsweredRow,
  judgement: Judgement | undefined,
  config: EvalConfig,
): Score {
  const options = optionsOf(spec);
  if (rubricFor(options, answered.row, config) === null) {
    return unscored('not-applicable', `the row has no ${options.from ?? 'rubric'}`);
  }
  const score = judgedScore(spec.name, judgement);
  if (score.status !== 'scored') return score;
  const labels = scaleOf(options);
  const mark = options.pass_from === undefined ? -1 : labels.map(comparable).indexOf(comparable(options.pass_from));
  // Evenly spaced labels: half a step of slack forgives the rounding of the division.
  const least = (mark - 0.5) / (labels.length - 1);
  const value = mark === -1 ? score.value : score.value >= least ? 1 : 0;
  return { ...score, value: spec.check === NOT_JUDGE_RUBRIC ? 1 - value : value };
}

const resolved = new WeakMap<ScorerSpec, RubricOptions>();

function optionsOf(spec: ScorerSpec): RubricOptions {
  const options = resolved.get(spec) ?? RubricOptionsSchema.parse(spec.options);
  resolved.set(spec, options);
  return options;
}

function rubricFor({ rubric, from }: RubricOptions, row: Row, config: EvalConfig): string | null {
  return from === undefined ? (rubric ?? rubricOf(row, config)) : expectedText(readFrom(from, row));
}

const scaleOf = ({ scale }: RubricOptions): readonly string[] => scale ?? PASS_FAIL.labels;
const comparable = (label: string): string => label.normalize('NFKC').toLowerCase().trim();

function optionFaults(issue: z.core.$ZodIssue, field: string): Fault[] {
  if (issue.code !== 'unrecognized_keys') {
    return [{ field: [field, ...issue.path].join('.'), message: issue.message }];
  }
  const known = Object.keys(RubricOptionsSchema.shape);
  return issue.keys.map((key) => {
    const nearest = nearestName(key, known);
    const fix = nearest === undefined ? `it takes ${known.join(', ')}` : `did you mean "${nearest}"?`;
    return { field, message: `${JUDGE_RUBRIC} has no option "${key}"`, fix };
  });
}
