import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findCheckout } from './workflow-definition.ts';

let kept: Promise<ReadonlyMap<string, string>> | null = null;

/** The web console as it is built for the cloud, made from its sources when it is first asked for (0.1 s). */
export function readDevConsole(): Promise<ReadonlyMap<string, string>> {
  kept ??= build().catch((error: unknown) => {
    kept = null;
    throw error;
  });
  return kept;
}

async function build(): Promise<ReadonlyMap<string, string>> {
  // By path, so that no bundler takes the builder into the command line tool.
  const path = pathToFileURL(join(findCheckout(), 'lib', 'build-console.ts')).href;
  const module = (await import(path)) as { buildConsole(): Promise<ReadonlyMap<string, string>> };
  return module.buildConsole();
}
