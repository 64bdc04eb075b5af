import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Usage {
  /** From spawn to exit, in s. */
  readonly wallS: number;
  /** User and system time of all its threads, in s. */
  readonly cpuS: number;
  readonly peakBytes: number;
  readonly stdout: string;
}

const preload = fileURLToPath(import.meta.resolve('./programs/usage.cjs'));

/** Runs a script on this Node and measures it. Throws where it does not exit with 0: a failed run has no speed. */
export async function measure(script: string, args: readonly string[], cwd?: string): Promise<Usage> {
  const file = join(tmpdir(), `assay-bench-usage-${randomUUID()}.json`);
  const run = await wallOf(process.execPath, ['--require', preload, script, ...args], {
    cwd,
    env: { ...process.env, BENCH_USAGE: file },
  });
  const { cpuS, peakBytes } = JSON.parse(readFileSync(file, 'utf8')) as Pick<Usage, 'cpuS' | 'peakBytes'>;
  rmSync(file);
  return { ...run, cpuS, peakBytes };
}

/** From spawn to exit, without preloading anything. */
export async function wallOf(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string | undefined; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Pick<Usage, 'wallS' | 'stdout'>> {
  const startedMs = performance.now();
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  let wallS = 0;
  child.on('exit', () => {
    wallS = (performance.now() - startedMs) / 1000;
  });
  const stop = () => child.kill();
  process.once('exit', stop); // when another measurement failed
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  process.off('exit', stop);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${code}:\n${stderr}${stdout}`);
  return { wallS, stdout };
}
