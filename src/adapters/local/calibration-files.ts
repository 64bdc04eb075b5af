import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calibrationOf, evidenceOf } from '../../core/calibration/calibration-of.ts';
import { isNewer, newestFirst } from '../../core/calibration/calibration-order.ts';
import { StorageError } from '../../core/errors.ts';
import { type Calibration, CalibrationSchema } from '../../core/schemas/calibration.ts';
import type { Calibrations } from '../../ports/calibrations.ts';
import { isSystemError } from './file-run-store.ts';
import { makeFolder } from './make-folder.ts';

const JUDGE_HASH = /^[0-9a-f]{64}$/;
const ENDING = '.json';

/** `<folder>/<judge hash>.json`, a file a judge. Figures are counted anew when a file is read: a κ written into it counts nothing. */
export class CalibrationFiles implements Calibrations {
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async find(judgeHash: string): Promise<Calibration | null> {
    const path = this.locate(judgeHash);
    try {
      const { pushed, ...stored } = CalibrationSchema.parse(JSON.parse(await readFile(path, 'utf8')));
      if (stored.judge_hash !== judgeHash) throw new Error(`it is of judge ${stored.judge_hash}`);
      return { ...calibrationOf(evidenceOf(stored)), ...(pushed === undefined ? {} : { pushed }) };
    } catch (error) {
      if (isSystemError(error) && error.code === 'ENOENT') return null;
      const message = `${path} is not what assay calibrate wrote: ${(error as Error).message}; calibrate again`;
      throw new StorageError(message, { cause: error });
    }
  }

  async put(calibration: Calibration): Promise<boolean> {
    const path = this.locate(calibration.judge_hash);
    // What is damaged is replaced: calibrating again is how it is mended.
    const kept = await this.find(calibration.judge_hash).catch(() => null);
    if (kept !== null && isNewer(kept, calibration)) return false;
    writes += 1;
    const temporary = `${path}.${process.pid}.${writes}.tmp`;
    try {
      await makeFolder(this.folder);
      await writeFile(temporary, `${JSON.stringify(calibration, null, 2)}\n`);
      await rename(temporary, path);
      return true;
    } catch (error) {
      throw new StorageError(`cannot write ${path}: ${(error as Error).message}`, { cause: error });
    }
  }

  async list(): Promise<readonly Calibration[]> {
    const names = await readdir(this.folder).catch((error: unknown) => {
      if (isSystemError(error) && error.code === 'ENOENT') return [];
      throw new StorageError(`cannot read ${this.folder}: ${(error as Error).message}`, { cause: error });
    });
    const hashes = names.map((name) => name.slice(0, -ENDING.length)).filter((hash) => JUDGE_HASH.test(hash));
    const found = await Promise.all(hashes.map((hash) => this.find(hash)));
    return newestFirst(found.filter((calibration) => calibration !== null));
  }

  locate(judgeHash: string): string {
    if (!JUDGE_HASH.test(judgeHash)) throw new StorageError(`"${judgeHash}" is not the hash of a judge`);
    return join(this.folder, `${judgeHash}${ENDING}`);
  }
}

/** Tells files of writers in one process apart. */
let writes = 0;
