import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TrinoSQL } from 'dt-sql-parser';
import { build } from 'esbuild';

/** The parser as one file: Node itself cannot load what the package ships (it imports folders). */
export async function loadTrinoParser(): Promise<TrinoSQL> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'assay-trino-')), 'parser.mjs');
  await build({
    stdin: {
      contents: "export { TrinoSQL } from 'dt-sql-parser'",
      resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'error',
  });
  const parser = (await import(pathToFileURL(outfile).href)) as { TrinoSQL: new () => TrinoSQL };
  return new parser.TrinoSQL();
}
