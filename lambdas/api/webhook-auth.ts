import { type Credential, proves } from '../shared/http-auth.ts';
import { HttpProblem } from '../shared/http-problem.ts';
import type { HttpRequest } from '../shared/http-request.ts';
import type { ApiPorts } from './ports.ts';

/** Throws HttpProblem 401 when the request brings none. */
export function credentialOf(request: HttpRequest): Credential {
  const signature = request.header('x-assay-signature') ?? '';
  if (signature !== '') return { kind: 'signature', signature, timestamp: request.header('x-assay-timestamp') ?? '' };
  const value = request.header('x-webhook-secret') ?? '';
  if (value !== '') return { kind: 'secret', value };
  throw new HttpProblem(401, 'unauthorized', CREDENTIAL_HINT);
}

/** Does the credential belong to the project? A project that does not exist answers as one with another secret. */
export async function isOfProject(
  credential: Credential,
  request: HttpRequest,
  project: string,
  { systemSecrets, clock }: ApiPorts,
): Promise<boolean> {
  const matches = async (fresh: boolean) =>
    proves(credential, request.body, await systemSecrets.webhook(project, { fresh }), clock.now());
  // The second look is past the cache: the secret may have been rotated elsewhere.
  return (await matches(false)) || (await matches(true));
}

export const CREDENTIAL_HINT =
  'send the webhook secret of the project as X-Webhook-Secret, or X-Assay-Timestamp (seconds, at most 300 off) with X-Assay-Signature: sha256=<hex HMAC of timestamp + "." + body>';
