import type { ConverseCommandOutput, Message } from '@aws-sdk/client-bedrock-runtime';
import { LoopRecord } from '../../core/agent/loop-record.ts';
import type { ToolOutcome, ToolSession } from '../../core/agent/mock-tools.ts';
import { findIn } from '../../core/dataset/json-limits.ts';
import { NoTurnError } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Cost, Usage } from '../../core/schemas/answer.ts';
import type { Clock } from '../../ports/clock.ts';
import { type StopFailure, stopFailure } from './bedrock-stop-reasons.ts';
import { type ModelReply, readModelReply } from './converse-reply.ts';
import { toolResultBlock } from './converse-request.ts';
import type { TargetCall } from './target-calls.ts';

export interface ToolLoop {
  readonly first: readonly Message[];
  readonly tools: ToolSession;
  /** Calls of the model, at most. */
  readonly maxTurns: number;
  /** Of one call; for messages. */
  readonly maxTokens: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  converse(messages: readonly Message[]): Promise<TargetCall<ConverseCommandOutput>>;
  price(usage: Usage | null): Cost;
}

export type ToolLoopEnd = {
  /** What happened until then, whichever way it ended. */
  readonly record: LoopRecord;
  /** Time of the last call; requests of all. */
  readonly call: Pick<TargetCall<unknown>, 'latencyMs' | 'attempts' | 'throttled'>;
} & ({ readonly ok: true; readonly text: string } | { readonly ok: false; readonly failure: StopFailure });

/** A row that takes longer would outlive the Lambda it runs in, and be asked again from the start. */
const MAX_LOOP_MS = 600_000;
/** Converse takes requests of up to 25 MB, and every turn sends all the results before it. */
const MAX_RESULT_CHARACTERS = 20_000_000;

/** The model is asked, its tool calls are answered by the mocks, and so on until it answers, fails or a limit is reached. */
export async function runToolLoop(loop: ToolLoop): Promise<ToolLoopEnd> {
  const { clock, signal, maxTurns } = loop;
  const record = new LoopRecord();
  const messages = [...loop.first];
  const startedMs = clock.monotonicMs();
  let call = { latencyMs: null as number | null, attempts: 0, throttled: 0 };
  let resultCharacters = 0;
  const fail = (failure: StopFailure): ToolLoopEnd => ({ ok: false, record, call, failure });
  for (let turn = 1; turn <= maxTurns; turn += 1) {
    if (clock.monotonicMs() - startedMs > MAX_LOOP_MS) return fail(tooLong(turn));
    const called = await loop.converse(messages).catch((error: unknown) => {
      // What the turns before cost must be told.
      if (turn > 1 && error instanceof NoTurnError) return null;
      throw error;
    });
    if (called === null) return fail(THROTTLED);
    call = {
      latencyMs: called.latencyMs,
      attempts: call.attempts + called.attempts,
      throttled: call.throttled + called.throttled,
    };
    if (!called.ok) return fail(called.failure);
    const reply = readModelReply(called.value);
    const spent = { latencyMs: called.latencyMs ?? 0, usage: reply.usage, cost: loop.price(reply.usage) };
    if (!asksForTools(reply)) {
      const failure = stopFailure(reply, loop.maxTokens);
      if (failure === null) record.add({ thoughts: thoughtsBeside(reply), calls: [], answer: reply.text, ...spent });
      else record.add({ thoughts: reply.thoughts, calls: [], ...spent });
      return failure === null ? { ok: true, record, call, text: reply.text } : fail(failure);
    }
    const calls = reply.toolUses.map(({ name, input }) => callTool(loop.tools, name, input));
    record.add({ thoughts: reply.thoughts, calls, ...spent });
    const outcomes = calls.map(({ outcome }) => outcome);
    resultCharacters += outcomes.reduce((sum, outcome) => sum + sizeOf(outcome), 0);
    if (resultCharacters > MAX_RESULT_CHARACTERS) return fail(TOO_LARGE);
    // Calls of one turn run side by side.
    if (!(await waited(clock, Math.max(...outcomes.map(({ latencyMs }) => latencyMs)), signal))) return fail(STOPPED);
    const content = reply.toolUses.map(({ id }, at) => toolResultBlock(id, outcomes[at] as ToolOutcome));
    messages.push(reply.message, { role: 'user', content });
  }
  return fail({
    cause: 'crashed',
    message: `the loop limit was reached: no answer after ${maxTurns} calls of the model (max_iterations)`,
  });
}

/** Arguments that could not be written down again (1e999, nested without end) are the model's fault, and it is told so. */
function callTool(tools: ToolSession, name: string, input: JsonValue) {
  const unkeepable = findIn(input, 0);
  if (unkeepable === null) return { name, arguments: input, outcome: tools.call(name, input) };
  const error = `the arguments are no usable JSON: ${unkeepable.message}`;
  return { name, arguments: null, outcome: { ok: false as const, error, latencyMs: 0 } };
}

/** Some models say `end_turn` and call a tool all the same. */
function asksForTools({ stopReason, toolUses }: ModelReply): boolean {
  return toolUses.length > 0 && (stopReason === 'tool_use' || stopReason === 'end_turn');
}

/** Reasoning before the answer; the text itself is the answer. */
function thoughtsBeside({ message }: ModelReply): string[] {
  return (message.content ?? []).flatMap((block) => block.reasoningContent?.reasoningText?.text ?? []);
}

function sizeOf(outcome: ToolOutcome): number {
  return outcome.ok ? JSON.stringify(outcome.result).length : outcome.error.length;
}

async function waited(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (ms === 0) return !signal.aborted;
  return clock.sleep(ms, signal).then(
    () => true,
    () => false,
  );
}

function tooLong(turn: number): StopFailure {
  return {
    cause: 'timeout',
    message: `the loop took longer than ${MAX_LOOP_MS / 60_000} minutes (${turn - 1} calls of the model)`,
  };
}

const TOO_LARGE: StopFailure = { cause: 'too-large', message: 'the results of the tools take more than 20 MB' };
const THROTTLED: StopFailure = { cause: 'throttled', message: 'the model throttled the run until it was over' };
const STOPPED: StopFailure = { cause: 'connection', message: 'the run was stopped before the answer came' };
