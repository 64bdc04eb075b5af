import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const checkout = dirname(dirname(fileURLToPath(import.meta.url)));

export interface WorkFolder {
  readonly path: string;
  /** The launcher beside a bundle of its own: edits in the checkout do not change what is measured. */
  readonly assay: string;
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
    bareLoop: join(path, 'programs', 'bare-loop.mjs'),
    aggregate: join(path, 'programs', 'aggregate.mjs'),
    stub: join(path, 'programs', 'stub.mjs'),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
