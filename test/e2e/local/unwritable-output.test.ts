import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayHere, LAUNCHER, makeFolder, numberedRows } from './harness.ts';

const FULL = '/dev/full';

describe.skipIf(!existsSync(FULL))('output that cannot be written', () => {
  it.each([
    { name: 'the summary', args: ['run', 'eval.json', '--quiet'], full: 'stdout' },
    { name: 'the summary as JSON', args: ['run', 'eval.json', '--json'], full: 'stdout' },
    { name: 'the progress', args: ['run', 'eval.json'], full: 'stderr' },
    { name: 'the faults of an eval', args: ['validate', 'eval.json'], full: 'stdout' },
    { name: 'the help', args: ['--help'], full: 'stdout' },
  ] as const)('is no failed gate: $name', async ({ args, full }) => {
    const { code, text } = await into(full, args, await passingEval());
    expect(code).toBe(2);
    if (full !== 'stdout') return;
    expect(text).toContain('assay: cannot write the output: ENOSPC');
    expect(text).not.toContain('    at ');
  });
});

describe.skipIf(!existsSync('/proc/self'))('a folder that cannot be made', () => {
  it.each([['run', 'eval.json'], ['dev']])('ends %s with a line that names it', async (...args) => {
    const folder = await passingEval();
    const paths = args.map((arg) => (arg.endsWith('.json') ? join(folder, arg) : arg));
    const ended = await assayHere([...paths, '--dir', '/proc/assay']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('cannot write /proc/assay');
    expect(ended.stderr).not.toContain('    at ');
  });
});

function passingEval(): Promise<string> {
  const rows = numberedRows(3).map((row) => ({ ...row, output: row.expected }));
  const targets = [{ type: 'recorded' }];
  const evalFile = { name: 'faq', type: 'classification', dataset: 'rows.jsonl', targets };
  return makeFolder({ 'eval.json': evalFile, 'rows.jsonl': rows });
}

async function into(full: 'stdout' | 'stderr', args: readonly string[], cwd: string) {
  const device = await open(FULL, 'w');
  try {
    const stdio =
      full === 'stdout' ? (['ignore', device.fd, 'pipe'] as const) : (['ignore', 'pipe', device.fd] as const);
    const child = spawn(process.execPath, [LAUNCHER, ...args], { cwd, stdio: [...stdio] });
    let text = '';
    (child.stderr ?? child.stdout)?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    const code = await new Promise<number | null>((done) => child.on('close', done));
    return { code, text };
  } finally {
    await device.close();
  }
}
