import type { Fault } from '../errors.ts';
import { ConfigError } from '../errors.ts';
import type { Row } from '../schemas/row.ts';
import type { Segment } from './text-template.ts';
import { parseText, renderText, secretNamesIn } from './text-template.ts';
import type { Rendered } from './variables.ts';

export interface UrlTemplate {
  readonly secretNames: readonly string[];
  /**
   * What stands in the configuration: no row values, and `1` for every secret, which is valid in a host, a port and a path.
   * `hasOwnHost`: no secret stands in scheme, host or port, so that these are the ones of every request.
   */
  readonly written: { readonly url: string; readonly hasOwnHost: boolean };
  /** Puts the secrets in. Throws ConfigError when a row value would then stand before the path. */
  bind(secrets: ReadonlyMap<string, string>): BoundUrl;
}

interface BoundUrl {
  /** The URL with empty row values: same scheme, host and port as every rendered one. */
  readonly sample: string;
  render(row: Row): Rendered<string>;
}

/** Scheme, host and port are over: what follows cannot change where the request goes. */
const BEFORE_PATH = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]+[/?#]/i;
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?=\/|$)/i;

/**
 * Reads the template of a URL. Row values are percent-encoded and stand only in path, query or fragment; secrets may stand
 * anywhere (in a path their "/" stays, in a query they are percent-encoded, before the path they are taken as they are).
 */
export function compileUrl(url: string, { where }: { readonly where: string }): UrlTemplate {
  const faults: Fault[] = [];
  const segments = parseText(url.trim(), where, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  const early = firstRowValueBeforePath(segments);
  if (early === 'yes') throw new ConfigError([beforePathFault(where)]);
  return {
    secretNames: secretNamesIn(segments),
    written: {
      url: segments.map((part) => (typeof part === 'string' ? part : part.kind === 'secret' ? '1' : '')).join(''),
      hasOwnHost: early === 'no',
    },
    bind: (secrets) => bindUrl(insertSecrets(segments, secrets), where),
  };
}

function bindUrl(segments: readonly Segment[], where: string): BoundUrl {
  if (firstRowValueBeforePath(segments) === 'yes') throw new ConfigError([beforePathFault(where)]);
  const sample = segments.filter((part) => typeof part === 'string').join('');
  if (segments.every((part) => typeof part === 'string')) {
    const constant: Rendered<string> = { ok: true, value: sample };
    return { sample, render: () => constant };
  }
  const probe = segments.map((part) => (typeof part === 'string' ? part : 'x')).join('');
  const ownDots = DOT_SEGMENT.test(pathOf(probe));
  return {
    sample,
    render: (row) => {
      const url = renderText(segments, { row, secrets: NO_SECRETS }, encodePart);
      // "." and ".." cannot be encoded: every URL parser reads %2e%2e as "..", too.
      if (url.ok && !ownDots && DOT_SEGMENT.test(pathOf(url.value))) {
        return { ok: false, message: 'a value of the row makes a "." or ".." step in the path of the URL' };
      }
      return url;
    },
  };
}

const NO_SECRETS: ReadonlyMap<string, string> = new Map();

/** `unknown`: a secret stands before the first row value, and it may hold the host. */
function firstRowValueBeforePath(segments: readonly Segment[]): 'yes' | 'no' | 'unknown' {
  let prefix = '';
  for (const part of segments) {
    if (typeof part === 'string') prefix += part;
    else if (part.kind === 'secret') return BEFORE_PATH.test(prefix) ? 'no' : 'unknown';
    else return BEFORE_PATH.test(prefix) ? 'no' : 'yes';
  }
  return 'no';
}

function beforePathFault(field: string): Fault {
  return {
    field,
    message: 'a value of the row stands in the scheme, host or port of the URL',
    fix: 'put row values into the path or the query, such as https://api.example.com/answer?q={{input}}',
  };
}

function insertSecrets(segments: readonly Segment[], secrets: ReadonlyMap<string, string>): Segment[] {
  const bound: Segment[] = [];
  let text = '';
  let prefix = '';
  for (const part of segments) {
    if (typeof part === 'string') text += part;
    else if (part.kind === 'secret') text += encodeSecret(secrets.get(part.name) ?? '', prefix + text);
    else {
      if (text !== '') bound.push(text);
      bound.push(part);
      prefix += text;
      text = '';
    }
  }
  if (text !== '') bound.push(text);
  return bound;
}

function encodeSecret(value: string, before: string): string {
  if (!BEFORE_PATH.test(before)) return value;
  const encoded = encodePart(value);
  return /[?#]/.test(before) ? encoded : encoded.replaceAll('%2F', '/');
}

function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed()); // a lone surrogate would throw
}

function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? '';
}
