import { addCosts, addUsage, NO_COST } from '../../core/cost/cost.ts';
import { disagreements } from '../../core/judging/disagreement.ts';
import { throttleWarnings } from '../../core/pace/throttle-warning.ts';
import type { Cost, Usage } from '../../core/schemas/answer.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import type { AnsweredRow, EvalScoring, Judgement } from '../../core/scoring/eval-scoring.ts';
import { decideRow } from '../../core/scoring/row-outcome.ts';
import { wellFormed } from '../../core/well-formed.ts';
import type { ExpressionEvaluator } from '../../ports/expressions.ts';
import type { Judge } from '../../ports/judge.ts';
import type { TargetReply } from '../../ports/target.ts';
import { askJudges } from '../judge/judge-answer.ts';
import type { VerdictMemory } from '../judge/verdict-memory.ts';
import { cutOffCause } from './cut-off.ts';
import { evaluateExpressions } from './evaluate-expressions.ts';
import type { RowTask } from './evaluate-rows.ts';
import { answerFields, blankResult, type JudgeSpend, skippedResult, spendFields, usdOf } from './row-result.ts';

export interface EvaluateRowPorts {
  readonly run: RunConfig;
  readonly scoring: EvalScoring;
  /** Empty when the eval needs none. */
  readonly judges: readonly Judge[];
  /** Takes secrets out of any text before it is kept. */
  redact(text: string): string;
  /** Aborted: the row ends as skipped (`CutOff`). */
  readonly signal: AbortSignal;
  /** Where the eval keeps verdicts (`judge_cache`). */
  readonly memory?: VerdictMemory | undefined;
  /** Where the eval has `javascript` scorers. */
  readonly expressions?: ExpressionEvaluator | undefined;
}

/**
 * One task of the manifest: target → judge → scores → result. Row failures are results; it throws only on bugs.
 * `onAnswer` is called when the target has answered, before a judge is asked.
 */
export async function evaluateRow(task: RowTask, ports: EvaluateRowPorts, onAnswer?: () => void): Promise<RowResult> {
  const reply = await task.target.ask({ row: task.row, trial: askedTrial(task, ports.run), signal: ports.signal });
  if (reply.status === 'failed') return cutOffResult(task, reply, NOT_JUDGED, ports) ?? targetError(task, reply, ports);
  onAnswer?.();
  const answered = await answeredRow(task, reply, ports);
  const judged = await judgeAll(task, answered, ports);
  const cutOff = judged.isWhole ? null : cutOffResult(task, reply, judged, ports);
  if (cutOff !== null) return cutOff;
  const { eval: config, policy } = ports.run;
  const { scores, failedChecks, warnings } = ports.scoring.score(answered, judged.judgements, config);
  const split = ports.judges.length > 1 ? disagreements(scores) : [];
  const outcome = decideRow({ scores, failedChecks, warnings }, policy, judged.judgements);
  const failure = judged.judgements.find((judgement) => judgement.status === 'judge_error');
  return {
    ...blankResult(task, ports.run),
    status: outcome.status,
    cause: outcome.cause,
    passed: outcome.passed,
    score: outcome.score,
    ...answerFields(reply, task.row),
    ...spendFields(reply, judged),
    scores: redactReasons(scores, ports),
    failed_checks: [...outcome.failedChecks],
    error: outcome.status === 'scored' ? null : ports.redact(failure?.message ?? 'no scorer applies to this row'),
    warnings: [
      ...warnings,
      ...(split.length === 0 ? [] : [`judges differ: ${split.join(', ')}`]),
      ...throttleWarnings({ target: reply.throttled ?? 0, judge: judged.throttled }),
      ...memoryWarnings(ports),
    ],
  };
}

function memoryWarnings({ memory, redact }: EvaluateRowPorts): string[] {
  const fault = memory?.takeFault() ?? null;
  return fault === null ? [] : [`kept verdicts are not used from here on: ${redact(fault)}`];
}

