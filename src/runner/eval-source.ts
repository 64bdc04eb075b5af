import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type LoadedFile, loadConfigFile } from '../adapters/local/eval-file.ts';
import { ConfigError } from '../core/errors.ts';
import { importPlainwright, isPlainwrightTest } from '../core/import/plainwright-test.ts';
import { readFolder } from './load-folder.ts';

/** What the eval is made of, where the file alone does not say it. */
export interface SourceOptions {
  /** Bedrock models to ask, for a folder that names no target. */
  readonly models?: readonly string[] | undefined;
  /** File with the prompt, for the same. */
  readonly promptFile?: string | undefined;
  /** Compare with the folder's baseline.json. @default false */
  readonly compareBaseline?: boolean | undefined;
  /** The dataset's file, over the one that the eval names. */
  readonly dataset?: string | undefined;
}

/** An eval as a file or folder holds it, not checked yet. */
export interface EvalSource {
  readonly file: string;
  readonly folder: string;
  readonly value: unknown;
  lineOf: LoadedFile['lineOf'];
  readonly warnings: readonly string[];
  /** Names the dataset in results, where the file's own name says nothing. */
  readonly datasetId?: string;
}

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

/** Gives the faults of a conversion the file and line they are about. */
export function inFile<T>(file: string, lineOf: LoadedFile['lineOf'], convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(
      error.faults.map((fault) => {
        // Flags are named as the field; they stand in no file.
        if (fault.field?.startsWith('--') === true) return fault;
        const line = fault.field === undefined ? undefined : lineOf(fault.field.split('.'));
        return { file, ...(line === undefined ? {} : { line }), ...fault };
      }),
    );
  }
}

/** Reads a text that a flag names. Throws ConfigError. */
export async function readFlagFile(flag: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([{ field: flag, message: `${path} cannot be read (${code})`, fix: 'check the path' }]);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}

const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
