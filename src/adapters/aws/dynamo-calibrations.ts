import { newestFirst } from '../../core/calibration/calibration-order.ts';
import { type Calibration, CalibrationSchema } from '../../core/schemas/calibration.ts';
import type { Calibrations } from '../../ports/calibrations.ts';
import type { DynamoTable } from './dynamo-table.ts';
import { packJson, readStored } from './packed-json.ts';
import { keys } from './table-keys.ts';

/** Calibrations of one project, an item a judge in the one table. */
export class DynamoCalibrations implements Calibrations {
  private readonly table: DynamoTable;
  private readonly project: string;

  constructor(table: DynamoTable, project: string) {
    this.table = table;
    this.project = project;
  }

  async find(judgeHash: string): Promise<Calibration | null> {
    const item = await this.table.get(keys.calibration(this.project, judgeHash));
    return item === null ? null : readStored(CalibrationSchema, item);
  }

  async put(calibration: Calibration): Promise<boolean> {
    const { judge_hash: judgeHash, date } = calibration;
    const item = {
      ...keys.calibration(this.project, judgeHash),
      calibrated_ms: Date.parse(date),
      body: packJson(`calibration of judge ${judgeHash}`, calibration),
    };
    const { written } = await this.table.putIf(item, {
      expression: 'attribute_not_exists(pk) OR #at <= :at',
      names: { '#at': 'calibrated_ms' },
      values: { ':at': item.calibrated_ms },
    });
    return written;
  }

  async list(): Promise<readonly Calibration[]> {
    const items = await this.table.query({ partition: keys.calibrations(this.project) });
    return newestFirst(items.map((item) => readStored(CalibrationSchema, item)));
  }
}
