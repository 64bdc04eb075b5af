import { canonicalJson, sha256Hex } from '../json.ts';

/** 64 bits: nobody who writes an answer guesses it, and it costs a judge few tokens. */
const NONCE_LENGTH = 16;

export interface CallKey {
  readonly runId: string;
  readonly rowId: string;
  readonly target: string;
  readonly trial: number;
  /** Number of the call among the row's calls, from 0. */
  readonly call: number;
}

/** The same for the same call, so that a retried batch asks byte for byte the same; unlike for any other call. */
export function deriveNonce(key: CallKey, salt = ''): string {
  const { runId, rowId, target, trial, call } = key;
  return sha256Hex(canonicalJson([runId, rowId, target, trial, call, salt])).slice(0, NONCE_LENGTH);
}

/** The nonce itself, or the next one derived from it that none of the texts contains. */
export function absentNonce(nonce: string, texts: readonly string[]): string {
  const haystack = texts.map((text) => text.toLowerCase());
  let candidate = nonce;
  while (haystack.some((text) => text.includes(candidate.toLowerCase()))) {
    candidate = sha256Hex(candidate).slice(0, NONCE_LENGTH);
  }
  return candidate;
}
