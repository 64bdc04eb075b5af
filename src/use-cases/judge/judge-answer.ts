import { addCosts, addUsage, NO_COST } from '../../core/cost/cost.ts';
import { combineJury } from '../../core/judging/jury.ts';
import { deriveNonce } from '../../core/judging/nonce.ts';
import type { JudgeQuestion } from '../../core/judging/question.ts';
import { readVerdicts, type VerdictReading } from '../../core/judging/read-verdicts.ts';
import { renderPrompt, renderRepairPrompt } from '../../core/judging/render-prompt.ts';
import type { Cost, Usage } from '../../core/schemas/answer.ts';
import type { Row } from '../../core/schemas/row.ts';
import type { Judgement } from '../../core/scoring/eval-scoring.ts';
import type { Judge, JudgeReply } from '../../ports/judge.ts';
import type { VerdictMemory } from './verdict-memory.ts';

export interface AskJudgeInput {
  readonly judge: Judge;
  readonly question: JudgeQuestion;
  readonly row: Row;
  readonly targetId: string;
  /** From 0. */
  readonly trial: number;
  readonly runId: string;
  /** Number of the first call among the row's calls; the next question starts at `firstCall + calls`. */
  readonly firstCall: number;
  readonly signal: AbortSignal;
  /** Where verdicts are kept from run to run. @default every answer is judged anew */
  readonly memory?: VerdictMemory | undefined;
}

export interface JudgedAnswer {
  readonly judgement: Judgement;
  readonly usage: Usage | null;
  /** Of all calls, repairs and retries too. */
  readonly cost: Cost;
  /** Calls made, 1 or 2 a judge; 0 for a verdict that was kept. */
  readonly calls: number;
  /** Requests that the judge throttled. */
  readonly throttled: number;
}

/**
 * Asks, reads, and asks once more where the form of the reply was wrong. A judge that still gives no verdict is a judge
 * error. A verdict that was kept costs nothing and is marked `cached`.
 */
export async function askJudge(input: AskJudgeInput): Promise<JudgedAnswer> {
  const { memory, judge, question, trial } = input;
  const kept = (await memory?.recall(judge, question, trial)) ?? null;
  if (kept !== null) return { judgement: kept, usage: null, cost: NO_COST, calls: 0, throttled: 0 };
  const answer = await askAnew(input);
  await memory?.keep(judge, question, trial, answer.judgement);
  return answer;
}

async function askAnew(input: AskJudgeInput): Promise<JudgedAnswer> {
  const first = await callJudge(input, input.firstCall, null);
  if (first.reading.ok || !first.reading.repairable || input.signal.aborted) {
    return { ...spent(first.reply), judgement: toJudgement(first.reading, false), calls: 1 };
  }
  const repair = await callJudge(input, input.firstCall + 1, first.reading.fault);
  return {
    usage: addUsage(first.reply.usage, repair.reply.usage),
    cost: addCosts(first.reply.cost, repair.reply.cost),
    judgement: repair.reading.ok ? toJudgement(repair.reading, true) : bothFailed(first.reading, repair.reading),
    calls: 2,
    throttled: throttledIn(first.reply) + throttledIn(repair.reply),
  };
}

/** One judge alone, or a jury: all are asked at once and their votes combined. `judges` must not be empty. */
export async function askJudges(judges: readonly Judge[], input: Omit<AskJudgeInput, 'judge'>): Promise<JudgedAnswer> {
  const [only, ...others] = judges;
  if (only === undefined) throw new RangeError('no judge to ask');
  if (others.length === 0) return askJudge({ ...input, judge: only });
  const answers = await Promise.all(
    judges.map(async (judge) => ({ judge: judge.id, ...(await askJudge({ ...input, judge })) })),
  );
  return {
    judgement: combineJury(answers, input.question),
    usage: answers.map(({ usage }) => usage).reduce(addUsage, null),
    cost: answers.map(({ cost }) => cost).reduce(addCosts, NO_COST),
    // The calls of jurors run side by side under the same numbers: the row goes on after the longest of them.
    calls: Math.max(...answers.map(({ calls }) => calls)),
    throttled: answers.reduce((sum, { throttled }) => sum + throttled, 0),
  };
}

async function callJudge(input: AskJudgeInput, call: number, fault: string | null) {
  const { judge, question, row, targetId, trial, runId, signal } = input;
  const nonce = deriveNonce({ runId, rowId: row.id, target: targetId, trial, call });
  const prompt = fault === null ? renderPrompt(question, nonce) : renderRepairPrompt(question, nonce, fault);
  const reply = await judge.ask({ question, prompt, row, targetId, trial, call, signal });
  return { reply, reading: readVerdicts(reply, question, prompt.nonce) };
}

type FailedReading = Extract<VerdictReading, { ok: false }>;

function toJudgement(reading: VerdictReading, repaired: boolean): Judgement {
  if (!reading.ok) return { status: 'judge_error', cause: reading.cause, message: reading.fault };
  return { status: 'judged', verdicts: reading.verdicts, repaired, cached: false, votes: new Map() };
}

/** The repair's own cause, unless there was simply no second reply on record: then the first one's fault is what matters. */
function bothFailed(first: FailedReading, repair: FailedReading): Judgement {
  const cause = repair.cause === 'no-recorded-verdict' ? first.cause : repair.cause;
  const message = `${first.fault}; after one repair call: ${repair.fault}`;
  return { status: 'judge_error', cause, message };
}

function spent(reply: JudgeReply): Pick<JudgedAnswer, 'usage' | 'cost' | 'throttled'> {
  return { usage: reply.usage, cost: reply.cost, throttled: throttledIn(reply) };
}

const throttledIn = ({ throttled = 0 }: JudgeReply): number => throttled;
