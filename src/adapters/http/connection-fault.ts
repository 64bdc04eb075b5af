import type { TargetErrorCause } from '../../core/schemas/result.ts';
import { isConnectionReset } from './retry-policy.ts';
import { OutboundBlockedError } from './url-rules.ts';

export interface ConnectionFault {
  readonly cause: TargetErrorCause;
  readonly message: string;
  readonly retryable: boolean;
  /** False: the outbound rules stopped it before anything left. */
  readonly sent: boolean;
}

/** What a failed exchange with a host means, in words; rethrows what is no network failure but a bug. */
export function classifyFault(error: unknown, host: string, maxResponseBytes: number): ConnectionFault {
  if (error instanceof OutboundBlockedError) return { ...fault('blocked', error.message), sent: error.requestSent };
  const code = codeOf(error);
  if (code === undefined) {
    // llhttp's own errors are named, but not all have a code.
    if (error instanceof Error && error.name === 'HTTPParserError') {
      return fault('connection', `${NO_HTTP} ${host}`);
    }
    throw error;
  }
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' || code === 'ERR_BUFFER_TOO_LARGE') {
    return fault('too-large', `the answer of ${host} is longer than ${maxResponseBytes.toLocaleString('en')} bytes`);
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return fault('too-large', `the headers of ${host}'s answer are too long`);
  const words = CODE_WORDS[code] ?? wordsByPrefix(code);
  return { ...fault('connection', `${words} ${host} (${code})`), retryable: isConnectionReset(code) };
}

const CODE_WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host:',
  EAI_AGAIN: 'the name server did not answer for',
  ECONNREFUSED: 'connection refused by',
  ECONNRESET: 'connection reset by',
  EPIPE: 'connection reset by',
  UND_ERR_SOCKET: 'connection closed by',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 s to',
  ETIMEDOUT: 'no connection in time to',
  EHOSTUNREACH: 'no route to',
  ENETUNREACH: 'no route to',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'incomplete answer from',
};

const NO_HTTP = 'an answer that is no HTTP from';

function wordsByPrefix(code: string): string {
  if (code.startsWith('HPE_')) return NO_HTTP;
  if (/CERT|TLS|SSL|SIGNATURE/.test(code)) return 'TLS failed with';
  if (/^Z_|^ERR_BROTLI|^ERR_ZSTD/.test(code)) return 'an answer that cannot be unpacked from';
  return 'connection failed to';
}

/** Happy Eyeballs wraps one error an address; undici sometimes keeps the socket's error as the cause. */
function codeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 3; at = at.cause, depth += 1) {
    const code = 'code' in at ? at.code : undefined;
    if (typeof code === 'string') return code;
    if (at instanceof AggregateError && at.errors.length > 0) return codeOf(at.errors[0]);
  }
  return undefined;
}

function fault(cause: TargetErrorCause, message: string): ConnectionFault {
  return { cause, message, retryable: false, sent: true };
}
