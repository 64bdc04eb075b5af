import * as z from 'zod';
import { isJsonObject, type JsonValue } from '../json.ts';
import type { Claim } from '../schemas/score.ts';
import { wellFormed } from '../well-formed.ts';
import type { JudgeAsk, Verdict } from './question.ts';
import { readBoolean, readLabel, readUnitNumber } from './read-values.ts';
import { claimsShare, labelValue, rankWeightedPrecision } from './ruling-values.ts';

export type RulingReading =
  | { readonly ok: true; readonly verdict: Verdict }
  | { readonly ok: false; readonly fault: string };

export interface ReadOptions {
  /** Lists and objects may arrive as JSON text, as some models write them into tool input. */
  readonly jsonInText: boolean;
  /** Written by a person or kept from a former run: the reason may be left out and a bare score stands for any ask. */
  readonly recorded: boolean;
}

/** What the judge said on one ask → a verdict, or what is wrong with it. */
export function readRuling(ask: JudgeAsk, ruling: JsonValue | undefined, options: ReadOptions): RulingReading {
  if (ruling === undefined) return refused(ask, 'is missing');
  const object = options.jsonInText ? fromText(ruling) : ruling;
  if (!isJsonObject(object)) return refused(ask, `is ${quote(ruling)}, not an object`);
  const reason = options.recorded ? (object.reason ?? '') : object.reason;
  if (typeof reason !== 'string') return refused(ask, 'has no reason in words');
  if (options.recorded && ask.kind !== 'score' && object[FIELDS[ask.kind]] === undefined) {
    return readBareScore(ask, object.score, reason);
  }
  const field = object[FIELDS[ask.kind]];
  switch (ask.kind) {
    case 'score':
      return readScore(ask, field, reason);
    case 'label':
      return readLabelled(ask, field, reason);
    case 'claims':
      return readClaims(ask, options.jsonInText ? fromText(field) : field, reason);
    case 'passages':
      return readPassages(ask, options.jsonInText ? fromText(field) : field, reason);
  }
}

const FIELDS = { score: 'score', label: 'label', claims: 'claims', passages: 'passages' } as const;
type AskOf<Kind extends JudgeAsk['kind']> = Extract<JudgeAsk, { kind: Kind }>;

function readScore(ask: JudgeAsk, field: unknown, reason: string): RulingReading {
  const value = readUnitNumber(field);
  if (value === null) return refused(ask, `has the score ${quote(field)}, which is no number from 0 to 1`);
  return accepted({ value, reason, rawScore: value, scale: [0, 1] });
}

function readLabelled(ask: AskOf<'label'>, field: unknown, reason: string): RulingReading {
  const index = readLabel(field, ask.labels);
  if (index !== null) return accepted(labelled(ask, index, reason));
  if (ask.notApplicable !== undefined && readLabel(field, [ask.notApplicable]) !== null) {
    return accepted({ value: null, reason, rawLabel: ask.notApplicable, higherIsBetter: ask.higherIsBetter ?? true });
  }
  return refused(ask, `has the label ${quote(field)}, which is none of ${ask.labels.map(quote).join(', ')}`);
}

function labelled(
  ask: AskOf<'label'>,
  index: number,
  reason: string,
): Partial<Verdict> & Pick<Verdict, 'value' | 'reason'> {
  return {
    value: labelValue(index, ask.labels),
    reason,
    rawLabel: ask.labels[index] ?? null,
    rawScore: index,
    scale: [0, ask.labels.length - 1],
    higherIsBetter: ask.higherIsBetter ?? true,
  };
}

const ClaimsSchema = z.array(z.object({ claim: z.string(), supported: z.unknown().transform(toBoolean) }));

