import type { RotatingSecret, SystemSecrets } from '../../ports/system-secrets.ts';

/** System secrets in this process, for tests of use cases. */
export class MemorySystemSecrets implements SystemSecrets {
  private readonly webhooks = new Map<string, RotatingSecret>();
  private readonly token: string | null;
  private links: RotatingSecret | null = null;

  constructor(apiToken: string | null = null) {
    this.token = apiToken;
  }

  async webhook(project: string): Promise<RotatingSecret | null> {
    const secret = this.webhooks.get(project);
    return secret === undefined ? null : { ...secret };
  }

  async putWebhook(project: string, secret: RotatingSecret): Promise<void> {
    this.webhooks.set(project, { ...secret });
  }

  async deleteWebhook(project: string): Promise<void> {
    this.webhooks.delete(project);
  }

  async reportLinks(): Promise<RotatingSecret | null> {
    return this.links === null ? null : { ...this.links };
  }

  async putReportLinks(secret: RotatingSecret): Promise<void> {
    this.links = { ...secret };
  }

  async apiToken(): Promise<string | null> {
    return this.token;
  }
}
