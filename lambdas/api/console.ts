import { createHash } from 'node:crypto';
import { HttpProblem } from '../shared/http-problem.ts';
import type { HttpRequest } from '../shared/http-request.ts';
import { type HttpResponse, PRIVATE } from '../shared/http-response.ts';
import type { ApiOperation } from './ports.ts';

const INDEX = 'index.html';
/** Shown where management calls are signed with AWS credentials, which no browser has. */
const CLOSED = 'closed.html';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Nothing of another origin, nothing inline, no frame around it, and no text that becomes markup or script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const SECURITY_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** The page itself. Its files stand beside it by relative names, so that it works under any prefix. */
export const readConsoleOperation: ApiOperation = async (request, ports) => {
  // Relative names would be looked for one folder too deep.
  if (request.path.endsWith('/')) return { statusCode: 302, headers: { ...PRIVATE, location: '../console' }, body: '' };
  return answerFile(request, ports.auth === 'iam' ? CLOSED : INDEX, await ports.consoleFiles());
};

/** Only what was built is there to be read: a name is looked up, never made a path. */
export const readConsoleFileOperation: ApiOperation = async (request, ports) => {
  const name = request.parameters.file ?? '';
  if (name.endsWith('.html')) throw noSuchFile();
  return answerFile(request, name, await ports.consoleFiles());
};

function answerFile(request: HttpRequest, name: string, files: ReadonlyMap<string, string>): HttpResponse {
  const body = files.get(name);
  if (body === undefined) throw noSuchFile();
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': CONTENT_TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    // Every name but the pages' holds a hash of its content.
    'cache-control': name.endsWith('.html') ? 'no-cache' : 'public, max-age=31536000, immutable',
    etag,
  };
  if (isKnown(request.header('if-none-match'), etag)) return { statusCode: 304, headers, body: '' };
  return { statusCode: 200, headers, body };
}

function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}

function noSuchFile(): HttpProblem {
  return new HttpProblem(404, 'not-found', 'the console has no such file');
}
