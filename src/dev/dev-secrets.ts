import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { makeFolder } from '../adapters/local/make-folder.ts';
import { StorageError } from '../core/errors.ts';
import type { RotatingSecret, SystemSecrets } from '../ports/system-secrets.ts';

const RotatingSecretSchema = z.object({ current: z.string().min(1), previous: z.string().min(1).optional() });
const FileSchema = z.object({
  api_token: z.string().min(1),
  webhooks: z.record(z.string(), RotatingSecretSchema),
  report_links: RotatingSecretSchema.optional(),
});
type Content = z.infer<typeof FileSchema>;

/** What Secrets Manager keeps of our own in the cloud, in a file that only its owner may read. */
export class FileSystemSecrets implements SystemSecrets {
  private readonly path: string;
  private content: Content;
  private writing: Promise<void> = Promise.resolve();

  private constructor(path: string, content: Content) {
    this.path = path;
    this.content = content;
  }

  /** The first opening makes the API token. Throws StorageError when the file is damaged. */
  static async open(path: string): Promise<FileSystemSecrets> {
    const stored = await readContent(path);
    const secrets = new FileSystemSecrets(path, {
      ...(stored ?? { api_token: makeToken(), webhooks: {} }),
      report_links: stored?.report_links ?? { current: randomBytes(32).toString('base64url') },
    });
    if (stored?.report_links === undefined) await secrets.save();
    return secrets;
  }

  get token(): string {
    return this.content.api_token;
  }

  async webhook(project: string): Promise<RotatingSecret | null> {
    const found = Object.hasOwn(this.content.webhooks, project) ? this.content.webhooks[project] : undefined;
    return found === undefined ? null : copyOf(found);
  }

  async putWebhook(project: string, secret: RotatingSecret): Promise<void> {
    const webhooks = { ...this.content.webhooks, [project]: RotatingSecretSchema.parse(secret) };
    this.content = { ...this.content, webhooks };
    await this.save();
  }

  async deleteWebhook(project: string): Promise<void> {
    const { [project]: _, ...webhooks } = this.content.webhooks;
    this.content = { ...this.content, webhooks };
    await this.save();
  }

  async reportLinks(): Promise<RotatingSecret | null> {
    const { report_links: found } = this.content;
    return found === undefined ? null : copyOf(found);
  }

  async putReportLinks(secret: RotatingSecret): Promise<void> {
    this.content = { ...this.content, report_links: RotatingSecretSchema.parse(secret) };
    await this.save();
  }

  async apiToken(): Promise<string | null> {
    return this.token;
  }

  private save(): Promise<void> {
    // One write at a time, each of what stands there by then: the last one to end holds everything.
    const write = async () => {
      await makeFolder(dirname(this.path));
      const draft = `${this.path}.tmp`;
      await writeFile(draft, `${JSON.stringify(this.content, null, 2)}\n`, { mode: 0o600 });
      await rename(draft, this.path);
    };
    this.writing = this.writing.then(write, write);
    return this.writing;
  }
}

function copyOf({ current, previous }: z.infer<typeof RotatingSecretSchema>): RotatingSecret {
  return { current, ...(previous === undefined ? {} : { previous }) };
}

async function readContent(path: string): Promise<Content | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new StorageError(`${path} cannot be read`, { cause: error });
  }
  try {
    return FileSchema.parse(JSON.parse(text));
  } catch {
    // The parser's message would quote a secret.
    throw new StorageError(`${path} is damaged: start once with --reset, which wipes the local cloud`);
  }
}

export function makeToken(): string {
  return `assay_dev_${randomBytes(24).toString('base64url')}`;
}
