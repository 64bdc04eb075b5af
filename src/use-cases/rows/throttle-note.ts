import { StorageError } from '../../core/errors.ts';
import type { RunRecord } from '../../core/schemas/registry.ts';
import type { EnvironmentUse } from '../../ports/environment.ts';
import type { Registry } from '../../ports/registry.ts';

/**
 * Notes on the run that it is throttled: its next batches, which read the run anyway, then keep the common pace from
 * their first request on. A run that nobody throttles costs no call.
 */
export class ThrottleNote {
  readonly use: Pick<EnvironmentUse, 'isThrottled' | 'onFirstThrottle'>;
  private writing: Promise<unknown> = Promise.resolve();

  constructor({ run_id, throttled = false }: RunRecord, registry: Registry) {
    this.use = {
      isThrottled: throttled,
      onFirstThrottle: () => {
        if (throttled) return;
        this.writing = registry.updateRun(run_id, ['queued', 'running'], { throttled: true }).catch(ignoreStorage);
      },
    };
  }

  /** Resolves once nothing is being written any more. */
  async written(): Promise<void> {
    await this.writing;
  }
}

/** Without the note the next batch learns it by a throttle of its own. */
function ignoreStorage(error: unknown): void {
  if (!(error instanceof StorageError)) throw error;
}
