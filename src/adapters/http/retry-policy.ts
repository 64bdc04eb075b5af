/** A server that asks for more is asked again after this long. */
const MAX_RETRY_DELAY_MS = 60_000;
const BASE_DELAY_MS = 500;
const MAX_BACKOFF_MS = 20_000;

/** Statuses that say "later". */
const RETRYABLE_STATUS = new Set([429, 502, 503, 504]);
/** The connection was there and broke. Refused, DNS and TLS faults stay as they are on another try. */
const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

export function isRetryableStatus(status: number): boolean {
  return RETRYABLE_STATUS.has(status);
}

export function isConnectionReset(code: string): boolean {
  return RESET_CODES.has(code);
}

/**
 * Wait before the next attempt, in ms: exponential backoff with full jitter, on top of what the server asked for, at most a minute.
 * `attempt` is the number of attempts made, from 1; `random` is in [0, 1).
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | null, random: number): number {
  const backoff = random * Math.min(MAX_BACKOFF_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
  return Math.min(MAX_RETRY_DELAY_MS, Math.round((retryAfterMs ?? 0) + backoff));
}
