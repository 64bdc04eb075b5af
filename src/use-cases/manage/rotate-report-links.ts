import type { SystemSecrets } from '../../ports/system-secrets.ts';

export interface RotateReportLinksPorts {
  readonly systemSecrets: SystemSecrets;
  randomBytes(count: number): Uint8Array;
}

/**
 * Links are signed with a new key from now on. All that were given out are dead, unless the key before is kept until
 * the next rotation. Returns whether one was.
 */
export async function rotateReportLinks(
  { keepPrevious }: { keepPrevious: boolean },
  { systemSecrets, randomBytes }: RotateReportLinksPorts,
): Promise<boolean> {
  const before = keepPrevious ? await systemSecrets.reportLinks({ fresh: true }) : null;
  await systemSecrets.putReportLinks({
    current: Buffer.from(randomBytes(32)).toString('base64url'),
    ...(before === null ? {} : { previous: before.current }),
  });
  return before !== null;
}
