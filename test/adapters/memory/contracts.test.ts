import { describe, expect, it } from 'vitest';
import { MemoryCalibrations } from '../../../src/adapters/memory/memory-calibrations.ts';
import { MemoryCompactedResults } from '../../../src/adapters/memory/memory-compacted-results.ts';
import { MemoryDatasetStore } from '../../../src/adapters/memory/memory-dataset-store.ts';
import { MemoryPaceStore } from '../../../src/adapters/memory/memory-pace-store.ts';
import { MemoryRegistry } from '../../../src/adapters/memory/memory-registry.ts';
import { MemoryResultParts } from '../../../src/adapters/memory/memory-result-parts.ts';
import { MemoryRowIndex } from '../../../src/adapters/memory/memory-row-index.ts';
import { MemoryRunEvents } from '../../../src/adapters/memory/memory-run-events.ts';
import { MemoryRunSlots } from '../../../src/adapters/memory/memory-run-slots.ts';
import { MemoryRunStore } from '../../../src/adapters/memory/memory-run-store.ts';
import { MemorySchedules } from '../../../src/adapters/memory/memory-schedules.ts';
import { MemorySpendLedger } from '../../../src/adapters/memory/memory-spend-ledger.ts';
import { MemorySystemSecrets } from '../../../src/adapters/memory/memory-system-secrets.ts';
import { MemoryWorkflow } from '../../../src/adapters/memory/memory-workflow.ts';
import { EVENT_SOURCE, RUN_FINISHED } from '../../../src/core/schemas/run-finished.ts';
import { calibrationsContract } from '../../contracts/calibrations.ts';
import { compactedResultsContract } from '../../contracts/compacted-results.ts';
import { datasetStoreContract } from '../../contracts/dataset-store.ts';
import { paceStoreContract } from '../../contracts/pace-store.ts';
import { registryContract } from '../../contracts/registry.ts';
import { RUN, resultPartsContract } from '../../contracts/result-parts.ts';
import { rowIndexContract } from '../../contracts/row-index.ts';
import { runEventsContract } from '../../contracts/run-events.ts';
import { runSlotsContract } from '../../contracts/run-slots.ts';
import { runStoreContract } from '../../contracts/run-store.ts';
import { schedulesContract } from '../../contracts/schedules.ts';
import { spendLedgerContract } from '../../contracts/spend-ledger.ts';

registryContract('MemoryRegistry', async () => {
  let now = Date.UTC(2026, 10, 30);
  const advanceMs = (ms: number) => {
    now += ms;
  };
  return { registry: new MemoryRegistry({ now: () => now }), advanceMs };
});
calibrationsContract('MemoryCalibrations', async () => new MemoryCalibrations());
runEventsContract('MemoryRunEvents', async () => {
  const events = new MemoryRunEvents();
  const taken = async () => events.told.map((detail) => ({ source: EVENT_SOURCE, type: RUN_FINISHED, detail }));
  return { events, taken };
});
calibrationsContract('MemoryCalibrations', async () => new MemoryCalibrations());
runSlotsContract('MemoryRunSlots', async () => new MemoryRunSlots());
schedulesContract('MemorySchedules', async () => new MemorySchedules());
paceStoreContract('MemoryPaceStore', async () => {
  const store = new MemoryPaceStore();
  return [store, store];
});
rowIndexContract('MemoryRowIndex', async () => new MemoryRowIndex());
spendLedgerContract('MemorySpendLedger', async () => new MemorySpendLedger());
runStoreContract('MemoryRunStore', async () => new MemoryRunStore());
resultPartsContract('MemoryResultParts', async () => new MemoryResultParts());
compactedResultsContract('MemoryCompactedResults', async () => {
  const parts = new MemoryResultParts();
  const compacted = new MemoryCompactedResults(parts);
  const publishedFiles = async () =>
    (compacted.published.get(RUN.runId) ?? []).map(
      ({ fromPart, content }) => [fromPart, Buffer.from(content).toString('utf8')] as const,
    );
  return { compacted, parts, publishedFiles };
});
datasetStoreContract('MemoryDatasetStore', async () => {
  const store = new MemoryDatasetStore();
  return { store, putPart: async (url, bytes) => store.putPart(url, bytes) };
});

describe('MemoryWorkflow', () => {
  it('gives the same execution for the same run', async () => {
    const workflow = new MemoryWorkflow();
    const input = { run_id: 'r-1', project: 'shop' };
    const first = await workflow.start('r-1', input);
    workflow.finish('r-1', 'succeeded');
    expect(await workflow.start('r-1', input)).toEqual(first);
    expect(await workflow.status(first.execution)).toBe('succeeded');
    await workflow.stop(first.execution);
    expect(await workflow.status(first.execution)).toBe('succeeded');
    expect(await workflow.status('r-2')).toBe('unknown');
  });
});

describe('MemorySystemSecrets', () => {
  it('keeps what is put until it is deleted', async () => {
    const secrets = new MemorySystemSecrets('token');
    await secrets.putWebhook('shop', { current: 'a', previous: 'b' });
    expect(await secrets.webhook('shop')).toEqual({ current: 'a', previous: 'b' });
    await secrets.deleteWebhook('shop');
    expect(await secrets.webhook('shop')).toBeNull();
    expect(await secrets.apiToken()).toBe('token');
    expect(await secrets.reportLinks()).toBeNull();
    await secrets.putReportLinks({ current: 'k' });
    expect(await secrets.reportLinks()).toEqual({ current: 'k' });
  });
});
