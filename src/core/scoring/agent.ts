import type { Fault } from '../errors.ts';
import type { JudgeQuestion } from '../judging/question.ts';
import type { EvalConfig } from '../schemas/eval.ts';
import type { Score } from '../schemas/score.ts';
import { answerFaults, answerQuestions, FELL_BACK, isAnswerChecked, scoreAnswer } from './agent-answer.ts';
import { scoreEfficiency } from './agent-efficiency.ts';
import { agentComposite, agentGateFailures, agentGateOf } from './agent-gate.ts';
import { reasoningQuestions, scoreReasoning } from './agent-reasoning.ts';
import { scoreTools, stepChecksOf, toolCallsOf } from './agent-tools.ts';
import { aside, COMPOSITE } from './composite.ts';
import type { AnsweredRow, EvalScoring } from './eval-scoring.ts';
import { judgedScore } from './judged-score.ts';
import { judgementOn } from './judgement-on.ts';
import { targetsWithoutTrajectory } from './trajectories.ts';

/**
 * What an agent did and answered (SCORING §5): answer, tools, efficiency and, with a judge, reasoning. The composite is
 * the row's score; the row gate decides by the dimensions. A crashed agent never gets here: it is a target error.
 *
 * A target without a trajectory is an agent of which only the final answer is known: checks of its steps are refused
 * when the dataset loads, or do not hold where the trajectory turns out to be missing.
 */
export const agentScoring: EvalScoring = {
  checkConfig(config) {
    const faults: Fault[] = [];
    const gate = agentGateOf(config.thresholds);
    if (config.scorers.length > 0) {
      const message = 'an eval of type agent has its own scorers';
      faults.push({ field: 'scorers', message, fix: 'leave it out; answer_match in the rows says how to compare' });
    }
    const reasoningWeight = config.judges.length > 0 ? gate.reasoning_weight : 0;
    if (gate.answer_weight + gate.tool_weight + gate.efficiency_weight + reasoningWeight === 0) {
      const message = 'the weights of all scored dimensions are 0, so nothing would be scored';
      faults.push({ field: 'thresholds.answer_weight', message, fix: 'give one of them a weight' });
    }
    if (gate.min_reasoning_score === null) return faults;
    const field = 'thresholds.min_reasoning_score';
    if (config.judges.length === 0) faults.push({ field, ...NO_JUDGE });
    const blind = targetsWithoutTrajectory(config, null);
    if (blind.length > 0) {
      const message = `min_reasoning_score needs steps to judge, and ${blind.join(', ')} gives none`;
      faults.push({ field, message, fix: 'set trajectory_path on the target, or drop the minimum' });
    }
    return faults;
  },

  checkRow(row, config) {
    const faults: Fault[] = [...answerFaults(row, config)];
    const needed = stepChecksOf(row.checks);
    const blind = needed.length === 0 ? [] : targetsWithoutTrajectory(config, row);
    if (blind.length > 0) {
      const message = `row "${row.id}" has ${needed.join(', ')}, and ${blind.join(', ')} gives no trajectory to check`;
      faults.push({ field: 'checks', message, fix: 'set trajectory_path on the target, or record a trajectory' });
    }
    if (config.judges.length === 0 && typeof row.checks.min_reasoning_score === 'number') {
      const { message, fix } = NO_JUDGE;
      faults.push({ field: 'checks.min_reasoning_score', message: `row "${row.id}": ${message}`, fix });
    }
    return faults;
  },

  questions: questionsOf,

  score(answered, judgements, config) {
    const { row, answer } = answered;
    const { trajectory } = answer;
    const gate = agentGateOf(config.thresholds);
    const questions = questionsOf(answered, config);
    const judged = (name: string): Score => judgedScore(name, judgementOn(name, questions, judgements));

    const compared = scoreAnswer(answered, config, judged);
    const calls = trajectory === undefined ? null : toolCallsOf(trajectory);
    const tools = scoreTools(calls, row.checks);
    const efficiency = scoreEfficiency(trajectory?.steps.length ?? null, row.checks.max_steps);
    const reasoning = scoreReasoning(answered, config, judged);
    const dimensions: Record<string, Score> = {
      answer_score: aside(compared.score),
      ...Object.fromEntries(compared.parts.map(([name, score]) => [name, aside(score)])),
      tool_score: aside(tools.score),
      efficiency_score: aside(efficiency),
    };
    if (reasoning !== null) {
      dimensions.reasoning_score = aside(reasoning.score);
      for (const [name, score] of reasoning.parts) dimensions[name] = aside(score);
    }
    const failedGates = agentGateFailures(dimensions, gate, row.checks);
    const failedChecks = [
      ...failedGates,
      // A check that failed within what the minimum allows did not fail the row: the reason of tool_score has it.
      ...(failedGates.includes('min_tool_score') ? tools.failed : []),
      ...tooManyCalls(calls?.length ?? null, row.checks.max_tool_calls),
    ];
    const warnings: string[] = [];
    if (compared.fellBack) warnings.push(FELL_BACK);
    if (reasoning?.cut != null) warnings.push(`the judge saw the steps shortened: ${reasoning.cut}`);
    if (checksNothing(answered, config)) {
      warnings.push('nothing is checked: the row has no expected answer, no rubric and no checks');
    }
    return { scores: { [COMPOSITE]: agentComposite(dimensions, gate), ...dimensions }, failedChecks, warnings };
  },
};

const NO_JUDGE = {
  message: 'min_reasoning_score needs a judge and there is none',
  fix: 'add judge: {model: …}, or drop the minimum',
};

function questionsOf(answered: AnsweredRow, config: EvalConfig): readonly JudgeQuestion[] {
  return [...answerQuestions(answered, config), ...reasoningQuestions(answered, config)];
}

function tooManyCalls(calls: number | null, most: number | undefined): readonly string[] {
  if (most === undefined || (calls !== null && calls <= most)) return [];
  return [`max_tool_calls: ${calls === null ? 'unknown' : calls} of at most ${most}`];
}

function checksNothing(answered: AnsweredRow, config: EvalConfig): boolean {
  const { checks } = answered.row;
  return !isAnswerChecked(answered, config) && stepChecksOf(checks).length === 0 && config.judges.length === 0;
}
