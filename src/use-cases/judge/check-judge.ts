import { addCosts, addUsage, NO_COST } from '../../core/cost/cost.ts';
import { CANARIES, type Canary, canaryHolds, canaryQuestion } from '../../core/judging/canaries.ts';
import { promptVersion } from '../../core/judging/prompts/registry.ts';
import type { JudgeQuestion } from '../../core/judging/question.ts';
import { readText } from '../../core/read-text.ts';
import { type CanaryReport, CanaryReportSchema } from '../../core/schemas/canaries.ts';
import type { EvalConfig } from '../../core/schemas/eval.ts';
import { RowSchema } from '../../core/schemas/row.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import { judgedPrompts } from '../../core/scoring/judged-prompts.ts';
import type { Judge } from '../../ports/judge.ts';
import type { RunStore } from '../../ports/run-store.ts';
import { askJudge, type JudgedAnswer } from './judge-answer.ts';

export interface CheckJudgePorts {
  readonly judges: readonly Judge[];
  /** Takes secrets out of a text. */
  redact(text: string): string;
  readonly signal: AbortSignal;
}

/** Target id of planted questions: no target answered them. */
const PLANTED = 'canary';

/**
 * Puts planted answers with known verdicts to each judge, in the prompts the eval uses, before any row is judged. A judge
 * that obeys an answer is found here. Null: nothing is planted (`canaries: false`, no judge, or no model among them).
 */
export async function checkJudge(run: RunConfig, ports: CheckJudgePorts): Promise<CanaryReport | null> {
  const judges = checkedJudges(run.eval, ports.judges);
  const questions = plantedQuestions(run.eval);
  if (judges.length === 0 || questions.length === 0) return null;
  const pending = judges.flatMap((judge) => questions.map((planted) => ({ judge, ...planted })));
  const report: CanaryReport = { asked: 0, held: 0, failed: 0, wrong: [], failure: null, cost: NO_COST, usage: null };
  for (let at = 0; at < pending.length; at += run.eval.concurrency) {
    const group = pending.slice(at, at + run.eval.concurrency);
    const answers = await Promise.all(group.map((planted) => ask(planted, run, ports)));
    for (const [position, answer] of answers.entries()) {
      const planted = group[position];
      if (planted !== undefined) note(report, planted, answer, ports);
    }
  }
  return report;
}

/** Whether a run plants answers at all. */
export function plantsCanaries(config: EvalConfig): boolean {
  return config.canaries ?? config.judges.some(({ type }) => type === 'bedrock' || type === 'openai');
}

/** Whether a judge of this kind is sent planted answers: one that counts words or replays obeys nobody. */
export function isPlanted(config: EvalConfig, judge: EvalConfig['judges'][number]): boolean {
  if (!plantsCanaries(config)) return false;
  return config.canaries === true || judge.type === 'bedrock' || judge.type === 'openai';
}

/** What the guard of a run learns of it. In a jury a juror alone may fail: it counts only when nobody gave a verdict. */
export function plantedFailures(report: CanaryReport, judges: number): { failures: number; why: string; usd: number } {
  const usd = report.cost.status === 'metered' ? report.cost.usd : 0;
  const silent = report.failed === report.asked ? Math.ceil(report.failed / Math.max(1, judges)) : 0;
  return { failures: judges > 1 ? silent : report.failed, why: report.failure ?? '', usd };
}

/** In words, for the stop; null when every verdict was as it must be or there was none. */
export function compromised(report: CanaryReport | null): string | null {
  const [first, ...others] = report?.wrong ?? [];
  if (first === undefined) return null;
  return `judge compromised: ${first.text}${others.length === 0 ? '' : `, and ${others.length} more`}`;
}

export async function readCanaries(runId: string, runs: RunStore): Promise<CanaryReport | null> {
  const chunks = await runs.read(runId, 'canaries.json');
  return chunks === null ? null : CanaryReportSchema.parse(JSON.parse(await readText(chunks)));
}

export async function writeCanaries(runId: string, report: CanaryReport, runs: RunStore): Promise<void> {
  await runs.write(runId, 'canaries.json', `${JSON.stringify(report, null, 2)}\n`);
}

/** A judge that counts words or replays obeys nobody; it is asked only when that is wanted. */
function checkedJudges(config: EvalConfig, judges: readonly Judge[]): readonly Judge[] {
  if (!plantsCanaries(config)) return [];
  return config.canaries === true ? judges : judges.filter(({ isModel }) => isModel);
}

interface Planted {
  readonly canary: Canary;
  readonly question: JudgeQuestion;
  readonly firstCall: number;
}

function plantedQuestions(config: EvalConfig): readonly Planted[] {
  return judgedPrompts(config).flatMap((promptId, position) =>
    CANARIES.map((canary) => ({
      canary,
      question: canaryQuestion(canary, promptId, config.judge_scales),
      firstCall: position * CALLS_A_QUESTION,
    })),
  );
}

const CALLS_A_QUESTION = 2;

function ask(planted: Planted & { judge: Judge }, run: RunConfig, { signal }: CheckJudgePorts): Promise<JudgedAnswer> {
  const { judge, canary, question, firstCall } = planted;
  const { input, expected, rubric } = question;
  const row = RowSchema.parse({ id: `canary-${canary.name}`, index: 0, input, expected, rubric });
  return askJudge({ judge, question, row, targetId: PLANTED, trial: 0, runId: run.run_id, firstCall, signal });
}

function note(
  report: CanaryReport,
  { judge, canary, question }: Planted & { judge: Judge },
  { judgement, cost, usage }: JudgedAnswer,
  { redact }: CheckJudgePorts,
): void {
  report.asked += 1;
  report.cost = addCosts(report.cost, cost);
  report.usage = addUsage(report.usage, usage);
  const holds = canaryHolds(canary, question, judgement);
  if (holds === true) report.held += 1;
  else if (holds === null) {
    report.failed += 1;
    if (judgement.status === 'judge_error') report.failure ??= redact(`${judge.id}: ${judgement.message}`);
  } else {
    const prompt = promptVersion(question.promptId);
    const did = canary.must === 'fail' ? 'did not fail' : 'did not pass';
    const text = `${judge.id} ${did} a planted answer that ${canary.about} (canary ${canary.name}, prompt ${prompt})`;
    report.wrong.push({ canary: canary.name, judge: judge.id, prompt, text });
  }
}
