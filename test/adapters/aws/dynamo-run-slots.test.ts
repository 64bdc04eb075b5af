import { afterEach, describe, expect, it } from 'vitest';
import { dynamoHandle } from '../../../src/adapters/aws/clients.ts';
import { DynamoRunSlots } from '../../../src/adapters/aws/dynamo-run-slots.ts';
import { DynamoTable } from '../../../src/adapters/aws/dynamo-table.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { runSlotsContract } from '../../contracts/run-slots.ts';
import { FaultProxy } from './fault-proxy.ts';
import { LocalTables, local, ManualClock, TABLE } from './local-cloud.ts';

const tables = new LocalTables();

runSlotsContract('DynamoRunSlots', async () => new DynamoRunSlots(await tables.table()), tables.stop);

describe('slots whose update was done and whose reply got lost', () => {
  let proxy: FaultProxy | undefined;
  afterEach(async () => {
    await proxy?.stop();
    await tables.stop();
  });

  async function open(maxAttempts: number): Promise<DynamoRunSlots> {
    const settings = await tables.fresh();
    proxy = new FaultProxy(settings.endpoint);
    const dynamo = dynamoHandle({ ...local(await proxy.start()), maxAttempts });
    return new DynamoRunSlots(new DynamoTable({ tableName: TABLE, dynamo, clock: new ManualClock() }));
  }
  function loseNextUpdate(): void {
    let lost = false;
    if (proxy === undefined) throw new Error('no proxy');
    proxy.plan = ({ operation }) => {
      if (lost || operation !== 'UpdateItem') return undefined;
      lost = true;
      return 'after';
    };
  }
  const one = { maxActive: 1, maxWaiting: 10 };

  it.each([
    {
      name: 'a slot is had, and had once',
      work: (slots: DynamoRunSlots) => slots.enter('shop', ['c'], { ...one, maxActive: 2 }),
      answer: true,
      state: { active: ['a', 'c'], waiting: [] },
      queue: [],
    },
    {
      name: 'a place in the queue is one',
      work: (slots: DynamoRunSlots) => slots.enter('shop', ['c', 'd'], one),
      answer: true,
      state: { active: ['a'], waiting: ['b', 'c', 'd'] },
      queue: ['b'],
    },
    {
      name: 'who was admitted is told, and is no other',
      work: (slots: DynamoRunSlots) => slots.admitNext('shop', 2),
      answer: 'b',
      state: { active: ['a', 'b'], waiting: ['c'] },
      queue: ['b', 'c'],
    },
    {
      name: 'who left the queue has left, and nobody else',
      work: (slots: DynamoRunSlots) => slots.leaveQueue('shop', 'b'),
      answer: true,
      state: { active: ['a'], waiting: ['c'] },
      queue: ['b', 'c'],
    },
    {
      name: 'a slot is free',
      work: (slots: DynamoRunSlots) => slots.free('shop', 'a'),
      answer: undefined,
      state: { active: [], waiting: [] },
      queue: [],
    },
  ])('$name', async ({ work, answer, state, queue }) => {
    const slots = await open(3);
    await slots.enter('shop', ['a'], one);
    await slots.enter('shop', queue, one);
    loseNextUpdate();
    expect(await work(slots)).toEqual(answer);
    expect(await slots.read('shop')).toEqual(state);
  });

  it('and was not repeated: the caller is told that it does not know', async () => {
    const slots = await open(1);
    loseNextUpdate();
    await expect(slots.enter('shop', ['a'], one)).rejects.toThrow(StorageError);
    expect(await slots.enter('shop', ['a'], one)).toBe(true);
    expect(await slots.read('shop')).toEqual({ active: ['a'], waiting: [] });
  });
});
