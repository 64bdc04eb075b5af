import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILE = 'index.mjs.map';

/**
 * Writes the sources of a bundle's map as paths from the repository's root. esbuild writes them from where the bundle
 * lies, so that the hash of an asset, and with it a deploy, would change with the output folder.
 */
export function settleSourceMap(folder: string, root = ROOT): void {
  const path = join(folder, FILE);
  const map = JSON.parse(readFileSync(path, 'utf8')) as { sources: string[] };
  const base = realpathSync(root);
  const sources = map.sources.map((source) => relative(base, resolve(folder, source)).split(sep).join('/'));
  writeFileSync(path, JSON.stringify({ ...map, sources }));
}

if (import.meta.main) settleSourceMap(process.argv[2] ?? '.');
