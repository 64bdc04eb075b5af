import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../../core/errors.ts';
import { type Calibration, CalibrationSchema } from '../../core/schemas/calibration.ts';
import { isSystemError } from './file-run-store.ts';
import { makeFolder } from './make-folder.ts';

const JUDGE_HASH = /^[0-9a-f]{64}$/;

/** `<folder>/<judge hash>.json`: the newest calibration of each judge, prompt and rubric. */
export class CalibrationFiles {
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Null when this judge was never calibrated. Throws StorageError for a file that is none. */
  async find(judgeHash: string): Promise<Calibration | null> {
    const path = this.locate(judgeHash);
    try {
      return CalibrationSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    } catch (error) {
      if (isSystemError(error) && error.code === 'ENOENT') return null;
      const message = `${path} is not what assay calibrate wrote: ${(error as Error).message}; calibrate again`;
      throw new StorageError(message, { cause: error });
    }
  }

  async write(calibration: Calibration): Promise<void> {
    const path = this.locate(calibration.judge_hash);
    try {
      await makeFolder(this.folder);
      await writeFile(`${path}.tmp`, `${JSON.stringify(calibration, null, 2)}\n`);
      await rename(`${path}.tmp`, path);
    } catch (error) {
      throw new StorageError(`cannot write ${path}: ${(error as Error).message}`, { cause: error });
    }
  }

  locate(judgeHash: string): string {
    if (!JUDGE_HASH.test(judgeHash)) throw new StorageError(`"${judgeHash}" is not the hash of a judge`);
    return join(this.folder, `${judgeHash}.json`);
  }
}
