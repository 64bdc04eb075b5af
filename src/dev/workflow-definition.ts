import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeFolder } from '../adapters/local/make-folder.ts';
import { AssayError } from '../core/errors.ts';

/** The application's definition is not at hand: no checkout around this program, or no CDK in it. */
export class WorkflowDefinitionError extends AssayError {
  override readonly name = 'WorkflowDefinitionError';
}

/** Sources that the definition depends on. */
const SOURCES = ['lib', 'cdk.json', 'package-lock.json'];

/**
 * The run workflow as the CDK application renders it. CDK takes a second to load, so the result is kept in `dist/` and
 * made again when a source of it changes. Throws WorkflowDefinitionError.
 */
export async function readWorkflowDefinition(checkout = findCheckout()): Promise<unknown> {
  const file = join(checkout, 'dist', 'dev', 'run-workflow.asl.json');
  const key = sourcesKey(checkout);
  const kept = readKept(file);
  if (kept?.key === key) return kept.definition;
  const definition = await render(checkout);
  await makeFolder(dirname(file));
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, JSON.stringify({ key, definition }));
  renameSync(draft, file);
  return definition;
}

function readKept(file: string): { key: string; definition: unknown } | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { key: string; definition: unknown };
  } catch {
    return null; // absent or cut off: it is made again
  }
}

async function render(checkout: string): Promise<unknown> {
  // By path, so that no bundler takes the CDK application into the command line tool.
  const path = pathToFileURL(join(checkout, 'lib', 'render-workflow.ts')).href;
  try {
    const module = (await import(path)) as { renderWorkflow(): unknown };
    return module.renderWorkflow();
  } catch (error) {
    const missing = /Cannot find (?:package|module) '([^']+)'/.exec(error instanceof Error ? error.message : '')?.[1];
    if (missing === undefined) throw error;
    throw new WorkflowDefinitionError(
      `the local cloud takes its workflow from the CDK app, and ${missing} is not installed: run "npm ci"`,
      { cause: error },
    );
  }
}

/** Names, times and sizes of the sources: enough to see an edit, without reading them. */
function sourcesKey(checkout: string): string {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const path = join(checkout, source);
    if (!existsSync(path)) continue;
    const files = statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).map(String).sort() : [''];
    for (const name of files) {
      const { mtimeMs, size } = statSync(join(path, name));
      hash.update(`${source}/${name} ${mtimeMs} ${size}\n`);
    }
  }
  return hash.digest('hex');
}

/** The folder that this program is of, whether it runs from its sources or from the bundle in `dist/`. */
export function findCheckout(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    if (existsSync(join(folder, 'lib', 'render-workflow.ts'))) return folder;
    const parent = dirname(folder);
    if (parent === folder) {
      throw new WorkflowDefinitionError(
        '`assay dev` needs a checkout of Assay: it takes the workflow from the CDK app',
      );
    }
    folder = parent;
  }
}
