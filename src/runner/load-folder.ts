import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { loadConfigFile } from '../adapters/local/eval-file.ts';
import { ConfigError } from '../core/errors.ts';
import { importSupereval } from '../core/import/supereval-dataset.ts';
import type { JsonValue } from '../core/json.ts';
import { BASELINE_FILE_PREFIX } from './imported-baseline.ts';
import { type EvalSource, inFile, readFlagFile, type SourceOptions } from './source-file.ts';

const META = 'dataset.json';
const CASES = 'cases.jsonl';
const BASELINE = 'baseline.json';
/** supereval keeps datasets of these types one level deeper. */
const NESTED = ['rag', 'agents'];
const FIRST_CASE_BYTES = 1024 ** 2;

/** A dataset folder of supereval (`dataset.json`, `cases.jsonl`) as an eval. Throws ConfigError. */
export async function readFolder(folder: string, options: SourceOptions): Promise<EvalSource> {
  const file = join(folder, META);
  if (!(await exists(file))) {
    const fix = `name a folder with ${META} and ${CASES}, or an eval file; for every folder of a tree: --all`;
    throw new ConfigError([{ file: folder, message: `this folder has no ${META}`, fix }]);
  }
  const meta = await loadConfigFile(file);
  const place = resolve(folder);
  const prompt = options.promptFile === undefined ? undefined : await readFlagFile('--prompt', options.promptFile);
  const firstCase = await readFirstCase(join(folder, CASES));
  const imported = inFile(file, meta.lineOf, () =>
    importSupereval({
      meta: meta.value as JsonValue,
      name: basename(place),
      parent: basename(dirname(place)),
      firstCase,
      models: options.models ?? [],
      prompt,
    }),
  );
  const hasBaseline = options.compareBaseline === true && (await exists(join(folder, BASELINE)));
  const baseline = hasBaseline
    ? `${BASELINE_FILE_PREFIX}${BASELINE}`
    : options.compareBaseline === true
      ? 'last-pass'
      : 'none';
  const warnings = [...imported.warnings];
  if (options.compareBaseline === true && !hasBaseline) {
    warnings.push(
      `there is no ${BASELINE} in ${folder}: compared with the last passing run of this eval, if there is one`,
    );
  }
  const dataset = options.dataset === undefined ? {} : { dataset: resolve(options.dataset) };
  return {
    file,
    folder,
    value: { baseline, ...imported.value, ...dataset },
    lineOf: meta.lineOf,
    warnings,
    datasetId: basename(place),
  };
}

/** Every dataset folder of a tree, in the order of their names. Throws ConfigError when there is none. */
export async function findFolders(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await subfolders(root)) {
    const folder = join(root, name);
    if (await exists(join(folder, META))) found.push(folder);
    else if (NESTED.includes(name)) {
      for (const inner of await subfolders(folder)) {
        if (await exists(join(folder, inner, META))) found.push(join(folder, inner));
      }
    }
  }
  if (found.length > 0) return found;
  const fix = `a dataset is a folder with ${META} and ${CASES}`;
  throw new ConfigError([{ file: root, message: 'there are no dataset folders here', fix }]);
}

async function subfolders(root: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([{ file: root, message: `this folder cannot be read (${code})`, fix: 'check the path' }]);
  }
}

/** The first case tells the type where dataset.json does not; whatever is wrong with it is found when rows are read. */
async function readFirstCase(path: string): Promise<JsonValue> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_CASE_BYTES), 0, FIRST_CASE_BYTES, 0);
      const line =
        buffer
          .toString('utf8', 0, bytesRead)
          .replace(/^\uFEFF/, '')
          .trimStart()
          .split('\n', 1)[0] ?? '';
      return JSON.parse(line) as JsonValue;
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
