import type { AttemptFailure } from '../judge-backoff.ts';

/** What an exception of a Bedrock call means: a cause for the report, and whether trying again helps. */
export function classifyBedrockError(error: unknown): AttemptFailure {
  if (!(error instanceof Error)) return { cause: 'unavailable', message: String(error), retry: 'never' };
  const message = `${error.name}: ${error.message}`;
  const rule = RULES[error.name];
  if (rule !== undefined) return { ...rule, message };
  const details = error as ErrorDetails;
  // Only 5xx of the model itself: its 4xx are about the request.
  if (error.name === 'ModelErrorException' || error.name === 'ModelStreamErrorException') {
    const serverSide = (details.originalStatusCode ?? 500) >= 500;
    return serverSide
      ? { cause: 'unavailable', message, retry: 'once' }
      : { cause: 'bad-request', message, retry: 'never' };
  }
  const status = details.$metadata?.httpStatusCode;
  if (status === 429) return { cause: 'throttled', message, retry: 'throttled' };
  if (status === 401 || status === 403) return { cause: 'access-denied', message, retry: 'never' };
  if (status !== undefined && status >= 400 && status < 500) return { cause: 'bad-request', message, retry: 'never' };
  return { cause: 'unavailable', message, retry: 'transient' }; // 5xx, and connections that broke or never came about
}

interface ErrorDetails {
  readonly originalStatusCode?: number;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const RULES: Readonly<Record<string, Omit<AttemptFailure, 'message'>>> = {
  ThrottlingException: { cause: 'throttled', retry: 'throttled' },
  TooManyRequestsException: { cause: 'throttled', retry: 'throttled' },
  ModelNotReadyException: { cause: 'unavailable', retry: 'throttled' },
  ServiceUnavailableException: { cause: 'unavailable', retry: 'transient' },
  InternalServerException: { cause: 'unavailable', retry: 'transient' },
  ModelTimeoutException: { cause: 'timeout', retry: 'once' },
  ValidationException: { cause: 'bad-request', retry: 'never' },
  ServiceQuotaExceededException: { cause: 'bad-request', retry: 'never' },
  ConflictException: { cause: 'bad-request', retry: 'never' },
  AccessDeniedException: { cause: 'access-denied', retry: 'never' },
  ResourceNotFoundException: { cause: 'access-denied', retry: 'never' },
  UnrecognizedClientException: { cause: 'access-denied', retry: 'never' },
  ExpiredTokenException: { cause: 'access-denied', retry: 'never' },
  CredentialsProviderError: { cause: 'access-denied', retry: 'never' },
  TokenProviderError: { cause: 'access-denied', retry: 'never' },
};
