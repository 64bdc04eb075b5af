import { join } from 'node:path';
import { CalibrationFiles } from '../adapters/local/calibration-files.ts';
import { FileRunStore } from '../adapters/local/file-run-store.ts';
import { FileVerdictCache } from '../adapters/local/file-verdict-cache.ts';
import { RunIndex } from '../adapters/local/run-index.ts';
import type { VerdictCache } from '../ports/verdict-cache.ts';

/** The folder a project's runs lie in. */
export class Workspace {
  readonly runs: FileRunStore;
  readonly index: RunIndex;
  /** Verdicts of evals with `judge_cache`, shared by all runs. */
  readonly verdicts: VerdictCache;
  readonly calibrations: CalibrationFiles;

  constructor(folder: string) {
    this.runs = new FileRunStore(join(folder, 'runs'));
    this.index = new RunIndex(join(folder, 'runs', 'index.jsonl'));
    this.verdicts = new FileVerdictCache(join(folder, 'cache', 'verdicts'));
    this.calibrations = new CalibrationFiles(join(folder, 'calibrations'));
  }
}
