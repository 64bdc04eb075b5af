import { readFile } from 'node:fs/promises';
import { type Document, LineCounter, parseDocument, type YAMLError } from 'yaml';
import { ConfigError, type Fault } from '../../core/errors.ts';

/** A few lines of aliases of aliases can stand for gigabytes. */
const MAX_ALIASES = 100;

export interface LoadedFile {
  readonly value: unknown;
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

/** Reads a YAML or JSON file. Throws ConfigError with file and line. */
export async function loadConfigFile(file: string): Promise<LoadedFile> {
  const text = await readText(file);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  if (document.errors.length > 0) {
    throw new ConfigError(
      document.errors.map((error) => ({ file, line: lineAt(error.pos[0]), ...explain(error, text) })),
    );
  }
  return {
    value: toValue(document, file),
    lineOf(path) {
      // The deepest part of the path that the file holds.
      for (let length = path.length; length > 0; length -= 1) {
        const node = document.getIn(path.slice(0, length), true);
        const range = (node as { range?: [number, number, number] } | undefined)?.range;
        if (range != null) return lineAt(range[0]);
      }
      return undefined;
    },
  };
}

function toValue(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new ConfigError([{ file, message: `its aliases stand for too much: ${error.message}`, fix: 'write it out' }]);
  }
}

function explain(error: YAMLError, text: string): Pick<Fault, 'message' | 'fix'> {
  if (error.code !== 'DUPLICATE_KEY') return { message: `not valid YAML or JSON: ${error.message}` };
  const key = /^["']?([\w.-]+)/.exec(text.slice(error.pos[0]))?.[1] ?? '';
  return { message: `the key "${key}" stands here a second time`, fix: 'keep one of them' };
}

async function readText(file: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const message =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'it is a folder, not an eval file'
          : `cannot be read (${code})`;
    throw new ConfigError([{ file, message, fix: 'give the path of an eval file, or write one with `assay init`' }]);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigError([{ file, message: 'is not UTF-8', fix: 'save it as UTF-8' }]);
  }
}
