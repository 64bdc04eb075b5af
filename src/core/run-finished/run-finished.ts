import { plural } from '../plural.ts';
import type { RunRecord } from '../schemas/registry.ts';
import type { RunFinished } from '../schemas/run-finished.ts';
import { cut, plainLine } from './plain-line.ts';

const MOST_REASONS = 20;
const LONGEST_REASON = 500;
const LONGEST_MESSAGE = 2_000;
const LONGEST_TITLE = 200;
const LONGEST_TEXT = 1_000;
/** Of refs and the like, which the API bounds too. */
const LONGEST_ORIGIN = 512;

const GATES = { passed: 'pass', failed: 'fail', error: 'error', cancelled: 'error' } as const;
const WORDS = { passed: 'passed', failed: 'failed', error: 'ended with an error', cancelled: 'was cancelled' } as const;

type FinalStatus = keyof typeof GATES;

/**
 * What is told of a run that is over. From its record alone, so that whoever tells it says the same; some 20 KB at most.
 * Throws RangeError for a run that is still open.
 */
export function runFinishedEvent(run: RunRecord, stage: string): RunFinished {
  const { status } = run;
  if (!isFinalStatus(status)) throw new RangeError(`run ${run.run_id} is ${status}: its end cannot be told`);
  const counted = run.decision !== null;
  return {
    version: '1',
    stage,
    run_id: run.run_id,
    gate_run_id: run.gate_run_id,
    project: run.project,
    eval: run.eval,
    eval_version: run.eval_version,
    attempt: run.attempt,
    status,
    gate: GATES[status],
    quarantined: run.quarantined,
    title: titleOf(run, status),
    text: textOf(run),
    message: cut(run.message.toWellFormed(), LONGEST_MESSAGE),
    decision: boundedDecision(run.decision),
    score: run.score,
    pass_rate: run.pass_rate,
    figures: counted ? (run.figures ?? null) : null,
    ref: bounded(run.ref),
    sha: bounded(run.sha),
    triggered_by: bounded(run.triggered_by),
    started_at: run.started_at,
    began_at: run.began_at ?? null,
    finished_at: run.finished_at ?? run.started_at,
    run_path: `/api/runs/${run.run_id}`,
    gate_path: `/api/gates/${run.gate_run_id}`,
    report_path: counted ? `/api/runs/${run.run_id}/report` : null,
  };
}

function isFinalStatus(status: RunRecord['status']): status is FinalStatus {
  return status in GATES;
}

function titleOf(run: RunRecord, status: FinalStatus): string {
  const again = run.attempt > 1 ? ` (attempt ${run.attempt})` : '';
  return plainLine(`${run.eval} of ${run.project} ${WORDS[status]}${again}`, LONGEST_TITLE);
}

function textOf({ message, quarantined, figures, ref, sha }: RunRecord): string {
  const { regressed = 0, fixed = 0 } = figures?.baseline ?? {};
  const origin = [ref === null ? null : `ref ${cut(ref, 100)}`, sha === null ? null : `commit ${sha.slice(0, 12)}`];
  const where = origin.filter((part) => part !== null).join(', ');
  const sentences = [
    sentence(cut(message, 700)),
    regressed + fixed > 0 ? `Against the baseline: ${plural(regressed, 'row')} regressed, ${fixed} fixed.` : '',
    quarantined ? 'The eval is quarantined: it does not decide the gate.' : '',
    where === '' ? '' : `For ${where}.`,
  ];
  return plainLine(sentences.filter((text) => text !== '').join(' '), LONGEST_TEXT);
}

function sentence(text: string): string {
  return text === '' || /[.!?…]$/.test(text) ? text : `${text}.`;
}

function boundedDecision(decision: RunRecord['decision']): RunFinished['decision'] {
  if (decision === null) return null;
  const reasons = decision.reasons
    .slice(0, MOST_REASONS)
    .map((reason) => ({ ...reason, text: cut(reason.text.toWellFormed(), LONGEST_REASON) }));
  return { ...decision, reasons, reasons_total: decision.reasons.length };
}

function bounded(text: string | null): string | null {
  return text === null ? null : cut(text.toWellFormed(), LONGEST_ORIGIN);
}
