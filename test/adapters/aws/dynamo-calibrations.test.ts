import { afterAll, describe, expect, it } from 'vitest';
import { DynamoCalibrations } from '../../../src/adapters/aws/dynamo-calibrations.ts';
import { keys } from '../../../src/adapters/aws/table-keys.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { calibrationAt, calibrationsContract, EVIDENCE } from '../../contracts/calibrations.ts';
import { LocalTables } from './local-cloud.ts';

const tables = new LocalTables();

calibrationsContract(
  'DynamoCalibrations',
  async () => new DynamoCalibrations(await tables.table(), 'shop'),
  tables.stop,
);

describe('DynamoCalibrations', () => {
  afterAll(tables.stop);

  it('keeps projects apart', async () => {
    const table = await tables.table();
    await new DynamoCalibrations(table, 'shop').put(calibrationAt('2026-11-30T00:00:00.000Z'));
    const other = new DynamoCalibrations(table, 'shop-2');
    expect(await other.find(EVIDENCE.judge_hash)).toBeNull();
    expect(await other.list()).toEqual([]);
  });

  it('refuses an item that no Assay wrote', async () => {
    const table = await tables.table();
    const key = keys.calibration('shop', EVIDENCE.judge_hash);
    await table.put({ ...key, body: JSON.stringify({ ...calibrationAt('2026-11-30T00:00:00.000Z'), kappa: 'high' }) });
    await expect(new DynamoCalibrations(table, 'shop').find(EVIDENCE.judge_hash)).rejects.toThrow(StorageError);
  });
});
