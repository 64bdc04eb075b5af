/**
 * Verdicts kept by what decides them (`verdictKey`, SHA-256 in hex). What it gives back is untrusted: the caller checks it.
 * Only a convenience: a run goes on without it.
 */
export interface VerdictCache {
  /** Null when there is none, when it is too old, or when what lies there is damaged. Throws StorageError where the medium fails. */
  get(key: string): Promise<unknown>;
  /** Replaces what was there. Throws StorageError where the medium fails. */
  put(key: string, entry: object): Promise<void>;
}
