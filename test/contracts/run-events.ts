import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { runFinishedEvent } from '../../src/core/run-finished/run-finished.ts';
import { RunFinishedSchema } from '../../src/core/schemas/run-finished.ts';
import type { RunEvents } from '../../src/ports/run-events.ts';
import { aRun, aRunId, HOSTILE_TEXTS } from './samples.ts';

export interface RunEventsUnderTest {
  readonly events: RunEvents;
  /** What the bus took, in order: source, detail-type and detail as a rule sees them. */
  taken(): Promise<readonly { readonly source: string; readonly type: string; readonly detail: unknown }[]>;
}

/** `make` gives an empty bus each time. */
export function runEventsContract(
  name: string,
  make: () => Promise<RunEventsUnderTest>,
  stop: () => Promise<void> = async () => undefined,
): void {
  describe(`${name} as RunEvents`, () => {
    let bus: RunEventsUnderTest;
    beforeEach(async () => {
      bus = await make();
    });
    afterAll(stop);

    const event = (changes: Parameters<typeof aRun>[0] = {}) =>
      runFinishedEvent(
        aRun({ status: 'failed', finished_at: '2026-11-30T10:05:00.000Z', ...changes }),
        bus.events.stage,
      );

    it('hands the event over as it is, by the name that rules know', async () => {
      await bus.events.runFinished(event());
      const [taken, ...more] = await bus.taken();
      expect(more).toEqual([]);
      expect(taken).toMatchObject({ source: 'assay', type: 'Assay Run Finished', detail: event() });
      expect(RunFinishedSchema.parse(taken?.detail)).toEqual(event());
    });

    it('takes many at once, each once', async () => {
      const ids = Array.from({ length: 12 }, (_, number) => aRunId(number));
      await Promise.all(ids.map((run_id) => bus.events.runFinished(event({ run_id }))));
      const told = (await bus.taken()).map(({ detail }) => (detail as { run_id: string }).run_id);
      expect(told.sort()).toEqual(ids);
    });

    it('takes the same event again: at least once', async () => {
      await bus.events.runFinished(event());
      await bus.events.runFinished(event());
      expect(await bus.taken()).toHaveLength(2);
    });

    it('keeps whatever a message holds, on one line', async () => {
      for (const message of HOSTILE_TEXTS) await bus.events.runFinished(event({ message }));
      const told = (await bus.taken()).map(({ detail }) => (detail as { message: string }).message);
      expect(told).toEqual(HOSTILE_TEXTS.map((text) => text.toWellFormed()));
    });

    it('says that an end could not be told without failing itself', () => {
      expect(() => bus.events.notTold('r-1', new Error('down'))).not.toThrow();
      expect(() => bus.events.notTold('r-1', undefined)).not.toThrow();
    });
  });
}
