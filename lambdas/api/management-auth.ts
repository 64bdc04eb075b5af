import { isSameText } from '../shared/http-auth.ts';
import { HttpProblem } from '../shared/http-problem.ts';
import type { HttpRequest } from '../shared/http-request.ts';
import { log } from '../shared/log.ts';
import type { ApiPorts } from './ports.ts';

/** Throws HttpProblem 401 unless the caller proved itself in the stage's one way. */
export async function authenticateManagement(request: HttpRequest, ports: ApiPorts): Promise<void> {
  if (ports.auth === 'iam') {
    // API Gateway lets nobody else through; a route that lost its authorizer must not be open.
    if (!request.signedByIam) throw new HttpProblem(401, 'unauthorized', 'sign the request with AWS credentials');
    return;
  }
  const token = bearerToken(request);
  if (token !== null && (await isToken(token, ports))) return;
  const detail = 'send the API token: Authorization: Bearer <token>';
  throw new HttpProblem(401, 'unauthorized', detail, {}, { 'www-authenticate': 'Bearer' });
}

function bearerToken(request: HttpRequest): string | null {
  return /^Bearer +([^\s,]+)$/i.exec(request.header('authorization') ?? '')?.[1] ?? null;
}

async function isToken(token: string, { systemSecrets }: ApiPorts): Promise<boolean> {
  const known = await systemSecrets.apiToken();
  if (known !== null && isSameText(token, known.trim())) return true;
  // It may have been rotated since it was cached.
  const fresh = await systemSecrets.apiToken({ fresh: true });
  if (fresh === null) log.warn('the API has no token yet: every management call is refused');
  return fresh !== null && fresh.trim() !== '' && isSameText(token, fresh.trim());
}
