import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { RotatingSecret } from '../../src/ports/system-secrets.ts';

/** Signatures older, or further in the future, than this are refused. */
export const SIGNATURE_WINDOW_MS = 300_000;

/** How a caller proves to know a secret: the secret itself, or a signature over the time and the raw body. */
export type Credential =
  | { readonly kind: 'secret'; readonly value: string }
  | { readonly kind: 'signature'; readonly timestamp: string; readonly signature: string };

/** True when the credential is made of one of the live secrets. Takes the same time for every wrong one. */
export function proves(
  credential: Credential,
  body: Uint8Array,
  secrets: RotatingSecret | null,
  nowMs: number,
): boolean {
  // Secrets that came from files end with a line break, and no header can carry that.
  const live = [secrets?.current, secrets?.previous].map((secret) => secret?.trim() ?? '');
  const matches = live.map((secret) => provesOne(credential, body, secret, nowMs) && secret !== '');
  return matches.includes(true);
}

function provesOne(credential: Credential, body: Uint8Array, secret: string, nowMs: number): boolean {
  if (credential.kind === 'secret') return isSameText(credential.value, secret);
  const { timestamp, signature } = credential;
  const isFresh = /^\d{1,12}$/.test(timestamp) && Math.abs(nowMs - Number(timestamp) * 1000) <= SIGNATURE_WINDOW_MS;
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return isSameText(signature.toLowerCase(), `sha256=${expected}`) && isFresh;
}

/** Compares in a time that tells nothing of the texts, whatever their lengths: their hashes are as long as each other. */
export function isSameText(given: string, expected: string): boolean {
  return timingSafeEqual(hash(given), hash(expected));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