/**
 * Trials that confirm go on where the manifest's end: a recorded list goes on to its next entry, no call has the nonce
 * of an earlier one, and nothing that was kept for an earlier trial is taken for this one.
 */
function askedTrial({ trial, phase }: RowTask, run: RunConfig): number {
  return phase === 'confirm' ? run.eval.trials + trial : trial;
}

/** Null while rows are waited for: then its failure is its own. */
function cutOffResult(task: RowTask, reply: TargetReply, judged: Judged, ports: EvaluateRowPorts): RowResult | null {
  const cause = cutOffCause(ports.signal);
  if (cause === null) return null;
  return {
    ...skippedResult(task, ports.run, cause),
    attempts: reply.attempts,
    ...spendFields(reply, judged),
    error: `cut off in flight (${cause}): what its last request cost is not known`,
  };
}

interface Judged extends JudgeSpend {
  readonly judgements: readonly Judgement[];
  /** Every question has a verdict. */
  readonly isWhole: boolean;
  /** Requests that the judge throttled. */
  readonly throttled: number;
}

const NOT_JUDGED: Judged = { judgements: [], isWhole: false, usage: null, cost: NO_COST, calls: 0, throttled: 0 };

/** Questions are asked one after the other: their calls are numbered, and a failed one saves the rest. */
async function judgeAll(task: RowTask, answered: AnsweredRow, ports: EvaluateRowPorts): Promise<Judged> {
  const { row, target } = task;
  const trial = askedTrial(task, ports.run);
  const judgements: Judgement[] = [];
  let usage: Usage | null = null;
  let cost: Cost = NO_COST;
  let calls = 0;
  let throttled = 0;
  const questions = ports.scoring.questions(answered, ports.run.eval);
  for (const question of questions) {
    if (ports.signal.aborted) break;
    const asked = await askJudges(ports.judges, {
      question,
      row,
      targetId: target.id,
      trial,
      runId: ports.run.run_id,
      firstCall: calls,
      signal: ports.signal,
      memory: ports.memory,
    });
    judgements.push(asked.judgement);
    usage = addUsage(usage, asked.usage);
    cost = addCosts(cost, asked.cost);
    calls += asked.calls;
    throttled += asked.throttled;
  }
  const isWhole = judgements.length === questions.length && judgements.every(({ status }) => status === 'judged');
  return { judgements, isWhole, usage, cost, calls, throttled };
}

function targetError(
  task: RowTask,
  reply: Extract<TargetReply, { status: 'failed' }>,
  ports: EvaluateRowPorts,
): RowResult {
  return {
    ...blankResult(task, ports.run),
    status: 'target_error',
    cause: reply.cause,
    score: 0,
    ...answerFields(reply, task.row),
    ...spendFields(reply, NOT_JUDGED),
    error: wellFormed(ports.redact(reply.message)),
    warnings: throttleWarnings({ target: reply.throttled ?? 0, judge: 0 }),
  };
}

async function answeredRow(
  { row }: RowTask,
  { answer, latencyMs, cost }: Extract<TargetReply, { status: 'answered' }>,
  { expressions, run }: EvaluateRowPorts,
): Promise<AnsweredRow> {
  const answered = { row, answer, latencyMs, costUsd: usdOf(cost) };
  if (expressions === undefined) return answered;
  return { ...answered, expressions: await evaluateExpressions(answered, run.eval, expressions) };
}

function redactReasons(scores: RowResult['scores'], ports: EvaluateRowPorts): RowResult['scores'] {
  const redacted: RowResult['scores'] = {};
  const text = (said: string) => wellFormed(ports.redact(said));
  for (const [name, score] of Object.entries(scores)) {
    const { reason, claims, votes } = score;
    redacted[name] = {
      ...score,
      reason: text(reason),
      votes: votes.map((vote) => (vote.error === null ? vote : { ...vote, error: text(vote.error) })),
      ...(claims && { claims: claims.map(({ claim, supported }) => ({ claim: text(claim), supported })) }),
    };
  }
  return redacted;
}
