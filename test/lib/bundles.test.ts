import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { BUNDLE_CEILINGS, type FunctionName } from '../../lib/bundle-ceilings.ts';
import { BUNDLING, esbuildOptions } from '../../lib/bundling.ts';

/** None may weigh more, whatever its own ceiling says, without a reason beside that ceiling. */
const HARD_CEILING_KB = 700;

const names = Object.keys(BUNDLE_CEILINGS) as FunctionName[];
const entryOf = (name: FunctionName) => fileURLToPath(new URL(`../../lambdas/${name}/index.ts`, import.meta.url));
const isBuilt = (name: FunctionName) => !readFileSync(entryOf(name), 'utf8').includes('NotBuiltError');

describe('bundle', () => {
  it.each(names)('%s has a ceiling of at most 700 KB, or a reason for more', (name) => {
    const { kb, reason } = BUNDLE_CEILINGS[name];
    if (kb > HARD_CEILING_KB) expect(reason).toMatch(/\w+ \w+ \w+/);
  });

  it.each(names)('%s stays below its ceiling', { timeout: 60_000 }, async (name) => {
    if (!isBuilt(name)) return console.log(`${name}: placeholder, not measured`);
    const { outputFiles, metafile } = await build(esbuildOptions(entryOf(name)));
    const kb = (outputFiles?.[0]?.contents.length ?? Number.NaN) / 1000;
    const inputs = Object.entries(Object.values(metafile?.outputs ?? {})[0]?.inputs ?? {});
    const heaviest = inputs.sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput).slice(0, 8);
    const why = heaviest.map(([file, { bytesInOutput }]) => `${Math.round(bytesInOutput / 1000)} KB ${file}`);
    console.log(`${name}: ${kb.toFixed(0)} KB, ceiling ${BUNDLE_CEILINGS[name].kb} KB`);
    expect(kb, `heaviest inputs:\n${why.join('\n')}`).toBeLessThanOrEqual(BUNDLE_CEILINGS[name].kb);
  });

  it('is measured with the options that CDK bundles with', () => {
    const measured = esbuildOptions('x.ts');
    expect(measured).toMatchObject({
      format: BUNDLING.format,
      target: BUNDLING.target,
      minify: BUNDLING.minify,
      mainFields: BUNDLING.mainFields,
      banner: { js: BUNDLING.banner },
    });
    expect(BUNDLING.externalModules).toEqual([]);
  });
});
