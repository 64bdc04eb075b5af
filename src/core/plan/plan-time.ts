import type { EvalConfig } from '../schemas/eval.ts';
import type { PlanEvidence, RunPlan } from './run-plan.ts';

/** From question to verdict, where nothing was measured. */
const ASSUMED_SECONDS = 2;

/** Seconds that a run would take at its concurrency, by the best that is known. */
export function planTime(config: EvalConfig, { sample, lastRun }: PlanEvidence, answers: number): RunPlan['time'] {
  const of = (seconds_an_answer: number, basis: RunPlan['time']['basis']) => ({
    seconds: Math.ceil(answers / config.concurrency) * seconds_an_answer,
    seconds_an_answer,
    basis,
  });
  if (sample !== null && sample.durationsMs.length > 0) {
    return of(sample.durationsMs.reduce((sum, ms) => sum + ms, 0) / sample.durationsMs.length / 1000, 'sample');
  }
  if (lastRun?.secondsAnAnswer != null) return of(lastRun.secondsAnAnswer, 'last run');
  const isRecorded = config.targets.every(({ type }) => type === 'recorded');
  const isJudged = config.judges.some(({ type }) => type === 'bedrock' || type === 'openai');
  return of(isRecorded && !isJudged ? 0 : ASSUMED_SECONDS, 'assumed');
}
