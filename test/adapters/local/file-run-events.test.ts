import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DeliveredEvent, FileRunEvents } from '../../../src/adapters/local/file-run-events.ts';
import { RunEventError } from '../../../src/core/errors.ts';
import { runFinishedEvent } from '../../../src/core/run-finished/run-finished.ts';
import { runEventsContract } from '../../contracts/run-events.ts';
import { aRun } from '../../contracts/samples.ts';

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-events-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function linesOf(path: string): Promise<DeliveredEvent[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as DeliveredEvent);
}

runEventsContract('FileRunEvents', async () => {
  files += 1;
  const path = join(folder, `events-${files}.jsonl`);
  return {
    events: new FileRunEvents({ stage: 'dev', path }),
    taken: async () =>
      (await linesOf(path)).map((event) => ({
        source: event.source,
        type: event['detail-type'],
        detail: event.detail,
      })),
  };
});

describe('events in a file', () => {
  const event = runFinishedEvent(aRun({ status: 'passed', finished_at: '2026-11-30T10:05:00.123Z' }), 'dev');

  it('have the envelope that rules and targets see', async () => {
    const path = join(folder, 'one.jsonl');
    const seen: DeliveredEvent[] = [];
    await new FileRunEvents({ stage: 'dev', path, onEvent: (told) => seen.push(told) }).runFinished(event);
    const [written] = await linesOf(path);
    expect(written).toMatchObject({
      version: '0',
      time: '2026-11-30T10:05:00Z',
      resources: [],
      detail: { stage: 'dev' },
    });
    expect(seen).toEqual([written]);
  });

  it('that cannot be written are not told', async () => {
    const path = join(folder, 'missing', 'events.jsonl');
    await expect(new FileRunEvents({ stage: 'dev', path }).runFinished(event)).rejects.toThrow(RunEventError);
  });
});
