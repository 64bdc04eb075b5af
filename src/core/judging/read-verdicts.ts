import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { JudgeErrorCause } from '../schemas/result.ts';
import { findObjects, parseObject } from './find-objects.ts';
import type { JudgeQuestion, Verdict } from './question.ts';
import { type ReadOptions, readRuling } from './read-ruling.ts';

/** What of a judge's reply is read; the Judge port's reply fits it. */
export type ReadableReply =
  | {
      readonly status: 'replied';
      readonly stopReason: string;
      readonly content: readonly (
        | { readonly kind: 'text'; readonly text: string }
        | { readonly kind: 'tool_use'; readonly input: JsonValue }
        | { readonly kind: 'reasoning' }
      )[];
      readonly schemaText: boolean;
    }
  | { readonly status: 'recorded'; readonly verdicts: JsonObject }
  | { readonly status: 'failed'; readonly cause: JudgeErrorCause; readonly message: string };

export type VerdictReading =
  | { readonly ok: true; readonly verdicts: ReadonlyMap<string, Verdict> }
  | {
      readonly ok: false;
      /** What is wrong, in words that a judge can mend its reply by. */
      readonly fault: string;
      readonly cause: JudgeErrorCause;
      /** Asking once more may help: the reply was whole and only its form was wrong. */
      readonly repairable: boolean;
    };

const GOOD_STOPS: readonly string[] = ['end_turn', 'stop_sequence', 'tool_use'];
const TOOL_INPUT: ReadOptions = { jsonInText: true, recorded: false };
const TEXT: ReadOptions = { jsonInText: false, recorded: false };
const RECORDED: ReadOptions = { jsonInText: false, recorded: true };

/**
 * A judge's reply → one verdict an ask, or why there is none. All asks are ruled on or none counts; what was not asked
 * is ignored. `nonce` is that of the prompt that the reply answers: free text counts only where it carries it.
 */
export function readVerdicts(reply: ReadableReply, question: JudgeQuestion, nonce: string): VerdictReading {
  if (reply.status === 'failed') return { ok: false, fault: reply.message, cause: reply.cause, repairable: false };
  if (reply.status === 'recorded') return readRecorded(reply.verdicts, question);
  if (!GOOD_STOPS.includes(reply.stopReason)) {
    const fault = `the judge stopped with "${reply.stopReason}" before its verdict was complete`;
    return { ok: false, fault, cause: 'stop-reason', repairable: false };
  }
  const inputs = reply.content.flatMap((block) => (block.kind === 'tool_use' ? [block.input] : []));
  if (inputs.length > 0) return readToolInputs(inputs, question);
  const text = reply.content.map((block) => (block.kind === 'text' ? block.text : '')).join('');
  if (text.trim() === '') return unparsable('the reply is empty: it has neither a tool call nor text');
  return reply.schemaText ? readSchemaText(text, question) : readFreeText(text, question, nonce);
}

function readRecorded(recorded: JsonObject, question: JudgeQuestion): VerdictReading {
  const missing = question.asks.find((ask) => !Object.hasOwn(recorded, ask.name));
  if (missing !== undefined) {
    const fault = `no verdict on "${missing.name}" is recorded with the row`;
    return { ok: false, fault, cause: 'no-recorded-verdict', repairable: false };
  }
  const reading = readObject(recorded, question, RECORDED);
  return reading.ok ? reading : { ...reading, repairable: false };
}

function readToolInputs(inputs: readonly JsonValue[], question: JudgeQuestion): VerdictReading {
  const readings = inputs.map((input) => {
    const object = typeof input === 'string' ? parseObject(input) : input;
    if (!isJsonObject(object)) return unparsable('the input of the tool call is no JSON object');
    return readObject(object, question, TOOL_INPUT);
  });
  return theOne(readings) ?? unparsable('the reply has no tool call');
}

function readSchemaText(text: string, question: JudgeQuestion): VerdictReading {
  const body = text
    .replace(/^\s*<(think|thinking|reasoning)\s*>[\s\S]*?<\/\1\s*>/i, '')
    .trim()
    .replace(/^```(?:json)?\s*\n([\s\S]*)\n\s*```$/i, '$1');
  const object = parseObject(body);
  if (object === null) return unparsable('the reply is not the JSON object of the schema');
  return readObject(object, question, TEXT);
}

function readFreeText(text: string, question: JudgeQuestion, nonce: string): VerdictReading {
  const objects = findObjects(text, (object) => Object.hasOwn(object, 'nonce') && object.nonce === nonce);
  if (objects === null) return unparsable('the reply is too tangled to find a JSON object in');
  const readings = objects.map((object) => readObject(object, question, TEXT));
  return (
    theOne(readings) ?? unparsable('the reply has no JSON object with the code of this request\'s fences as "nonce"')
  );
}

/** The one verdict among the readings; when none is good, what is wrong with the first. Undefined without readings. */
function theOne(readings: readonly VerdictReading[]): VerdictReading | undefined {
  const good = readings.filter((reading) => reading.ok);
  const different = new Set(good.map(({ verdicts }) => JSON.stringify([...verdicts])));
  if (different.size > 1) return unparsable('the reply has several verdicts that differ');
  return good[0] ?? readings[0];
}

function readObject(object: JsonObject, question: JudgeQuestion, options: ReadOptions): VerdictReading {
  const verdicts = new Map<string, Verdict>();
  const faults: string[] = [];
  for (const ask of question.asks) {
    const ruling = Object.hasOwn(object, ask.name) ? object[ask.name] : undefined;
    const reading = readRuling(ask, ruling, options);
    if (reading.ok) verdicts.set(ask.name, reading.verdict);
    else faults.push(reading.fault);
  }
  return faults.length === 0 ? { ok: true, verdicts } : unparsable(faults.join('; '));
}

function unparsable(fault: string): VerdictReading {
  return { ok: false, fault, cause: 'unparsable', repairable: true };
}
