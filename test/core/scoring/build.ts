import type { Verdict } from '../../../src/core/judging/question.ts';
import { type EvalConfig, type EvalFile, EvalFileSchema, type ScorerSpec } from '../../../src/core/schemas/eval.ts';
import type { JudgeErrorCause } from '../../../src/core/schemas/result.ts';
import { type Row, RowSchema } from '../../../src/core/schemas/row.ts';
import type { AnsweredRow, Judgement } from '../../../src/core/scoring/eval-scoring.ts';

type Overrides = Partial<EvalConfig> & Pick<EvalFile, 'type'>;

/** A settled eval as parsing leaves it, with a judge unless overridden. */
export function evalConfig(overrides: Overrides): EvalConfig {
  const file = { name: 'test', dataset: 'rows.csv', type: overrides.type };
  return {
    ...EvalFileSchema.parse(file),
    targets: [target('http')],
    judges: [{ type: 'bedrock', model: 'judge-model', max_tokens: 700, timeout_s: 60, temperature: 0 }],
    metrics: [],
    scorers: [],
    sample_seed: 'test',
    ...overrides,
  };
}

export function target(
  id: string,
  extra: { contexts_path?: string; trajectory_path?: string } = {},
): EvalConfig['targets'][number] {
  return {
    type: 'http',
    id,
    url: 'https://example.com',
    method: 'POST',
    headers: {},
    body_template: { message: '{{input}}' },
    response_path: '$',
    allowed_status: [],
    timeout_s: 60,
    retries: 2,
    ...extra,
  };
}

export function spec(check: string, options: ScorerSpec['options'] = {}, name = check): ScorerSpec {
  return { name, check, options };
}

export function row(fields: Partial<Row> = {}): Row {
  return RowSchema.parse({ id: 'r1', index: 0, input: 'question', ...fields });
}

export function answered(text: string, fields: Partial<Row> = {}, extra: Partial<AnsweredRow> = {}): AnsweredRow {
  return { row: row(fields), answer: { text }, latencyMs: 100, ...extra };
}

export function verdict(value: number | null, extra: Partial<Verdict> = {}): Verdict {
  return { value, reason: 'because', rawLabel: null, rawScore: value, scale: [0, 1], higherIsBetter: true, ...extra };
}

export function judged(values: Record<string, number | null | Verdict>): Judgement {
  const verdicts = new Map(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null ? value : verdict(value),
    ]),
  );
  return { status: 'judged', verdicts, repaired: false, cached: false, votes: new Map() };
}

export function judgeFailed(cause: JudgeErrorCause = 'unparsable'): Judgement {
  return { status: 'judge_error', cause, message: 'the judge failed' };
}
