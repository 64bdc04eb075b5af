import { sha256Hex } from '../../src/core/json.ts';
import type { Credential } from '../shared/http-auth.ts';
import { HttpProblem } from '../shared/http-problem.ts';
import type { HttpRequest } from '../shared/http-request.ts';

/** In order: what the caller chose goes before what its sender counts. */
const KEY_HEADERS = ['idempotency-key', 'x-assay-delivery', 'x-github-delivery'] as const;
const LONGEST_KEY = 255;

/** What the caller calls this delivery; null when it does not say. Throws HttpProblem 400. */
export function givenKey(request: HttpRequest): string | null {
  for (const header of KEY_HEADERS) {
    const value = request.header(header) ?? '';
    if (value === '') continue;
    if (value.length <= LONGEST_KEY) return `${header}:${value}`;
    throw new HttpProblem(400, 'invalid-key', `${header} may have ${LONGEST_KEY} characters`);
  }
  return null;
}

/** One signature is one delivery; the body itself never is a key. Null for a plain secret. */
export function signatureKey(credential: Credential): string | null {
  if (credential.kind === 'secret') return null;
  return `signature:${sha256Hex(`${credential.timestamp}.${credential.signature.toLowerCase()}`)}`;
}
