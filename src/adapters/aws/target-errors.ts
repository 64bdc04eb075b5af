import type { TargetErrorCause } from '../../core/schemas/result.ts';

/** Why a call came to nothing. */
export interface CallFailure {
  readonly cause: TargetErrorCause;
  readonly message: string;
  /** `throttled`: wait long and lower the load; `transient`: wait shortly; `once`: costly, one more try; `never`: it cannot help. */
  readonly retry: 'throttled' | 'transient' | 'once' | 'never';
}

/** What an exception of an SDK call means for the row: a cause for the report, and whether trying again helps. */
export function classifyTargetError(error: unknown): CallFailure {
  if (!(error instanceof Error)) return { cause: 'connection', message: String(error), retry: 'never' };
  const details = error as ErrorDetails;
  const message = messageOf(details);
  const rule = RULES[error.name];
  if (rule !== undefined) return { ...rule, message };
  if (MODEL_ERRORS.has(error.name)) {
    // Only 5xx of the model itself: its 4xx are about the request.
    return { cause: 'http-status', message, retry: (details.originalStatusCode ?? 500) >= 500 ? 'once' : 'never' };
  }
  if (error.name === 'SyntaxError')
    return { cause: 'not-json', message: `the reply is not JSON: ${message}`, retry: 'never' };
  const status = details.$metadata?.httpStatusCode;
  if (status === undefined || status < 400) return connectionFailure(details, message);
  if (status === 429) return { cause: 'throttled', message, retry: 'throttled' };
  if (status === 413) return { cause: 'too-large', message, retry: 'never' };
  return { cause: 'http-status', message, retry: status >= 500 ? 'transient' : 'never' };
}

interface ErrorDetails extends Error {
  readonly code?: string;
  readonly originalStatusCode?: number;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const MODEL_ERRORS: ReadonlySet<string> = new Set(['ModelErrorException', 'ModelStreamErrorException']);
/** Nobody is there, or not who it should be: the same on another try. */
const LASTING_CODES: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'EPROTO']);

const refused = { cause: 'http-status', retry: 'never' } as const;
const unavailable = { cause: 'http-status', retry: 'transient' } as const;
const throttled = { cause: 'throttled', retry: 'throttled' } as const;
const starting = { cause: 'http-status', retry: 'throttled' } as const;
const crashed = { cause: 'crashed', retry: 'never' } as const;
const tooLarge = { cause: 'too-large', retry: 'never' } as const;

/** By name, since an exception within an event stream carries no status of its own. */
const RULES: Readonly<Record<string, Omit<CallFailure, 'message'>>> = {
  ThrottlingException: throttled,
  TooManyRequestsException: throttled,
  EC2ThrottledException: throttled,
  ModelNotReadyException: starting,
  ResourceNotReadyException: starting,
  SnapStartNotReadyException: starting,
  ServiceUnavailableException: unavailable,
  InternalServerException: unavailable,
  ServiceException: unavailable,
  BadGatewayException: unavailable,
  RetryableConflictException: unavailable,
  ResourceConflictException: unavailable,
  ModelTimeoutException: { cause: 'timeout', retry: 'once' },
  ValidationException: refused,
  ServiceQuotaExceededException: refused,
  ConflictException: refused,
  AccessDeniedException: refused,
  ResourceNotFoundException: refused,
  UnrecognizedClientException: refused,
  ExpiredTokenException: refused,
  CredentialsProviderError: refused,
  TokenProviderError: refused,
  RuntimeClientError: crashed, // AgentCore: the agent's own container failed
  DependencyFailedException: crashed, // Bedrock Agents: a function or a knowledge base of the agent failed
  RequestTooLargeException: tooLarge,
  RequestEntityTooLargeException: tooLarge,
};

function messageOf({ name, message, $metadata }: ErrorDetails): string {
  const status = $metadata?.httpStatusCode;
  const http = status !== undefined && status >= 400 ? ` (HTTP ${status})` : '';
  return `${name === 'Error' ? '' : `${name}: `}${message || 'no message'}${http}`;
}

function connectionFailure({ code }: ErrorDetails, message: string): CallFailure {
  return {
    cause: 'connection',
    message,
    retry: code !== undefined && LASTING_CODES.has(code) ? 'never' : 'transient',
  };
}
