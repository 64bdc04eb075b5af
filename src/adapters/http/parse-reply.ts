import type { JsonValue } from '../../core/json.ts';
import type { Redactor } from '../../core/redact.ts';
import type { TargetErrorCause } from '../../core/schemas/result.ts';
import type { HttpReply } from './send-request.ts';

export type ParsedReply =
  | { readonly ok: true; readonly body: JsonValue }
  | { readonly ok: false; readonly cause: TargetErrorCause; readonly message: string };

const EXCERPT_LENGTH = 200;
/** Deeper values overflow the stack of whatever walks them later; no answer is. */
const MAX_NESTING = 500;

/**
 * The body as JSON, or as a text where none of the paths leads into it. Not ok: a status of failure, or no JSON where it is needed.
 * Messages hold a short excerpt of the body, secrets redacted before it is cut.
 */
export function parseReply(
  reply: HttpReply,
  options: { readonly needsJson: boolean; readonly allowedStatus: readonly number[]; readonly redactor: Redactor },
): ParsedReply {
  const { status, contentType, text } = reply;
  const said = () => excerpt(text, options.redactor);
  if (status >= 400 && !options.allowedStatus.includes(status)) {
    return { ok: false, cause: status === 429 ? 'throttled' : 'http-status', message: `HTTP ${status}${said()}` };
  }
  if (status >= 300 && status < 400) {
    return { ok: false, cause: 'http-status', message: `HTTP ${status} without a usable location${said()}` };
  }
  const isJson = /^[^;]*\bjson\b/i.test(contentType);
  if (!options.needsJson && !isJson) return { ok: true, body: text };
  if (nestsTooDeep(text)) {
    return {
      ok: false,
      cause: 'not-json',
      message: `HTTP ${status}: the body nests deeper than ${MAX_NESTING} levels`,
    };
  }
  const body = parseJson(text);
  if (body !== undefined) return { ok: true, body };
  if (!options.needsJson && text === '') return { ok: true, body: '' };
  const type = contentType === '' ? 'no content-type' : `content-type ${contentType.slice(0, 80)}`;
  const what = text === '' ? 'the body is empty' : 'the body is not JSON';
  return { ok: false, cause: 'not-json', message: `HTTP ${status}, ${type}: ${what}${said()}` };
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** A plain loop: a pattern over a text of megabytes could overflow the stack itself. */
function nestsTooDeep(text: string): boolean {
  if (text.length <= 2 * MAX_NESTING) return false; // each level takes two characters
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (inText) {
      if (char === '\\') at += 1;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    if (depth > MAX_NESTING) return true;
  }
  return false;
}

function excerpt(text: string, redactor: Redactor): string {
  // The whole text: a cut might leave the beginning of a secret, which nobody would find then.
  const line = redactor.text(text).replace(/\s+/g, ' ').trim();
  if (line === '') return '';
  return `: ${line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line}`;
}
