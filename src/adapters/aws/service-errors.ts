import { parseRetryAfter } from '../../core/pace/retry-after.ts';

export function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

/** True for replies of the service, broken connections and credentials that cannot be had. */
export function isServiceFailure(error: Error): boolean {
  if ('$metadata' in error || '$fault' in error || 'code' in error) return true;
  return error.name === 'TimeoutError' || error.name === 'CredentialsProviderError';
}

/** What a reply of the service asks to wait, in ms; null: nothing. */
export function retryAfterOf(error: unknown, nowMs: number): number | null {
  const { $response } = error as { $response?: { readonly headers?: Readonly<Record<string, string>> } };
  return parseRetryAfter($response?.headers?.['retry-after'], nowMs);
}
