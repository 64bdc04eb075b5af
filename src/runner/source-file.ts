import { readFile } from 'node:fs/promises';
import type { LoadedFile } from '../adapters/local/eval-file.ts';
import { ConfigError } from '../core/errors.ts';

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
