import { nearestName } from '../nearest.ts';
import type { EvalConfig } from '../schemas/eval.ts';
import { type Score, scored } from '../schemas/score.ts';
import { assertScoring } from './assert-scoring.ts';
import type { TextRules } from './checks/fold.ts';
import { foldText } from './checks/fold.ts';
import { expectedText } from './checks/run-check.ts';
import { shorten } from './checks/shorten.ts';
import type { EvalScoring, RowScores } from './eval-scoring.ts';
import { foldLabels, namedLabels } from './labels.ts';

const checks = assertScoring({
  judge: null,
  configFaults(config) {
    if (!config.strict_labels || config.labels !== undefined) return [];
    const fix = 'list them: labels: [billing, refund]';
    return [{ field: 'strict_labels', message: 'strict_labels needs the labels there are', fix }];
  },
  rowFaults(row, config) {
    const expected = expectedText(row.expected);
    if (expected === null || config.labels === undefined) return [];
    const folded = foldText(expected.trim(), rulesOf(config).textMatch);
    if (foldLabels(config.labels, rulesOf(config)).includes(folded)) return [];
    const nearest = nearestName(expected, config.labels);
    const fix = nearest === undefined ? `labels: ${config.labels.join(', ')}` : `did you mean "${nearest}"?`;
    return [{ field: 'expected', message: `row "${row.id}": ${shorten(expected)} is not among the labels`, fix }];
  },
});

/** The answer contains the label. Where the labels are known, an answer that names another one is called ambiguous. */
export const classificationScoring: EvalScoring = {
  ...checks,
  score(answered, judgements, config) {
    const result = checks.score(answered, judgements, config);
    const held = result.failedChecks.length === 0;
    const named = ambiguousLabels(answered.answer.text, expectedText(answered.row.expected), held, config);
    if (named === null) return result;
    const warning = `ambiguous: the answer names ${named.join(', ')}`;
    if (config.strict_labels && held) return failStrictly(result, warning);
    return { ...result, warnings: [...result.warnings, warning] };
  },
};

/**
 * The labels an answer names when they are several, or when the expected one was found only inside another label
 * (`spam` in `not spam`). Null when it is clear, or when the labels are unknown.
 */
function ambiguousLabels(
  answer: string,
  expected: string | null,
  checksHeld: boolean,
  config: EvalConfig,
): readonly string[] | null {
  if (config.labels === undefined || expected === null) return null;
  const rules = rulesOf(config);
  const named = namedLabels(answer, foldLabels(config.labels, rules), rules);
  if (named.length > 1) return named;
  const isExpected = named[0] === foldText(expected.trim(), rules.textMatch);
  return named.length === 1 && checksHeld && !isExpected ? named : null;
}

function failStrictly(result: RowScores, warning: string): RowScores {
  const scores: Record<string, Score> = Object.fromEntries(
    Object.entries(result.scores).map(([name, score]) => [name, { ...scored(0, warning), votes: score.votes }]),
  );
  return { scores, failedChecks: Object.keys(scores), warnings: [...result.warnings, warning] };
}

function rulesOf(config: EvalConfig): TextRules {
  return { textMatch: config.text_match, wordBoundary: config.word_boundary };
}
