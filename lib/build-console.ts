import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SOURCES = fileURLToPath(new URL('../src/console/', import.meta.url));
/** Browsers of the last three years or so: what the style sheet uses (nesting, :has) is as old. */
const TARGET = ['chrome120', 'firefox121', 'safari17.2'];

/**
 * The web console's files by name: pages, and the script, style sheet and icon that they name with a hash of the
 * content. The same sources give the same bytes.
 */
export async function buildConsole(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles, metafile } = await build({
    entryPoints: { app: join(SOURCES, 'main.tsx'), style: join(SOURCES, 'style.css'), icon: join(SOURCES, 'icon.svg') },
    absWorkingDir: SOURCES,
    outdir: join(SOURCES, 'out'),
    entryNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: TARGET,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const assets = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const names = Object.keys(metafile.outputs).map((path) => basename(path));
  const files = new Map(assets);
  for (const page of ['index.html', 'closed.html']) {
    const html = await readFile(join(SOURCES, page), 'utf8');
    files.set(
      page,
      html.replaceAll(
        /console\/(\w+)\.(\w+)/g,
        (_, name: string, end: string) => `console/${hashed(name, end, names)}`,
      ),
    );
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function hashed(name: string, end: string, names: readonly string[]): string {
  const found = names.find((candidate) => candidate.startsWith(`${name}-`) && candidate.endsWith(`.${end}`));
  if (found === undefined) throw new TypeError(`the console has no ${name}.${end}`);
  return found;
}

async function writeConsole(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of await buildConsole()) await writeFile(join(folder, name), text);
}

if (import.meta.main) await writeConsole(process.argv[2] ?? 'dist/console');
