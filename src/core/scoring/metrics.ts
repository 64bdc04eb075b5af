import type { Fault } from '../errors.ts';
import { metricAsk } from '../judging/prompts/metrics.ts';
import type { JudgeAsk, JudgeQuestion } from '../judging/question.ts';
import { CONTEXT_METRICS, DEFAULT_LATENCY_BUDGET_MS, type EvalConfig, type MetricName } from '../schemas/eval.ts';
import { type Score, scored, unscored } from '../schemas/score.ts';
import { scorerFaults, scorerRowFaults, scorerScore } from './assert-scoring.ts';
import { expectedText } from './checks/run-check.ts';
import { contextsOf, targetsBringContexts } from './contexts.ts';
import type { AnsweredRow, EvalScoring, Judgement } from './eval-scoring.ts';
import { rubricQuestion } from './judge-rubric.ts';
import { judgedScore } from './judged-score.ts';
import { rubricOf } from './rubric-of.ts';

type JudgedMetric = Exclude<MetricName, 'latency'>;

/** Metrics of 0..1 each, judged together or one by one; latency is measured. Text checks may be added. */
export const metricsScoring: EvalScoring = {
  checkConfig(config) {
    const faults: Fault[] = [...scorerFaults(config, false), ...nameFaults(config)];
    const judged = metricsOf(config).filter(isJudged);
    if (judged.length > 0 && config.judges.length === 0) {
      const fix = 'add judge: {model: …}, or list only latency and text checks';
      faults.push({ field: 'judge', message: `${judged.join(', ')} need a judge and there is none`, fix });
    }
    return faults;
  },

  checkRow(row, config) {
    const metrics = metricsOf(config);
    const faults: Fault[] = config.scorers.flatMap((spec) => scorerRowFaults(spec, row, config));
    const needContexts = metrics.filter((metric) => CONTEXT_METRICS.includes(metric));
    if (needContexts.length > 0 && (row.contexts ?? []).length === 0 && !targetsBringContexts(config)) {
      const message = `row "${row.id}" has no contexts, which ${needContexts.join(', ')} need`;
      faults.push({ field: 'contexts', message, fix: 'fill in contexts, or set contexts_path on every target' });
    }
    if (metrics.includes('context_recall') && expectedText(row.expected) === null) {
      const message = `row "${row.id}" has no expected answer, which context_recall needs`;
      faults.push({ field: 'expected', message, fix: 'fill in expected, or leave the metric out' });
    }
    return faults;
  },

  questions(answered, config) {
    const asks = asksOf(answered, config);
    const together = asks.length === 0 ? [] : [asks];
    const groups = config.judge_calls === 'per_metric' ? asks.map((ask) => [ask]) : together;
    const rubrics = config.scorers.flatMap((spec) => rubricQuestion(spec, answered, config) ?? []);
    return [...groups.map((group) => question(answered, group, config)), ...rubrics];
  },

  score(answered, judgements, config) {
    const asks = asksOf(answered, config);
    const judgementOf = (metric: MetricName): Judgement | undefined =>
      judgements[config.judge_calls === 'per_metric' ? asks.findIndex((ask) => ask.name === metric) : 0];
    const scores: Record<string, Score> = {};
    for (const metric of metricsOf(config)) scores[metric] = metricScore(metric, answered, judgementOf(metric), config);
    const failedChecks: string[] = [];
    let asked = config.judge_calls === 'per_metric' ? asks.length : Math.min(asks.length, 1);
    for (const spec of config.scorers) {
      const isAsked = rubricQuestion(spec, answered, config) !== null;
      const score = scorerScore(spec, answered, isAsked ? judgements[asked++] : undefined, config);
      scores[spec.name] = score;
      if (score.value === 0) failedChecks.push(spec.name);
    }
    return { scores, failedChecks, warnings: [] };
  },
};

/** The metrics that count, each once; setting a latency budget adds latency. */
function metricsOf({ metrics, latency_budget_ms }: EvalConfig): readonly MetricName[] {
  return [...new Set(latency_budget_ms === undefined ? metrics : [...metrics, 'latency' as const])];
}

const isJudged = (metric: MetricName): metric is JudgedMetric => metric !== 'latency';

/** Nothing was retrieved: precision and recall of nothing are 0, and no judge is needed to say so. */
function isSettledByNoContexts(metric: MetricName, answered: AnsweredRow): boolean {
  const ofPassages = metric === 'context_precision' || metric === 'context_recall';
  return ofPassages && (contextsOf(answered) ?? []).length === 0;
}

function asksOf(answered: AnsweredRow, config: EvalConfig): readonly JudgeAsk[] {
  const passages = contextsOf(answered)?.length ?? 0;
  return metricsOf(config)
    .filter(isJudged)
    .filter((metric) => !isSettledByNoContexts(metric, answered))
    .map((metric) => metricAsk(metric, passages));
}

function question(answered: AnsweredRow, asks: readonly JudgeAsk[], config: EvalConfig): JudgeQuestion {
  const { row, answer } = answered;
  return {
    promptId: 'metrics',
    asks,
    input: row.input,
    expected: expectedText(row.expected) === null ? null : row.expected,
    answer: answer.text,
    // Passages are shown only to those who are asked about them: they would bias the other metrics.
    contexts: asks.some((ask) => CONTEXT_METRICS.includes(ask.name as MetricName))
      ? (contextsOf(answered) ?? [])
      : null,
    rubric: asks.some((ask) => ask.name === 'rubric') ? rubricOf(row, config) : null,
  };
}

function metricScore(
  metric: MetricName,
  answered: AnsweredRow,
  judgement: Judgement | undefined,
  config: EvalConfig,
): Score {
  if (metric === 'latency') return latencyScore(answered.latencyMs, config.latency_budget_ms);
  if (isSettledByNoContexts(metric, answered)) return scored(0, 'no passages were retrieved');
  const score = judgedScore(metric, judgement);
  const unsupported = metric === 'faithfulness' && (contextsOf(answered) ?? []).length === 0;
  // A lenient judge calls claims supported by nothing at all.
  return unsupported && score.status === 'scored' && score.value > 0
    ? { ...score, value: 0, reason: 'no passages were retrieved, so no claim is supported' }
    : score;
}

function latencyScore(latencyMs: number | null, budgetMs = DEFAULT_LATENCY_BUDGET_MS): Score {
  if (latencyMs === null) return unscored('not-applicable', 'the answer was recorded: its time was not measured');
  const isWithin = latencyMs <= budgetMs;
  return scored(isWithin ? 1 : 0, `${latencyMs} ms, budget ${budgetMs} ms`, { raw_score: latencyMs });
}

/** A scorer and a metric of one name would overwrite each other. */
function nameFaults(config: EvalConfig): readonly Fault[] {
  return config.scorers
    .filter((spec) => metricsOf(config).some((metric) => metric === spec.name))
    .map((spec) => ({ field: 'scorers', message: `"${spec.name}" is a metric already`, fix: 'leave it out' }));
}
