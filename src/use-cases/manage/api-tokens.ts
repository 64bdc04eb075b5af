import * as z from 'zod';
import { ConfigError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/json.ts';
import { type ApiToken, ApiTokenSchema } from '../../core/schemas/api-token.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Registry } from '../../ports/registry.ts';
import { NotFoundError } from './errors.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 90;

export const NewTokenSchema = z.strictObject({
  name: ApiTokenSchema.shape.name,
  /** Absent: every project. */
  projects: z.array(z.string()).min(1).max(100).optional(),
  access: ApiTokenSchema.shape.access.default('write'),
  expires_in_days: z.number().int().min(1).max(366).default(DEFAULT_DAYS),
});
export type NewToken = z.infer<typeof NewTokenSchema>;

export interface TokenPorts {
  readonly registry: Registry;
  readonly clock: Clock;
  randomBytes(count: number): Uint8Array;
}

/** `assay_<id>_<secret>`: the id finds the record, and the hash of the whole proves it. */
const TOKEN_PATTERN = /^assay_([a-z0-9]{16})_[A-Za-z0-9_-]{43}$/;
const ID_CHARACTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The token is told here, once; the registry keeps its hash. Throws ConfigError for a project that does not exist. */
export async function createToken(
  request: NewToken & { readonly createdBy: string },
  ports: TokenPorts,
): Promise<{ token: string; record: ApiToken }> {
  const projects = request.projects === undefined ? null : [...new Set(request.projects)].sort();
  for (const project of projects ?? []) {
    if ((await ports.registry.getProject(project)) !== null) continue;
    throw new ConfigError([{ field: 'projects', message: `there is no project "${project}"`, fix: 'make it first' }]);
  }
  const id = [...ports.randomBytes(16)].map((byte) => ID_CHARACTERS[byte % 32]).join('');
  const token = `assay_${id}_${Buffer.from(ports.randomBytes(32)).toString('base64url')}`;
  const now = ports.clock.now();
  const record: ApiToken = ApiTokenSchema.parse({
    id,
    name: request.name,
    hash: sha256Hex(token),
    projects,
    access: request.access,
    created_at: new Date(now).toISOString(),
    created_by: request.createdBy,
    expires_at: new Date(now + request.expires_in_days * DAY_MS).toISOString(),
    revoked_at: null,
  });
  if (!(await ports.registry.createToken(record))) throw new Error('a token id of 80 random bits was taken');
  return { token, record };
}

/** The record of a token that holds now; null for any other. `isSame` compares in constant time. */
export async function findToken(
  token: string,
  { registry, clock }: Pick<TokenPorts, 'registry' | 'clock'>,
  isSame: (given: string, expected: string) => boolean,
): Promise<ApiToken | null> {
  const id = TOKEN_PATTERN.exec(token)?.[1];
  if (id === undefined) return null;
  const record = await registry.getToken(id);
  // Compared even where there is no record, so that the time does not tell which ids there are.
  const matches = isSame(sha256Hex(token), record?.hash ?? '');
  if (record === null || !matches) return null;
  return statusOf(record, clock.now()) === 'active' ? record : null;
}

export function statusOf(token: ApiToken, nowMs: number): 'active' | 'expired' | 'revoked' {
  if (token.revoked_at !== null) return 'revoked';
  return Date.parse(token.expires_at) <= nowMs ? 'expired' : 'active';
}

/** From now on it proves nothing. Revoked again, it stays as it is. Throws NotFoundError. */
export async function revokeToken(
  id: string,
  { registry, clock }: Pick<TokenPorts, 'registry' | 'clock'>,
): Promise<ApiToken> {
  const token = await registry.getToken(id);
  if (token === null) throw new NotFoundError(`there is no token "${id}"`);
  if (token.revoked_at !== null) return token;
  const revoked = { ...token, revoked_at: new Date(clock.now()).toISOString() };
  await registry.putToken(revoked);
  return revoked;
}
