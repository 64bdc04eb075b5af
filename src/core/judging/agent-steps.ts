import { jsonToText } from '../json.ts';
import type { Trajectory, TrajectoryStep } from '../schemas/trajectory.ts';

/** Of one text of a step, in UTF-16 units. A tool may return megabytes. */
const MOST_PER_TEXT = 4000;
/** Of all steps together: what a judge's context holds with room to spare. */
const MOST_IN_ALL = 120_000;
const MOST_STEPS = 500;

export interface StepsText {
  readonly text: string;
  /** What was left out, for people; null when the judge sees everything. */
  readonly cut: string | null;
}

/**
 * The steps of an agent as a judge reads them. Bounded: long texts lose their middle, long trajectories their middle
 * steps, and a note stands wherever something is left out. Only step heads start a line; what steps hold is indented,
 * so that no tool result can pass for a step.
 */
export function agentStepsText({ steps }: Trajectory): StepsText {
  const cuts = { texts: 0 };
  const shown = chooseSteps(steps, (step, index) => describeStep(step, index, steps[index - 1], cuts));
  const text = shown.lines.join('\n');
  const notes: string[] = [];
  if (shown.leftOut > 0) notes.push(`${shown.leftOut} of ${steps.length} steps left out`);
  if (cuts.texts > 0) notes.push(`${cuts.texts} long texts shortened`);
  return { text, cut: notes.length === 0 ? null : notes.join(', ') };
}

/** From both ends inwards, as long as there is room: how it began and how it ended tell most. */
function chooseSteps(
  steps: readonly TrajectoryStep[],
  describe: (step: TrajectoryStep, index: number) => string,
): { readonly lines: readonly string[]; readonly leftOut: number } {
  const head: string[] = [];
  const tail: string[] = [];
  let room = MOST_IN_ALL;
  let first = 0;
  let last = steps.length - 1;
  while (first <= last && head.length + tail.length < MOST_STEPS) {
    const fromStart = head.length <= tail.length;
    const index = fromStart ? first : last;
    const step = steps[index];
    if (step === undefined) break;
    const text = describe(step, index);
    if (text.length > room) break;
    room -= text.length;
    if (fromStart) {
      head.push(text);
      first += 1;
    } else {
      tail.unshift(text);
      last -= 1;
    }
  }
  const leftOut = last - first + 1;
  if (leftOut <= 0) return { lines: [...head, ...tail], leftOut: 0 };
  const note = `[steps ${first + 1} to ${last + 1} are left out here: ${leftOut} of ${steps.length}]`;
  return { lines: [...head, note, ...tail], leftOut };
}

const WORDS = { thought: 'thought', tool_call: 'tool call', observation: 'observation', answer: 'answer' } as const;

function describeStep(
  step: TrajectoryStep,
  index: number,
  before: TrajectoryStep | undefined,
  cuts: { texts: number },
): string {
  const call = step.tool_call ?? undefined;
  const lines = [`${index + 1}. ${WORDS[step.type]}`];
  const add = (name: string, text: string) => {
    const kept = shorten(text);
    if (kept !== text) cuts.texts += 1;
    lines.push(indent(name === '' ? kept : `${name}: ${kept}`));
  };
  if (call !== undefined) add('tool', call.name);
  const content = step.content ?? '';
  if (content !== '' && content !== call?.name) {
    // Many agents repeat a tool's result as the observation after it.
    if (step.type === 'observation' && content === resultText(before)) lines.push('  (the result above)');
    else add('', content);
  }
  if (call?.arguments !== undefined) add('arguments', jsonToText(call.arguments));
  if (call?.result !== undefined) add('result', jsonToText(call.result));
  if (typeof call?.error === 'string') add('error', call.error === '' ? '(empty)' : call.error);
  return lines.join('\n');
}

function resultText(step: TrajectoryStep | undefined): string | null {
  const result = step?.tool_call?.result;
  return result === undefined ? null : jsonToText(result);
}

function shorten(text: string): string {
  if (text.length <= MOST_PER_TEXT) return text;
  const end = MOST_PER_TEXT / 4;
  const head = text.slice(0, MOST_PER_TEXT - end).toWellFormed();
  const tail = text.slice(-end).toWellFormed();
  return `${head}\n[cut here: ${text.length - MOST_PER_TEXT} of ${text.length} characters are left out]\n${tail}`;
}

function indent(text: string): string {
  return `  ${text.replace(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/g, '\n  ')}`;
}
