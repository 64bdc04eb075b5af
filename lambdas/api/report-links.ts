import { createHmac } from 'node:crypto';
import { StorageError } from '../../src/core/errors.ts';
import type { RotatingSecret } from '../../src/ports/system-secrets.ts';
import { isSameText } from '../shared/http-auth.ts';
import { HttpProblem } from '../shared/http-problem.ts';
import type { HttpRequest } from '../shared/http-request.ts';
import { log } from '../shared/log.ts';
import { runParameter } from './parameters.ts';
import type { ApiPorts } from './ports.ts';

/** What a link shows. */
export type LinkedFile = 'report.html' | 'junit.xml';
export type LinkPorts = Pick<ApiPorts, 'systemSecrets' | 'clock' | 'reportLinkDays'>;

/** No link is good for longer, whoever signed it. */
const MOST_DAYS = 7;
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/**
 * Signs links to files of runs, all of one answer: paths of this API that open without a token until they expire. On
 * a stage without links, or without a key to sign with, it gives the paths that take a token.
 */
export async function openLinkSigner(ports: LinkPorts): Promise<(runId: string, file: LinkedFile) => string> {
  const days = Math.min(ports.reportLinkDays, MOST_DAYS);
  const key = days > 0 ? await signingKey(ports) : '';
  // Whole hours, so that who asks again is told the same.
  const expiresS = Math.floor((ports.clock.now() / 1_000 + days * DAY_S) / HOUR_S) * HOUR_S;
  return (runId, file) => {
    if (key === '') return `/api/runs/${runId}/${nameOf(file)}`;
    const path = pathOf(runId, file);
    return `${path}?expires=${expiresS}&signature=${signatureOf(path, String(expiresS), key)}`;
  };
}

/**
 * The run whose file a request may see by its link. Throws HttpProblem: 404 for what nobody signed, so that nobody
 * learns which runs there are, 410 for a link that was good once.
 */
export async function runOfLink(request: HttpRequest, file: LinkedFile, ports: LinkPorts): Promise<string> {
  const runId = runParameter(request);
  const expires = request.query.get('expires') ?? '';
  const signature = request.query.get('signature') ?? '';
  const keys = await keysOf(ports);
  const live = [keys?.current, keys?.previous].filter((key) => key !== undefined && key !== '');
  // Every live key is tried, so that the time tells nothing of which it was.
  const proofs = live.map((key) => isSameText(signature, signatureOf(pathOf(runId, file), expires, key ?? '')));
  const nowS = ports.clock.now() / 1_000;
  const isOurs = proofs.includes(true) && /^[1-9]\d{9}$/.test(expires) && Number(expires) <= nowS + MOST_DAYS * DAY_S;
  if (!isOurs) throw new HttpProblem(404, 'not-found', 'there is no such link, or it was revoked');
  if (Number(expires) > nowS) return runId;
  const detail = 'this link has expired; the gate (status_url) and the run give a new one';
  throw new HttpProblem(410, 'link-expired', detail);
}

/** Empty where there is none. A gate is told all the same while its key cannot be read. */
async function signingKey(ports: LinkPorts): Promise<string> {
  try {
    return (await keysOf(ports))?.current ?? '';
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    log.error('links to reports cannot be signed', error);
    return '';
  }
}

/** Past the long cache, so that a link that was revoked is dead everywhere within seconds. */
function keysOf({ systemSecrets }: LinkPorts): Promise<RotatingSecret | null> {
  return systemSecrets.reportLinks({ fresh: true });
}

function signatureOf(path: string, expires: string, key: string): string {
  return createHmac('sha256', key).update(`assay link v1\nGET ${path}\n${expires}`).digest('base64url');
}

function pathOf(runId: string, file: LinkedFile): string {
  return `/api/links/${runId}/${nameOf(file)}`;
}

function nameOf(file: LinkedFile): 'report' | 'junit' {
  return file === 'report.html' ? 'report' : 'junit';
}
