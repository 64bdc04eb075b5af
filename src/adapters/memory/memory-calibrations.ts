import { isNewer, newestFirst } from '../../core/calibration/calibration-order.ts';
import type { Calibration } from '../../core/schemas/calibration.ts';
import type { Calibrations } from '../../ports/calibrations.ts';

/** Calibrations in this process, for tests of use cases. What goes in and out is copied. */
export class MemoryCalibrations implements Calibrations {
  private readonly kept = new Map<string, Calibration>();

  async find(judgeHash: string): Promise<Calibration | null> {
    return structuredClone(this.kept.get(judgeHash) ?? null);
  }

  async put(calibration: Calibration): Promise<boolean> {
    const kept = this.kept.get(calibration.judge_hash);
    if (kept !== undefined && isNewer(kept, calibration)) return false;
    this.kept.set(calibration.judge_hash, structuredClone(calibration));
    return true;
  }

  async list(): Promise<readonly Calibration[]> {
    return structuredClone(newestFirst([...this.kept.values()]));
  }
}
