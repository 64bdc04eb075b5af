import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { loadConfigFile } from '../adapters/local/eval-file.ts';
import { ConfigError, type Fault } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import { importSupereval } from '../core/import/supereval-dataset.ts';
import type { EvalSource, SourceOptions } from './eval-source.ts';

const META = 'dataset.json';
const CASES = 'cases.jsonl';
const BASELINE = 'baseline.json';
/** supereval keeps datasets of these types one level deeper. */
const NESTED = ['rag', 'agents'];

/** A dataset folder of supereval (`dataset.json`, `cases.jsonl`) as an eval. Throws ConfigError. */
export async function readFolder(folder: string, options: SourceOptions): Promise<EvalSource> {
  const file = join(folder, META);
  if (!(await exists(file))) {
    const fix = 'name a folder with dataset.json and cases.jsonl, or an eval file; all folders of a tree: --all <folder>';
    throw new ConfigError([{ file: folder, message: `this folder has no ${META}`, fix }]);
  }
  const meta = await loadConfigFile(file);
  const place = resolve(folder);
  const imported = placed(file, () =>
    importSupereval({
      meta: meta.value as JsonValue,
      name: basename(place),
      parent: basename(dirname(place)),
      firstCase: null,
      models: options.models ?? [],
      prompt: options.prompt,
      ...options.firstCase,
    }),
  );
  return {
    file,
    folder,
    value: { baseline: await baselineOf(folder, options), ...imported.value },
    lineOf: meta.lineOf,
    warnings: imported.warnings,
    datasetId: basename(place),
  };
}
