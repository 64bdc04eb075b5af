#!/usr/bin/env node
// Plain JavaScript on purpose: it must start on whatever Node the machine has, and hand over to one that is new enough.
import { existsSync, readdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MINIMUM_NODE = 22;
const checkout = dirname(dirname(fileURLToPath(import.meta.url)));

if (Number.parseInt(process.versions.node, 10) < MINIMUM_NODE) await runOnOwnNode();
else await runHere();

/** The checkout has a Node of its own among its development dependencies. */
async function runOnOwnNode() {
  const { spawn } = await import('node:child_process'); // 15 ms that only this path needs
  const node = join(checkout, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(node)) {
    console.error(
      `assay needs Node ${MINIMUM_NODE} or newer, this is ${process.version}; run "npm ci" in ${checkout} to install one beside it`,
    );
    process.exit(2);
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both; the child decides what it means.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
  child.on('error', (error) => {
    console.error(`assay could not start ${node}: ${error.message}`);
    process.exit(2);
  });
  child.on('exit', (code) => process.exit(code ?? 2));
}

async function runHere() {
  module.enableCompileCache?.(join(checkout, 'dist', 'compile-cache'));
  const bundle = join(checkout, 'dist', 'cli', 'main.js');
  const entry = isFresh(bundle) ? bundle : join(checkout, 'src', 'cli', 'main.ts');
  const { main } = await import(entry);
  await main(process.argv.slice(2));
}

/** False when a source is newer than the bundle: an edited checkout runs its sources, never a stale bundle. */
function isFresh(bundle) {
  const builtAt = statSync(bundle, { throwIfNoEntry: false })?.mtimeMs;
  const sources = join(checkout, 'src');
  if (builtAt === undefined || !existsSync(sources)) return builtAt !== undefined;
  return readdirSync(sources, { recursive: true }).every((name) => statSync(join(sources, name)).mtimeMs <= builtAt);
}
