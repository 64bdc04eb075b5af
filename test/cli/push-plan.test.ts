import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DeployedClient } from '../../src/cli/deployed-client.ts';
import { planPush, type RemoteProject } from '../../src/cli/push-plan.ts';
import { ConfigError, type Fault } from '../../src/core/errors.ts';

const REMOTE: RemoteProject = {
  exists: true,
  isLocal: false,
  defaultJudge: undefined,
  networks: {},
  datasets: new Map(),
  evals: new Map(),
};
const ROWS = 'input,expected\nHi,Hello\n';

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-plan-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

function evalText(name: string, changes: Record<string, unknown> = {}): string {
  return JSON.stringify({
    name,
    type: 'qa',
    dataset: 'rows.csv',
    target: { url: 'https://bot.example.com/' },
    scorers: ['contains'],
    ...changes,
  });
}

async function faultsOf(files: Record<string, string>, remote = REMOTE): Promise<readonly Fault[]> {
  try {
    await planPush(await folderWith(files), remote);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('planPush', () => {
  it('plans an eval whose secrets are in the app alone', async () => {
    const target = {
      url: '{{secrets.BASE_URL}}/answer/{{input}}',
      headers: { authorization: 'Bearer {{secrets.KEY}}' },
    };
    expect(await faultsOf({ 'a.yaml': evalText('a', { target }), 'rows.csv': ROWS })).toEqual([]);
  });

  it.each([
    ['a password', 'https://user:hunter2@bot.example.com/', /credentials/],
    ['a file', 'file:///etc/passwd', /file: URLs/],
    ['a private literal', 'http://[fd00::1]/', /private/],
    ['the metadata service', 'http://169.254.169.254/', /link-local/],
    ['this machine, for an app that is elsewhere', 'http://127.0.0.1:4010/', /loopback/],
    ['a variable that is none', 'https://bot.example.com/{{inptu}}', /inptu/],
  ])('refuses %s in a URL', async (_, url, message) => {
    const faults = await faultsOf({ 'a.yaml': evalText('a', { target: { url } }), 'rows.csv': ROWS });
    expect(faults).toEqual([
      expect.objectContaining({ field: 'targets.0.url', message: expect.stringMatching(message) }),
    ]);
    expect(JSON.stringify(faults)).not.toContain('hunter2');
  });

  it('lets this machine pass for an app on it', async () => {
    const target = { url: 'http://127.0.0.1:4010/' };
    const files = { 'a.yaml': evalText('a', { target }), 'rows.csv': ROWS };
    expect(await faultsOf(files, { ...REMOTE, isLocal: true })).toEqual([]);
  });

  it('lets a private literal pass that the project allows', async () => {
    const files = { 'a.yaml': evalText('a', { target: { url: 'http://10.0.0.1/' } }), 'rows.csv': ROWS };
    expect(await faultsOf(files, { ...REMOTE, networks: { allowed_cidrs: ['10.0.0.0/8'] } })).toEqual([]);
  });

  it.each([
    ['scorers that only `assay run` has', { scorers: [{ javascript: { value: 'output.length > 0' } }] }, /javascript/],
    ['a pattern that is none', { scorers: [{ regex: { value: '(' } }] }, /\(/],
  ])('refuses %s', async (_, changes, message) => {
    const faults = await faultsOf({ 'a.yaml': evalText('a', changes), 'rows.csv': ROWS });
    expect(faults.length).toBeGreaterThan(0);
    expect(faults[0]?.message).toMatch(message);
  });

  it('checks the rows for every eval, of the same dataset too', async () => {
    const files = {
      'a.yaml': evalText('a', { scorers: [{ regex: { value: 'x' } }] }),
      'rows.csv': 'input\nHi\n',
    };
    expect(await faultsOf(files)).toEqual([]);
    const faults = await faultsOf({ ...files, 'b.yaml': evalText('b', { scorers: ['contains'] }) });
    expect(faults).toEqual([expect.objectContaining({ line: 2, field: 'expected' })]);
  });

  it('tells the faults of all files at once', async () => {
    const target = { url: 'file:///x' };
    const faults = await faultsOf({
      'a.yaml': evalText('a', { target }),
      'b.yaml': evalText('b', { target }),
      'rows.csv': ROWS,
    });
    expect(faults.map(({ file }) => file?.slice(-6))).toEqual(['a.yaml', 'b.yaml']);
  });
});

describe('isLocal', () => {
  it.each([
    ['http://localhost:8080', true],
    ['http://127.0.0.1:8080', true],
    ['http://[::1]:8080', true],
    ['https://abc.execute-api.us-east-1.amazonaws.com', false],
    ['https://localhost.example.com', false],
    ['https://127.example.com', false],
  ])('%s: %s', (url, isLocal) => {
    expect(new DeployedClient({ url }).isLocal).toBe(isLocal);
  });
});
