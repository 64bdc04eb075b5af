import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dynamoHandle } from '../../../src/adapters/aws/clients.ts';
import { DynamoRegistry } from '../../../src/adapters/aws/dynamo-registry.ts';
import { DynamoRowIndex } from '../../../src/adapters/aws/dynamo-row-index.ts';
import { DynamoTable } from '../../../src/adapters/aws/dynamo-table.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { aDataset, anEval, aResult, aRun, counters, RUN_ID } from '../../contracts/samples.ts';
import type { Call, Fault } from './fault-proxy.ts';
import { FaultProxy } from './fault-proxy.ts';
import { LocalTables, local, ManualClock, TABLE } from './local-cloud.ts';

const tables = new LocalTables();
let proxy: FaultProxy;
let clock: ManualClock;

async function connect(maxAttempts: number): Promise<DynamoTable> {
  const settings = await tables.fresh();
  await proxy?.stop();
  proxy = new FaultProxy(settings.endpoint);
  const endpoint = await proxy.start();
  clock = new ManualClock();
  const dynamo = dynamoHandle({ ...local(endpoint), maxAttempts });
  return new DynamoTable({ tableName: TABLE, dynamo, clock, random: () => 0.5 });
}

afterEach(async () => {
  await proxy.stop();
  await tables.stop();
});

describe('items that a batch write hands back', () => {
  /** Answers BatchWriteItem itself: hands back the last `unprocessed` items and keeps count of the others. */
  function holdBack(plan: readonly number[]) {
    const written: unknown[] = [];
    const sizes: number[] = [];
    const fetched = dynamoHandle(local('http://127.0.0.1:1'));
    const dynamo = async () => {
      const { sdk, client } = await fetched();
      const send = async (command: { input: { RequestItems: Record<string, unknown[]> } }) => {
        const items = command.input.RequestItems[TABLE] ?? [];
        const back = Math.min(items.length, plan[sizes.length] ?? 0);
        sizes.push(items.length);
        written.push(...items.slice(0, items.length - back));
        return { UnprocessedItems: back === 0 ? {} : { [TABLE]: items.slice(items.length - back) } };
      };
      return { sdk, client: Object.assign(Object.create(client), { send }) as typeof client };
    };
    clock = new ManualClock();
    const table = new DynamoTable({ tableName: TABLE, dynamo, clock, random: () => 0.5 });
    return { index: new DynamoRowIndex(table), written, sizes };
  }

  beforeEach(async () => {
    await connect(1);
  });

  it('are written in the end', async () => {
    const { index, written, sizes } = holdBack([7, 0, 0, 3]);
    await index.put(
      RUN_ID,
      'p',
      Array.from({ length: 60 }, (_, row) => aResult(row)),
    );
    expect(new Set(written.map((item) => JSON.stringify(item))).size).toBe(60);
    expect(sizes.length).toBe(5);
    expect(Math.max(...sizes)).toBe(25);
  });

  it('are waited for longer and longer', async () => {
    const { index } = holdBack([1, 1, 1, 1]);
    await index.put(RUN_ID, 'p', [aResult(0)]);
    expect(clock.waits).toEqual([75, 150, 300, 600]);
  });

  it('become an error when it never ends', async () => {
    const { index, sizes } = holdBack(Array.from({ length: 100 }, () => 2));
    const put = index.put(RUN_ID, 'p', [aResult(0), aResult(1)]);
    await expect(put).rejects.toThrow(StorageError);
    await expect(put).rejects.toThrow('2 of 2 items still unprocessed');
    expect(sizes).toHaveLength(10);
  });
});

describe('throttling', () => {
  const throttled: Fault = {
    status: 400,
    body: JSON.stringify({
      __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
      message: 'slow down',
    }),
  };

  it('for a while is waited out', async () => {
    const registry = new DynamoRegistry(await connect(4), new ManualClock());
    proxy.plan = ({ number }) => (number === 2 ? throttled : undefined);
    expect(await registry.createRun(aRun())).toBe(true);
    expect(await registry.getRun(RUN_ID)).toEqual(aRun());
  });

  it('without end is a StorageError that names it', async () => {
    const registry = new DynamoRegistry(await connect(1), new ManualClock());
    proxy.plan = () => throttled;
    const read = registry.getRun(RUN_ID);
    await expect(read).rejects.toThrow(StorageError);
    await expect(read).rejects.toThrow(/GetItem on table assay-test: ProvisionedThroughputExceededException/);
  });
});

describe('a reply that got lost', () => {
  const loseFirst = (operation: string) => {
    let lost = false;
    return (call: Call): Fault | undefined => {
      if (lost || call.operation !== operation) return undefined;
      lost = true;
      return 'after';
    };
  };
  const loseReplyOfRunItem = () => {
    let puts = 0;
    return (call: Call): Fault | undefined => {
      if (call.operation === 'PutItem') puts += 1;
      return call.operation === 'PutItem' && puts === 2 ? 'after' : undefined;
    };
  };

  it('does not make a new run look like an old one', async () => {
    const registry = new DynamoRegistry(await connect(3), new ManualClock());
    proxy.plan = loseReplyOfRunItem();
    expect(await registry.createRun(aRun())).toBe(true);
    expect(await registry.createRun(aRun())).toBe(false);
  });

  it('does not make our own change look like another’s', async () => {
    const registry = new DynamoRegistry(await connect(3), new ManualClock());
    await registry.createRun(aRun({ status: 'running' }));
    proxy.plan = loseFirst('UpdateItem');
    expect(await registry.updateRun(RUN_ID, ['running'], { status: 'passed' })).toMatchObject({ status: 'passed' });
    expect(await registry.updateRun(RUN_ID, ['running'], { status: 'passed' })).toBeNull();
  });

  it.each(['PutItem', 'UpdateItem', 'GetItem'])('does not count a batch twice (%s)', async (operation) => {
    const registry = new DynamoRegistry(await connect(3), new ManualClock());
    proxy.plan = loseFirst(operation);
    await registry.putBatchCounters(RUN_ID, 0, counters({ done: 10 }));
    expect(await registry.getCounters(RUN_ID)).toEqual(counters({ done: 10 }));
  });
});

