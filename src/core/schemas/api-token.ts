import * as z from 'zod';
import { IdSchema } from './target-config.ts';

/** A Bearer token of the management API as it is kept: what it proves, and a hash to know it by. */
export const ApiTokenSchema = z.object({
  id: z.string().regex(/^[a-z0-9]{16}$/),
  /** For people: who or what holds it. */
  name: z.string().min(1).max(100),
  /** SHA-256 of the whole token, hex; the token itself is told once and kept nowhere. */
  hash: z.string(),
  /** Projects it reaches; null: all, and the tokens too when it may write. */
  projects: z.array(IdSchema).min(1).nullable(),
  access: z.enum(['read', 'write']),
  created_at: z.string(),
  created_by: z.string(),
  expires_at: z.string(),
  revoked_at: z.string().nullable(),
});
export type ApiToken = z.infer<typeof ApiTokenSchema>;
