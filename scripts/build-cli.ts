import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** Bundles the command line tool, so that it starts without resolving a few hundred modules. Into another folder when one is named. */
const outdir = process.argv[2] ?? 'dist/cli';
await removeBundle(outdir);
await build({
  entryPoints: ['src/cli/main.ts'],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  mainFields: ['module', 'main'],
  // Only `assay dev` loads these, from the checkout's development dependencies.
  external: ['dynalite', 'fauxqs', 'aws-cdk-lib', 'aws-cdk-lib/*', 'constructs', 'cdk-nag', 'esbuild', 'jsonata'],
  minifySyntax: true,
  logLevel: 'warning',
  plugins: [lazyBuiltins()],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});

/** Modules of the bundle before; a folder named by mistake keeps all else. */
async function removeBundle(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const modules = names.filter((name) => name === 'main.js' || /-[A-Z0-9]{8}\.js$/.test(name));
  for (const name of modules) await rm(join(folder, name));
}

/**
 * A static import of `node:http` reads its every export, and three of them load Node's own undici: 30 ms of each start.
 * Taken from the process, the module's exports are read when they are used.
 */
function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(node:)?(http|https|http2)$/ }, ({ path }) => ({
        path: path.replace(/^node:/, ''),
        namespace: 'lazy-builtin',
      }));
      onLoad({ filter: /.*/, namespace: 'lazy-builtin' }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule('node:${path}');`,
      }));
    },
  };
}
