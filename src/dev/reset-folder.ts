import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../core/errors.ts';
import { DEV_BUCKET, EVENTS_FILE } from './dev-ports.ts';
import { lockFolder } from './folder-lock.ts';

/** All that a stack keeps in its folder. */
const KEPT = ['dynamodb', 's3', 'executions', 'secrets.json', 'secrets.json.tmp', EVENTS_FILE];
/** There from the moment a stack starts; they hold no state. */
const BESIDES = ['dev.log', 'lock'];

/**
 * Wipes what a stack keeps in this folder, and nothing else. Throws ConfigError, with nothing deleted, for a folder that
 * holds anything besides or whose entries only bear the names; StorageError while a stack runs there.
 */
export async function resetDevStack(folder: string): Promise<void> {
  const found = await entriesOf(folder);
  const foreign = found.filter((name) => !KEPT.includes(name) && !BESIDES.includes(name)).sort();
  if (foreign.length > 0) {
    const more = foreign.length > 1 ? ` and ${foreign.length - 1} more` : '';
    throw refusal(`${folder} holds "${foreign[0]}"${more}, which is no state of assay dev`);
  }
  const state = found.filter((name) => KEPT.includes(name));
  if (state.length === 0) return;
  if (!(await isFolder(join(folder, 's3', 'buckets', DEV_BUCKET)))) {
    throw refusal(`${folder} holds "${state[0]}", which assay dev did not write`);
  }
  const unlock = await lockFolder(folder);
  try {
    for (const name of [...state, 'dev.log']) await rm(join(folder, name), { recursive: true, force: true });
  } finally {
    await unlock();
  }
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw refusal(`${folder} cannot be read as a folder: ${message}`);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function refusal(message: string): ConfigError {
  const fix = 'nothing was deleted; give --dir a folder of its own, or delete this one yourself';
  return new ConfigError([{ field: '--reset', message, fix }]);
}
