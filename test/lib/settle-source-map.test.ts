import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { settleSourceMap } from '../../lib/settle-source-map.ts';

const entry = fileURLToPath(new URL('../../lambdas/shared/metric-names.ts', import.meta.url));

function bundleInto(folder: string): { code: string; map: string } {
  buildSync({
    entryPoints: [entry],
    outfile: join(folder, 'index.mjs'),
    format: 'esm',
    sourcemap: true,
    sourcesContent: false,
  });
  settleSourceMap(folder);
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  return { code: read('index.mjs'), map: read('index.mjs.map') };
}

describe('a bundle', () => {
  const base = mkdtempSync(join(tmpdir(), 'assay-bundle-'));

  it('is the same wherever it is written', () => {
    const deep = join(base, 'a', 'b', 'c');
    const link = join(base, 'link');
    mkdirSync(deep, { recursive: true });
    symlinkSync(deep, link);
    const there = bundleInto(base);
    expect(bundleInto(deep)).toEqual(there);
    expect(bundleInto(link)).toEqual(there);
  });

  it('names its sources from the root of the repository', () => {
    expect(JSON.parse(bundleInto(base).map).sources).toEqual(['lambdas/shared/metric-names.ts']);
  });
});
