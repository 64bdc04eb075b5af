import { eventBridgeHandle } from '../../src/adapters/aws/clients.ts';
import { EventBridgeRunEvents } from '../../src/adapters/aws/event-bridge-run-events.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { RunEvents } from '../../src/ports/run-events.ts';
import { log } from './log.ts';
import { emitMetrics } from './metrics.ts';

/** Where functions that close runs tell it. What cannot be told is logged and counted; an alarm stands on the count. */
export function createRunEvents(
  { STAGE, EVENT_BUS_NAME }: { readonly STAGE: string; readonly EVENT_BUS_NAME: string },
  clock: Clock,
): RunEvents {
  return new EventBridgeRunEvents({
    stage: STAGE,
    busName: EVENT_BUS_NAME,
    eventBridge: eventBridgeHandle(),
    clock,
    onNotTold: (runId, error) => {
      log.error('the end of a run could not be told; the sweep tells it', error, { run_id: runId });
      emitMetrics(STAGE, { RunsNotTold: 1 }, clock.now());
    },
  });
}
