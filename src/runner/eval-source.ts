import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { loadConfigFile } from '../adapters/local/eval-file.ts';
import { ConfigError } from '../core/errors.ts';
import { importPlainwright, isPlainwrightTest } from '../core/import/plainwright-test.ts';
import { readFolder } from './load-folder.ts';
import { type EvalSource, inFile, type SourceOptions } from './source-file.ts';

/**
 * Reads an eval of ours, a test of Plainwright's or a dataset folder of supereval's. Throws ConfigError with the file.
 */
export async function readEvalSource(path: string, options: SourceOptions = {}): Promise<EvalSource> {
  if (await isFolder(path)) return readFolder(path, options);
  const [first] = (['models', 'promptFile', 'compareBaseline'] as const).filter((name) => isGiven(options[name]));
  if (first !== undefined) {
    const flag = { models: '--model', promptFile: '--prompt', compareBaseline: '--compare-baseline' }[first];
    const fix = 'an eval file names its targets itself; flags of this kind belong to a dataset folder';
    throw new ConfigError([{ file: path, message: `${flag} beside an eval file`, fix }]);
  }
  const { value, lineOf } = await loadConfigFile(path);
  const folder = dirname(path);
  // A flag's path is relative to where one stands, the file's own to the file.
  const dataset = options.dataset === undefined ? undefined : resolve(options.dataset);
  if (!isPlainwrightTest(value)) {
    const changed =
      dataset === undefined || typeof value !== 'object' || value === null ? value : { ...value, dataset };
    return { file: path, folder, value: changed, lineOf, warnings: [] };
  }
  const imported = inFile(path, lineOf, () => importPlainwright(value, { dataset }));
  return {
    file: path,
    folder,
    value: imported.value,
    lineOf: ([head, ...rest]) =>
      lineOf(head === 'targets' ? ['config', 'target', ...rest.slice(1)] : placeOf(head, rest)),
    warnings: imported.warnings,
  };
}

const PLACES: Readonly<Record<string, readonly string[]>> = {
  name: ['name'],
  description: ['natural_language'],
  thresholds: ['config', 'threshold'],
  dataset: ['config', 'dataset_id'],
};

function placeOf(head: PropertyKey | undefined, rest: readonly PropertyKey[]): readonly PropertyKey[] {
  return PLACES[String(head)] ?? ['config', ...(head === undefined ? [] : [head]), ...rest];
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}

const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
