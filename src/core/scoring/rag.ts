import type { Fault } from '../errors.ts';
import { furtherAsks, qualityAsk } from '../judging/prompts/qualities.ts';
import type { JudgeQuestion } from '../judging/question.ts';
import type { EvalConfig } from '../schemas/eval.ts';
import { type Score, scored } from '../schemas/score.ts';
import { checkScore } from './assert-scoring.ts';
import { expectedFaults } from './checks/run-check.ts';
import { aside, COMPOSITE } from './composite.ts';
import { contextsOf, targetsBringContexts } from './contexts.ts';
import type { AnsweredRow, EvalScoring } from './eval-scoring.ts';
import { judgedScore } from './judged-score.ts';
import { judgementOn } from './judgement-on.ts';
import { metricsScoring } from './metrics.ts';
import {
  ANSWER_CORRECTNESS_SCORE,
  CONTAINS_SCORE,
  FAITHFULNESS_SCORE,
  ragComposite,
  ragGateFailures,
  ragGateOf,
} from './rag-gate.ts';
import { UNVERIFIED } from './row-minimum.ts';

const CONTAINS = { name: 'contains', check: 'contains', options: {} };

/**
 * Answers from retrieved passages (SCORING §4): the text check always; with a judge correctness and faithfulness, a call
 * each. The composite is the row's score; the row gate decides by the signals. Metrics are stored beside them.
 */
export const ragScoring: EvalScoring = {
  checkConfig(config) {
    const { faithfulness_weight, answer_correctness_weight, min_faithfulness_score } = ragGateOf(config.thresholds);
    const faults: Fault[] = [];
    if (config.scorers.length > 0) {
      const fix = 'leave it out; further judged metrics go under metrics:';
      faults.push({ field: 'scorers', message: 'an eval of type rag has its own scorers', fix });
    }
    if (faithfulness_weight + answer_correctness_weight === 0) {
      const message = 'both weights are 0, so nothing would be scored';
      faults.push({ field: 'thresholds.faithfulness_weight', message, fix: 'give one of them a weight' });
    }
    if (config.judges.length > 0) return faults;
    if (min_faithfulness_score !== null) faults.push(unjudged('thresholds.min_faithfulness_score'));
    const judged = config.metrics.filter((metric) => metric !== 'latency');
    if (judged.length > 0) {
      const fix = 'add judge: {model: …}, or leave the metrics out';
      faults.push({ field: 'judge', message: `${judged.join(', ')} need a judge and there is none`, fix });
    }
    return faults;
  },

  checkRow(row, config) {
    const faults: Fault[] = [...expectedFaults(CONTAINS, row)];
    // An empty list says that nothing was retrieved, which is a finding; no list says nothing at all.
    if (row.contexts === null && !targetsBringContexts(config)) {
      const message = `row "${row.id}" has no contexts to be faithful to`;
      faults.push({ field: 'contexts', message, fix: 'fill in contexts, or set contexts_path on every target' });
    }
    if (config.judges.length === 0 && typeof row.checks.min_faithfulness_score === 'number') {
      const { message, fix } = unjudged('');
      faults.push({ field: 'checks.min_faithfulness_score', message: `row "${row.id}": ${message}`, fix });
    }
    return faults;
  },

  questions(answered, config) {
    if (config.judges.length === 0) return [];
    return [...signalQuestions(answered, config), ...metricsScoring.questions(answered, config)];
  },

  score(answered, judgements, config) {
    const { row } = answered;
    const gate = ragGateOf(config.thresholds);
    const questions = config.judges.length === 0 ? [] : signalQuestions(answered, config);
    const judged = (name: string): Score => judgedScore(name, judgementOn(name, questions, judgements));
    const contains = checkScore(CONTAINS, answered.answer.text, row, config);
    const signals: Record<string, Score> = {
      [CONTAINS_SCORE]: aside(contains),
      [ANSWER_CORRECTNESS_SCORE]: aside(
        config.judges.length === 0
          ? scored(contains.value ?? 0, 'no judge: the same as contains_score')
          : judged(ANSWER_CORRECTNESS_SCORE),
      ),
      [FAITHFULNESS_SCORE]: aside(faithfulness(answered, config, judged)),
    };
    for (const { name } of asksBeside(config)) signals[name] = aside(judged(name));
    const metrics = metricsScoring.score(answered, judgements.slice(questions.length), config).scores;
    for (const [name, score] of Object.entries(metrics)) signals[name] = aside(score);
    return {
      scores: { [COMPOSITE]: ragComposite(signals, gate), ...signals },
      failedChecks: ragGateFailures(signals, gate, row.checks),
      warnings: config.judges.length === 0 ? ['faithfulness is unverified: no judge is configured'] : [],
    };
  },
};

function signalQuestions(answered: AnsweredRow, config: EvalConfig): readonly JudgeQuestion[] {
  const { row, answer } = answered;
  const scales = config.judge_scales;
  const base = { promptId: 'rag', input: row.input, answer: answer.text, rubric: null } as const;
  const correctness = qualityAsk(ANSWER_CORRECTNESS_SCORE, 'correctness', scales);
  const questions: JudgeQuestion[] = [{ ...base, asks: [correctness], expected: row.expected, contexts: null }];
  if (passages(answered).length > 0) {
    const asks = [qualityAsk(FAITHFULNESS_SCORE, 'faithfulness', scales)];
    // The expected answer is left out: what it says and the passages do not is unsupported all the same.
    questions.push({ ...base, asks, expected: null, contexts: passages(answered) });
  }
  const asks = asksBeside(config);
  if (asks.length > 0) questions.push({ ...base, asks, expected: null, contexts: null });
  return questions;
}

const asksBeside = (config: EvalConfig) => (config.judges.length === 0 ? [] : furtherAsks(config.judge_scales));

/** Nothing was retrieved: nothing supports the answer, and no judge is needed (or trusted) to say so. */
function faithfulness(answered: AnsweredRow, config: EvalConfig, judged: (name: string) => Score): Score {
  if (config.judges.length === 0) return scored(1, 'unverified: no judge is configured', { raw_label: UNVERIFIED });
  if (passages(answered).length > 0) return judged(FAITHFULNESS_SCORE);
  return scored(0, 'no passages were retrieved, so nothing supports the answer');
}

function passages(answered: AnsweredRow): readonly string[] {
  return contextsOf(answered) ?? [];
}

function unjudged(field: string): Fault {
  const message = 'min_faithfulness_score needs a judge and there is none';
  return { field, message, fix: 'add judge: {model: …}, or drop the minimum' };
}
