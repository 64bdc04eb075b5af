import type { Registry } from '../../ports/registry.ts';
import type { SystemSecrets } from '../../ports/system-secrets.ts';
import { findProject } from './put-project.ts';
import { makeWebhookSecret } from './webhook-secret.ts';

export interface RotateWebhookSecretPorts {
  readonly registry: Registry;
  readonly systemSecrets: SystemSecrets;
  randomBytes(count: number): Uint8Array;
}

/**
 * A new webhook secret, told here once. The one before stays valid until the next rotation, so that senders can move;
 * `keepPrevious: false` ends it now, as after a leak. Throws NotFoundError.
 */
export async function rotateWebhookSecret(
  request: { project: string; keepPrevious: boolean },
  ports: RotateWebhookSecretPorts,
): Promise<{ webhookSecret: string; previousValid: boolean }> {
  const { id } = await findProject(request.project, ports);
  const current = request.keepPrevious ? await ports.systemSecrets.webhook(id, { fresh: true }) : null;
  const webhookSecret = makeWebhookSecret(ports.randomBytes);
  await ports.systemSecrets.putWebhook(id, {
    current: webhookSecret,
    ...(current === null ? {} : { previous: current.current }),
  });
  return { webhookSecret, previousValid: current !== null };
}
