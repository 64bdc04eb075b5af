import { isIP } from 'node:net';
import { AssayError } from '../../core/errors.ts';
import { type AddressRules, bareName } from './address-rules.ts';

/** A URL or address that the outbound rules refuse. Nothing was sent there. The message names the host only. */
export class OutboundBlockedError extends AssayError {
  override readonly name = 'OutboundBlockedError'; // a literal: minifying renames the class
  /** True for a redirect: the first request was answered, the one it led to was not sent. */
  readonly requestSent: boolean;
  constructor(message: string, { requestSent = false } = {}) {
    super(message);
    this.requestSent = requestSent;
  }
}

/** Checks all of a URL that needs no resolver. Throws OutboundBlockedError. */
export function inspectUrl(text: string, rules: AddressRules, httpsOnly: boolean): URL {
  const url = parseUrl(text);
  const refusal = refuseOrigin(url, rules, httpsOnly);
  if (refusal !== undefined) throw new OutboundBlockedError(refusal);
  return url;
}

/** Why no socket may be opened there, before any name is resolved; undefined when one may. */
export function refuseOrigin(
  { protocol, hostname }: { readonly protocol: string; readonly hostname: string },
  rules: AddressRules,
  httpsOnly: boolean,
): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:')
    return `${protocol} URLs are refused; only https: and http: are allowed`;
  if (httpsOnly && protocol !== 'https:') return `${hostname}: only https: is allowed here`;
  const isLiteral = isIP(bareName(hostname)) !== 0;
  // No resolver is asked for a literal, so this is the only place that sees it.
  const reason = isLiteral ? rules.refuseAddress(hostname, hostname) : rules.refuseHost(hostname);
  return reason === undefined ? undefined : refusalMessage(hostname, reason);
}

export function refusalMessage(hostname: string, reason: string): string {
  const allow = reason.endsWith('private address') ? ' (allowed_hosts or allowed_cidrs can allow it)' : '';
  return `the outbound rules refuse ${hostname}: ${reason}${allow}`;
}

export const CREDENTIALS_REFUSAL = 'the URL holds credentials; put them into a header with {{secrets.NAME}}';

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) {
    throw new OutboundBlockedError('the URL is not valid; write it in full, such as https://api.example.com/answer');
  }
  if (url.username !== '' || url.password !== '') throw new OutboundBlockedError(CREDENTIALS_REFUSAL);
  return url;
}
