import { randomUUID } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { RunEventError } from '../../core/errors.ts';
import { EVENT_SOURCE, RUN_FINISHED, type RunFinished } from '../../core/schemas/run-finished.ts';
import type { RunEvents } from '../../ports/run-events.ts';

/** An event as a rule, and its target, are given it. */
export interface DeliveredEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: RunFinished;
}

export interface FileRunEventsOptions {
  readonly stage: string;
  /** JSONL; one line an event is added at its end. */
  readonly path: string;
  /** After the line is written. */
  onEvent?(event: DeliveredEvent): void;
  onNotTold?(runId: string, error: unknown): void;
}

/** What the event bus would be sent, in a file: so that people see it, and can try the patterns of their rules on it. */
export class FileRunEvents implements RunEvents {
  readonly stage: string;
  private readonly options: FileRunEventsOptions;

  constructor(options: FileRunEventsOptions) {
    this.options = options;
    this.stage = options.stage;
  }

  async runFinished(detail: RunFinished): Promise<void> {
    const event = deliveredEvent(detail);
    try {
      await appendFile(this.options.path, `${JSON.stringify(event)}\n`);
    } catch (error) {
      throw new RunEventError(`cannot write ${this.options.path}: ${(error as Error).message}`, { cause: error });
    }
    this.options.onEvent?.(event);
  }

  notTold(runId: string, error: unknown): void {
    this.options.onNotTold?.(runId, error);
  }
}

function deliveredEvent(detail: RunFinished): DeliveredEvent {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': RUN_FINISHED,
    source: EVENT_SOURCE,
    account: '000000000000',
    // EventBridge has whole seconds.
    time: `${new Date(detail.finished_at).toISOString().slice(0, 19)}Z`,
    region: 'local',
    resources: [],
    detail,
  };
}
