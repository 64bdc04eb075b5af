/** Two live values while a rotation is under way: senders move from `previous` to `current` in their own time. */
export interface RotatingSecret {
  readonly current: string;
  readonly previous?: string;
}

/**
 * Our own secret material, apart from the secrets of projects and unreachable from templates.
 * Values may be cached for up to 5 minutes; `fresh` asks for one read past the cache, as after a secret that did not
 * match (a rotation made elsewhere); it is granted at most once in 10 s, so wrong guesses cost no calls.
 */
export interface SystemSecrets {
  /** Null when the project has none. Throws StorageError where the service fails. */
  webhook(project: string, options?: { fresh?: boolean }): Promise<RotatingSecret | null>;
  putWebhook(project: string, secret: RotatingSecret): Promise<void>;
  deleteWebhook(project: string): Promise<void>;
  /** What links to reports are signed with, one for all projects; null when none was made. */
  reportLinks(options?: { fresh?: boolean }): Promise<RotatingSecret | null>;
  putReportLinks(secret: RotatingSecret): Promise<void>;
  /** The bootstrap token of the management API; null when none was made. */
  apiToken(options?: { fresh?: boolean }): Promise<string | null>;
}
