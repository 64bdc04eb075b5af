import type { JsonObject } from '../../core/json.ts';
import type { EvalConfig, ScorerSpec } from '../../core/schemas/eval.ts';
import type { ExpressionResult } from '../../core/scoring/checks/text-check.ts';
import type { AnsweredRow } from '../../core/scoring/eval-scoring.ts';
import type { ExpressionEvaluator } from '../../ports/expressions.ts';

/** Scorers whose expressions are run before a row is scored, which is pure. */
export function expressionScorers({ scorers }: Pick<EvalConfig, 'scorers'>): readonly ScorerSpec[] {
  return scorers.filter((spec) => spec.check === 'javascript' || spec.check === 'not-javascript');
}

/** Runs the expressions of an eval on one answer; by scorer name. */
export async function evaluateExpressions(
  answered: AnsweredRow,
  config: Pick<EvalConfig, 'scorers'>,
  evaluator: ExpressionEvaluator,
): Promise<ReadonlyMap<string, ExpressionResult>> {
  const results = new Map<string, ExpressionResult>();
  const variables = variablesOf(answered);
  for (const { name, options } of expressionScorers(config)) {
    const threshold = typeof options.threshold === 'number' ? options.threshold : undefined;
    results.set(name, await evaluator.evaluate({ source: String(options.value), variables, threshold }));
  }
  return results;
}

function variablesOf({ row, answer, latencyMs, costUsd = null }: AnsweredRow): JsonObject {
  const { id, input, expected, rubric, tags, difficulty, metadata } = row;
  const contexts = answer.contexts ?? row.contexts;
  const vars = row.input_fields ?? (typeof input === 'object' ? input : { input });
  return {
    output: answer.text,
    expected,
    input,
    contexts: contexts === null ? null : [...contexts],
    row: { id, input, expected, rubric, tags, difficulty, metadata },
    latency_ms: latencyMs,
    cost_usd: costUsd,
    // As promptfoo's expressions know it.
    context: { vars },
  };
}