function readClaims(ask: JudgeAsk, field: unknown, reason: string): RulingReading {
  const parsed = ClaimsSchema.safeParse(field);
  if (!parsed.success)
    return refused(ask, `has no list of claims with supported true or false: ${firstIssue(parsed.error)}`);
  const value = claimsShare(parsed.data.map(({ supported }) => supported));
  if (value === null) return accepted({ value, reason: withCount('no claims', reason) });
  const supported = parsed.data.filter((claim) => claim.supported).length;
  const count = `${supported} of ${parsed.data.length} claims supported`;
  return accepted({
    value,
    reason: withCount(count, reason),
    rawScore: supported,
    scale: [0, parsed.data.length],
    claims: parsed.data.slice(0, MOST_CLAIMS).map(shortClaim),
  });
}

/** Claims are kept for people to read: a judge may write any number of any length. */
const MOST_CLAIMS = 50;
const MOST_CLAIM_TEXT = 500;

function shortClaim({ claim, supported }: Claim): Claim {
  const text = claim.length <= MOST_CLAIM_TEXT ? claim : `${claim.slice(0, MOST_CLAIM_TEXT - 1)}…`;
  return { claim: wellFormed(text), supported };
}

const PassagesSchema = z.array(
  z.object({ id: z.unknown().transform(toPassageId), relevant: z.unknown().transform(toBoolean) }),
);

function readPassages(ask: AskOf<'passages'>, field: unknown, reason: string): RulingReading {
  const parsed = PassagesSchema.safeParse(field);
  if (!parsed.success)
    return refused(ask, `has no list of passages with relevant true or false: ${firstIssue(parsed.error)}`);
  const byId = new Map(parsed.data.map(({ id, relevant }) => [id, relevant]));
  const ids = Array.from({ length: ask.count }, (_, index) => index + 1);
  if (parsed.data.length !== ask.count || !ids.every((id) => byId.has(id))) {
    return refused(ask, `must rule on each of the passages 1 to ${ask.count} exactly once`);
  }
  const relevant = ids.map((id) => byId.get(id) === true);
  const value = rankWeightedPrecision(relevant);
  const count = `${relevant.filter(Boolean).length} of ${ask.count} passages relevant`;
  return accepted({ value, reason: withCount(count, reason), rawScore: value, scale: [0, 1], relevant });
}

/** A recorded score for an ask that a live judge answers in another form. */
function readBareScore(ask: JudgeAsk, field: unknown, reason: string): RulingReading {
  const value = readUnitNumber(field);
  if (value === null || ask.kind !== 'label') {
    return field === undefined
      ? refused(ask, `has neither a score nor ${FIELDS[ask.kind]}`)
      : readScore(ask, field, reason);
  }
  const index = ask.labels.findIndex((_, place) => Math.abs(labelValue(place, ask.labels) - value) < 1e-9);
  if (index === -1) return refused(ask, `has the score ${value}, which is the value of no label`);
  return accepted(labelled(ask, index, reason));
}

function accepted(verdict: Partial<Verdict> & Pick<Verdict, 'value' | 'reason'>): RulingReading {
  return { ok: true, verdict: { rawLabel: null, rawScore: null, scale: null, higherIsBetter: true, ...verdict } };
}

function refused(ask: JudgeAsk, what: string): RulingReading {
  return { ok: false, fault: `"${ask.name}" ${what}` };
}

function withCount(count: string, reason: string): string {
  return reason.trim() === '' ? count : `${count}: ${reason}`;
}

function toBoolean(value: unknown, context: z.RefinementCtx): boolean {
  const boolean = readBoolean(value);
  if (boolean !== null) return boolean;
  context.addIssue({ code: 'custom', message: `${quote(value)} is neither true nor false` });
  return z.NEVER;
}

function toPassageId(value: unknown, context: z.RefinementCtx): number {
  const id = typeof value === 'string' && /^\d{1,6}$/.test(value.trim()) ? Number(value) : value;
  if (typeof id === 'number' && Number.isInteger(id)) return id;
  context.addIssue({ code: 'custom', message: `${quote(value)} is no passage number` });
  return z.NEVER;
}

function fromText(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as JsonValue;
  } catch {
    return value; // text that is no JSON stays what it is, and is refused as such
  }
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return error.message;
  const path = issue.path.map(String).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

/** A short JSON rendering: what a judge wrote may be long. */
function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
