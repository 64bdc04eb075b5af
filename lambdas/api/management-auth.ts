import { findToken } from '../../src/use-cases/manage/api-tokens.ts';
import { isSameText } from '../shared/http-auth.ts';
import { HttpProblem } from '../shared/http-problem.ts';
import type { HttpRequest } from '../shared/http-request.ts';
import { log } from '../shared/log.ts';
import type { Caller } from './caller.ts';
import type { ApiPorts } from './ports.ts';

/** Throws HttpProblem 401 unless the caller proved itself in the stage's one way. */
export async function authenticateManagement(request: HttpRequest, ports: ApiPorts): Promise<Caller> {
  if (ports.auth === 'iam') {
    // API Gateway lets nobody else through; a route that lost its authorizer must not be open.
    if (!request.signedByIam) throw new HttpProblem(401, 'unauthorized', 'sign the request with AWS credentials');
    return { name: request.iamUser ?? 'iam', projects: null, access: 'write' };
  }
  const token = bearerToken(request);
  const caller = token === null ? null : await callerOf(token, ports);
  if (caller !== null) return caller;
  const detail = 'send an API token: Authorization: Bearer <token>';
  throw new HttpProblem(401, 'unauthorized', detail, {}, { 'www-authenticate': 'Bearer' });
}

function bearerToken(request: HttpRequest): string | null {
  return /^Bearer +([^\s,]+)$/i.exec(request.header('authorization') ?? '')?.[1] ?? null;
}

async function callerOf(token: string, ports: ApiPorts): Promise<Caller | null> {
  const record = await findToken(token, ports, isSameText);
  if (record !== null) return { name: `token ${record.name}`, projects: record.projects, access: record.access };
  return (await isFirstToken(token, ports)) ? { name: 'first token', projects: null, access: 'write' } : null;
}

/** The one that was made at deploy: it makes the others. */
async function isFirstToken(token: string, { systemSecrets }: ApiPorts): Promise<boolean> {
  const known = await systemSecrets.apiToken();
  if (known !== null && isSameText(token, known.trim())) return true;
  // It may have been rotated since it was cached.
  const fresh = await systemSecrets.apiToken({ fresh: true });
  if (fresh === null) log.warn('the API has no token yet: every management call is refused');
  return fresh !== null && fresh.trim() !== '' && isSameText(token, fresh.trim());
}
