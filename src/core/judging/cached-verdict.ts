import * as z from 'zod';
import type { Judgement } from '../scoring/eval-scoring.ts';
import type { JudgeAsk, JudgeQuestion } from './question.ts';
import { labelValue } from './ruling-values.ts';

const VerdictSchema = z.strictObject({
  value: z.number().min(0).max(1).nullable(),
  reason: z.string(),
  rawLabel: z.string().nullable(),
  rawScore: z.number().nullable(),
  scale: z.tuple([z.number(), z.number()]).nullable(),
  higherIsBetter: z.boolean(),
  claims: z.array(z.strictObject({ claim: z.string(), supported: z.boolean() })).optional(),
  relevant: z.array(z.boolean()).optional(),
});

/** A judgement as it is kept. Failures have no form: they are never kept. */
const CachedVerdictSchema = z.strictObject({
  key: z.string(),
  verdicts: z.record(z.string(), VerdictSchema),
  repaired: z.boolean(),
});
export type CachedVerdict = z.infer<typeof CachedVerdictSchema>;

type Judged = Extract<Judgement, { status: 'judged' }>;

/** What of a judge's own judgement is kept under the key. */
export function toCachedVerdict(key: string, { verdicts, repaired }: Judged): CachedVerdict {
  const kept = [...verdicts].map(([name, verdict]): [string, CachedVerdict['verdicts'][string]] => {
    const { scale, claims, relevant, ...rest } = verdict;
    const counted = { ...(claims && { claims: [...claims] }), ...(relevant && { relevant: [...relevant] }) };
    return [name, { ...rest, ...counted, scale: scale === null ? null : [scale[0], scale[1]] }];
  });
  return { key, verdicts: Object.fromEntries(kept), repaired };
}

/** The judgement kept under the key, or null when what lies there is none on this question. */
export function fromCachedVerdict(entry: unknown, key: string, question: JudgeQuestion): Judged | null {
  const parsed = CachedVerdictSchema.safeParse(entry);
  if (!parsed.success || parsed.data.key !== key) return null;
  const verdicts = new Map<string, z.infer<typeof VerdictSchema>>();
  for (const ask of question.asks) {
    const verdict = Object.hasOwn(parsed.data.verdicts, ask.name) ? parsed.data.verdicts[ask.name] : undefined;
    if (verdict === undefined || !fits(verdict, ask)) return null;
    verdicts.set(ask.name, verdict);
  }
  return { status: 'judged', verdicts, repaired: parsed.data.repaired, cached: true, votes: new Map() };
}

/** A ruling the ask allows. */
function fits({ value, rawLabel }: z.infer<typeof VerdictSchema>, ask: JudgeAsk): boolean {
  if (ask.kind === 'score') return value !== null;
  if (ask.kind !== 'label') return true;
  if (value === null) return ask.notApplicable !== undefined && rawLabel === ask.notApplicable;
  const index = ask.labels.indexOf(rawLabel ?? '');
  return index >= 0 && labelValue(index, ask.labels) === value;
}
