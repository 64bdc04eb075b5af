import { StorageError } from '../../core/errors.ts';
import type { SecretsHandle } from './clients.ts';
import { isNamed, isServiceFailure } from './service-errors.ts';

/** Secrets are cached per cold start; a rotation is seen within this time. */
export const SECRET_CACHE_MS = 5 * 60_000;

/** `denied`: it exists or not, this role may not read it. */
export type SecretValue =
  | { readonly status: 'found'; readonly text: string }
  | { readonly status: 'missing' }
  | { readonly status: 'denied'; readonly message: string };

/** Reads one secret, uncached. Messages hold its name, never its value. Throws StorageError where the service fails. */
export async function readSecretValue(secrets: SecretsHandle, secretId: string): Promise<SecretValue> {
  const { sdk, client } = await secrets();
  try {
    const reply = await client.send(new sdk.GetSecretValueCommand({ SecretId: secretId }));
    const text = reply.SecretString ?? Buffer.from(reply.SecretBinary ?? new Uint8Array()).toString('utf8');
    return { status: 'found', text };
  } catch (error) {
    // InvalidRequestException: scheduled for deletion.
    if (isNamed(error, 'ResourceNotFoundException') || isNamed(error, 'InvalidRequestException')) {
      return { status: 'missing' };
    }
    if (isNamed(error, 'AccessDeniedException') || isNamed(error, 'DecryptionFailure')) {
      return { status: 'denied', message: (error as Error).name };
    }
    throw secretsFailure(secretId, error);
  }
}

export function secretsFailure(secretId: string, error: unknown): unknown {
  if (!(error instanceof Error) || !isServiceFailure(error)) return error;
  return new StorageError(`Secrets Manager, secret ${secretId}: ${error.name}: ${error.message}`, { cause: error });
}
