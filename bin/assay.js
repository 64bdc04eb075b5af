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
  const isWindows = process.platform === 'win32';
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    // The channel tells the child when this process is killed outright: it must not go on alone.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ASSAY_LAUNCHED: '1' },
    // In a process group of its own: a signal to the whole group (Ctrl-C, `timeout`) would reach it twice, and the
    // second one means "stop at once".
    detached: !isWindows,
  });
  for (const signal of isWindows ? [] : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGWINCH', 'SIGCONT'])
    process.on(signal, () => child.kill(signal));
  if (!isWindows) {
    process.on('SIGTSTP', () => {
      child.kill('SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
    });
  } else process.on('SIGINT', () => {});
  child.on('error', (error) => {
    console.error(`assay could not start ${node}: ${error.message}`);
    process.exit(2);
  });
  child.on('exit', (code) => process.exit(code ?? 2));
}

async function runHere() {
  if (process.env.ASSAY_LAUNCHED === '1' && process.channel !== undefined) {
    delete process.env.ASSAY_LAUNCHED;
    process.on('disconnect', () => process.exit(2));
    process.channel.unref();
  }
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
