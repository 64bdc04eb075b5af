import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const checkout = dirname(dirname(fileURLToPath(import.meta.url)));

export interface WorkFolder {
  readonly path: string;
  /** The launcher beside a copy of the sources and a bundle of its own: edits in the checkout do not change what is measured. */
  readonly assay: string;
  /** Where the launcher keeps compiled code between runs. */
  readonly compileCache: string;
  readonly bareLoop: string;
  readonly aggregate: string;
  readonly stub: string;
  remove(): void;
}

/** Builds what is measured into a temporary folder, as `npm ci` does for users. */
export async function openWorkFolder(): Promise<WorkFolder> {
  const path = mkdtempSync(join(tmpdir(), 'assay-bench-'));
  const app = join(path, 'app');
  mkdirSync(join(app, 'bin'), { recursive: true });
  copyFileSync(join(checkout, 'bin', 'assay.js'), join(app, 'bin', 'assay.js'));
  writeFileSync(join(app, 'package.json'), '{"type":"module"}\n');
  // What the launcher looks at in a checkout: sources, to see that the bundle is fresh, and the Node beside it.
  cpSync(join(checkout, 'src'), join(app, 'src'), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(checkout, 'node_modules'), join(app, 'node_modules'));
  execFileSync(process.execPath, [join(checkout, 'scripts', 'build-cli.ts'), join(app, 'dist', 'cli')], {
    cwd: checkout,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const programs = [
    import.meta.resolve('./programs/stub.ts'),
    import.meta.resolve('./programs/bare-loop.ts'),
    import.meta.resolve('./programs/aggregate.ts'),
  ].map((url) => fileURLToPath(url));
  await build({
    entryPoints: programs,
    outdir: join(path, 'programs'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    mainFields: ['module', 'main'],
  });
  return {
    path,
    assay: join(app, 'bin', 'assay.js'),
    compileCache: join(app, 'dist', 'compile-cache'),
    bareLoop: join(path, 'programs', 'bare-loop.mjs'),
    aggregate: join(path, 'programs', 'aggregate.mjs'),
    stub: join(path, 'programs', 'stub.mjs'),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
