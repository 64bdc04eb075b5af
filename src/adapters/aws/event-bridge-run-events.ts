import { RunEventError } from '../../core/errors.ts';
import { EVENT_SOURCE, RUN_FINISHED, type RunFinished } from '../../core/schemas/run-finished.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RunEvents } from '../../ports/run-events.ts';
import type { EventBridgeHandle } from './clients.ts';
import { isServiceFailure } from './service-errors.ts';

export interface EventBridgeRunEventsOptions {
  readonly stage: string;
  /** Name or ARN. */
  readonly busName: string;
  readonly eventBridge: EventBridgeHandle;
  readonly clock: Clock;
  /** 0 to 1, for the jitter between attempts. @default Math.random */
  readonly random?: () => number;
  onNotTold(runId: string, error: unknown): void;
}

/** An entry may have 256 KB, its envelope included. */
const LARGEST_BYTES = 250 * 1024;
/** Not for long: a caller of the API may be waiting, and what cannot be told now is told by the sweep. */
const ATTEMPTS = 4;
const BASE_WAIT_MS = 100;
/** Codes of a refused entry that may pass: PutEvents itself answers 200 then, and the SDK tries nothing again. */
const PASSING = new Set(['ThrottlingException', 'InternalFailure', 'InternalException']);

/** Puts events on one bus, an entry a call. */
export class EventBridgeRunEvents implements RunEvents {
  readonly stage: string;
  private readonly options: EventBridgeRunEventsOptions;

  constructor(options: EventBridgeRunEventsOptions) {
    this.options = options;
    this.stage = options.stage;
  }

  async runFinished(event: RunFinished): Promise<void> {
    const Detail = JSON.stringify(event);
    const bytes = Buffer.byteLength(Detail);
    if (bytes > LARGEST_BYTES) throw new RunEventError(`the event of run ${event.run_id} has ${bytes} bytes`);
    const { clock, random = Math.random } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      const refused = await this.put(Detail, new Date(event.finished_at));
      if (refused === null) return;
      if (!PASSING.has(refused.code) || attempt === ATTEMPTS) {
        throw new RunEventError(`EventBridge PutEvents: ${refused.code}: ${refused.message} (attempt ${attempt})`);
      }
      const ceilingMs = BASE_WAIT_MS * 2 ** attempt;
      await clock.sleep(ceilingMs / 2 + (ceilingMs / 2) * random());
    }
  }

  notTold(runId: string, error: unknown): void {
    this.options.onNotTold(runId, error);
  }

  /** Why the entry was refused; null: it was taken. */
  private async put(Detail: string, Time: Date): Promise<{ code: string; message: string } | null> {
    const { busName, eventBridge } = this.options;
    const { sdk, client } = await eventBridge();
    const entry = { EventBusName: busName, Source: EVENT_SOURCE, DetailType: RUN_FINISHED, Detail, Time };
    try {
      const reply = await client.send(new sdk.PutEventsCommand({ Entries: [entry] }));
      const [result] = reply.Entries ?? [];
      if (reply.FailedEntryCount === 0 && result?.ErrorCode === undefined) return null;
      return { code: result?.ErrorCode ?? 'no code', message: result?.ErrorMessage ?? 'the entry was not taken' };
    } catch (error) {
      if (!(error instanceof Error) || !isServiceFailure(error)) throw error;
      throw new RunEventError(`EventBridge PutEvents on ${busName}: ${error.name}: ${error.message}`, { cause: error });
    }
  }
}
