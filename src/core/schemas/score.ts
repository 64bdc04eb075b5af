import * as z from 'zod';

const ScaleSchema = z.tuple([z.number(), z.number()]);

/** What one juror said, kept beside the combined value. */
const VoteSchema = z.object({
  judge: z.string(),
  value: z.number().min(0).max(1).nullable(),
  label: z.string().nullable(),
  error: z.string().nullable(),
});

/** One statement that the judge broke a text into, and whether the passages bear it out. */
const ClaimSchema = z.object({ claim: z.string(), supported: z.boolean() });

const common = {
  reason: z.string(),
  /** False for a sub-metric that is stored but does not enter the row's mean. */
  in_row_score: z.boolean().default(true),
  higher_is_better: z.boolean().default(true),
  raw_label: z.string().nullable().default(null),
  raw_score: z.number().nullable().default(null),
  /** Lowest and highest raw score. */
  scale: ScaleSchema.nullable().default(null),
  votes: z.array(VoteSchema).default([]),
  /** Of metrics that count claims: what was counted, cut to a readable number and length. */
  claims: z.array(ClaimSchema).optional(),
  /** Of metrics that rule on passages: whether each of them, in order, is relevant. */
  relevant: z.array(z.boolean()).optional(),
  /** The verdict came from the cache and cost nothing. */
  cached: z.boolean().default(false),
  /** The judge needed its one repair call. */
  repaired: z.boolean().default(false),
};

const ScoredSchema = z.object({
  status: z.literal('scored'),
  /** 0 is worst, 1 is best; Zod already refuses NaN and Infinity. */
  value: z.number().min(0).max(1),
  cause: z.null().default(null),
  ...common,
});

export const UNSCORED_CAUSES = [
  'not-applicable', // nothing to measure (no claims, an N/A label): left out of the mean
  'judge-unparsable', // no valid verdict, even after the repair
  'judge-unavailable', // throttled out, timed out, refused, access denied
  'target-error', // there is no answer to score
  'skipped', // the row never ran
] as const;

const UnscoredSchema = z.object({
  status: z.literal('unscored'),
  value: z.null().default(null),
  cause: z.enum(UNSCORED_CAUSES),
  ...common,
});

/** One scorer's answer for one (row, target, trial). Not knowing is its own state, never a 0. */
export const ScoreSchema = z.discriminatedUnion('status', [ScoredSchema, UnscoredSchema]);
export type Score = z.infer<typeof ScoreSchema>;
export type Vote = z.infer<typeof VoteSchema>;
export type Claim = z.infer<typeof ClaimSchema>;

type ScoreExtras = Partial<Omit<z.infer<typeof ScoredSchema>, 'status' | 'value' | 'cause' | 'reason'>>;

export function scored(value: number, reason: string, extras: ScoreExtras = {}): Score {
  return ScoreSchema.parse({ status: 'scored', value, reason, ...extras });
}

export function unscored(cause: (typeof UNSCORED_CAUSES)[number], reason: string, extras: ScoreExtras = {}): Score {
  return ScoreSchema.parse({ status: 'unscored', cause, reason, ...extras });
}
