import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const launcher = fileURLToPath(new URL('../../bin/assay.js', import.meta.url));

describe('assay dev', () => {
  let folder: string;
  let port: number;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    port = await freePort();
    folder = await mkdtemp(join(tmpdir(), 'assay-dev-'));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  interface Dev {
    readonly url: string;
    readonly token: string;
    readonly out: () => string;
    readonly ended: Promise<number | null>;
    readonly child: ChildProcess;
  }
  async function start(...args: string[]): Promise<Dev> {
    const child = spawn(process.execPath, [launcher, 'dev', '--dir', folder, '--port', String(port), ...args], {
      env: { PATH: process.env.PATH ?? '' },
      cwd: folder,
    });
    children.push(child);
    let out = '';
    child.stdout?.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      out += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    while (!out.includes('Ctrl-C stops it.') && !isOver) await new Promise((resolve) => setTimeout(resolve, 20));
    const find = (name: string) => new RegExp(`${name} +(\\S+)`).exec(out)?.[1] ?? '';
    return { url: find('API'), token: find('token'), out: () => out, ended, child };
  }
  const projects = async ({ url, token }: Dev) =>
    (await fetch(`${url}/api/projects`, { headers: { authorization: `Bearer ${token}` } })).json();

  it('prints where it is and a ready call, stops clean on Ctrl-C, and remembers; --reset forgets', async () => {
    const first = await start();
    expect(first.out()).toMatch(/curl -sS -X POST \$ASSAY_URL\/api\/runs\/webhook\/demo/);
    const headers = { authorization: `Bearer ${first.token}`, 'content-type': 'application/json' };
    const made = await fetch(`${first.url}/api/projects`, { method: 'POST', headers, body: '{"id":"kept"}' });
    expect(made.status).toBe(201);
    first.child.kill('SIGINT');
    expect(await first.ended).toBe(0);
    expect(first.out()).toContain('stopped');

    const second = await start();
    expect(second.token).toBe(first.token);
    expect(await projects(second)).toMatchObject({ items: [{ id: 'kept' }] });

    const third = await start();
    expect(await third.ended).toBe(2);
    expect(third.out()).toMatch(/another `assay dev` runs on this folder/);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);

    const fresh = await start('--reset');
    expect(await projects(fresh)).toEqual({ items: [] });
    expect(fresh.token).not.toBe(first.token);
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