/** Work stopped at its first, second, third … call, before or after it was carried out, and then done again. */
describe('work that breaks at any call and is repeated', () => {
  const cases = [
    {
      name: 'a batch’s counters',
      work: (registry: DynamoRegistry) => registry.putBatchCounters(RUN_ID, 0, counters({ done: 10, scored: 9 })),
      check: async (registry: DynamoRegistry) => {
        expect(await registry.getCounters(RUN_ID)).toEqual(counters({ done: 10, scored: 9 }));
      },
    },
    {
      name: 'a batch’s changed counters',
      prepare: (registry: DynamoRegistry) => registry.putBatchCounters(RUN_ID, 0, counters({ done: 4, skipped: 6 })),
      work: (registry: DynamoRegistry) => registry.putBatchCounters(RUN_ID, 0, counters({ done: 10, scored: 9 })),
      check: async (registry: DynamoRegistry) => {
        expect(await registry.getCounters(RUN_ID)).toEqual(counters({ done: 10, scored: 9 }));
      },
    },
    {
      name: 'a new run',
      work: (registry: DynamoRegistry) => registry.createRun(aRun()),
      check: async (registry: DynamoRegistry) => {
        expect(await registry.getRun(RUN_ID)).toEqual(aRun());
        expect(await registry.listOpenRuns()).toEqual([aRun()]);
        expect((await registry.listRuns('shop', 'support-faq', { limit: 9 })).items).toEqual([aRun()]);
      },
    },
    {
      name: 'the end of a run',
      prepare: (registry: DynamoRegistry) => registry.createRun(aRun({ status: 'running' })),
      work: (registry: DynamoRegistry) => registry.updateRun(RUN_ID, ['running'], { status: 'error' }),
      check: async (registry: DynamoRegistry) => {
        expect((await registry.getRun(RUN_ID))?.status).toBe('error');
        expect(await registry.listOpenRuns()).toEqual([]);
      },
    },
    {
      name: 'an eval version',
      work: (registry: DynamoRegistry) => registry.addEvalVersion(anEval(1)),
      check: async (registry: DynamoRegistry) => {
        expect(await registry.getEval('shop', 'support-faq')).toEqual(anEval(1));
        expect(await registry.listEvals('shop')).toEqual([anEval(1)]);
      },
    },
    {
      name: 'a deleted eval',
      prepare: async (registry: DynamoRegistry) => {
        for (const version of [1, 2, 3]) await registry.addEvalVersion(anEval(version));
      },
      work: (registry: DynamoRegistry) => registry.deleteEval('shop', 'support-faq'),
      check: async (registry: DynamoRegistry) => {
        expect(await registry.getEval('shop', 'support-faq')).toBeNull();
        expect(await registry.listEvals('shop')).toEqual([]);
      },
    },
    {
      name: 'a dataset version',
      work: (registry: DynamoRegistry) => registry.putDatasetVersion(aDataset({ upload_id: 'u-1' })),
      check: async (registry: DynamoRegistry) => {
        expect(await registry.getDataset('shop', 'faq')).toEqual(aDataset({ upload_id: 'u-1' }));
        expect(await registry.listDatasets('shop')).toHaveLength(1);
      },
    },
  ];

  it.each(cases)('leaves $name as if nothing had happened', async ({ prepare, work, check }) => {
    for (const fault of ['before', 'after'] as const) {
      let breaks = 0;
      for (let broken = true; broken; breaks += 1) {
        const registry = new DynamoRegistry(await connect(1), new ManualClock());
        await prepare?.(registry);
        const first = proxy.calls.length + breaks + 1;
        proxy.plan = ({ number }) => (number === first ? fault : undefined);
        broken = await work(registry).then(
          () => false,
          (error: unknown) => {
            expect(error).toBeInstanceOf(StorageError);
            return true;
          },
        );
        proxy.plan = () => undefined;
        await work(registry);
        await check(registry);
      }
      expect(breaks).toBeGreaterThan(1);
    }
  });

  it('leaves one result a row', async () => {
    for (const fault of ['before', 'after'] as const) {
      const index = new DynamoRowIndex(await connect(1));
      const rows = Array.from({ length: 40 }, (_, row) => aResult(row, { passed: row % 2 === 0 }));
      proxy.plan = ({ number }) => (number === 2 ? fault : undefined);
      await expect(index.put(RUN_ID, 'p', rows)).rejects.toThrow(StorageError);
      await index.put(RUN_ID, 'p', rows);
      expect((await index.list(RUN_ID, { failedOnly: false, limit: 100 })).items).toHaveLength(40);
      expect((await index.list(RUN_ID, { failedOnly: true, limit: 100 })).items).toHaveLength(20);
    }
  });
});
