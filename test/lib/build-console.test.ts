import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildConsole } from '../../lib/build-console.ts';
import { API_BUNDLING, BUNDLING } from '../../lib/bundling.ts';
import { folderReader } from '../../src/adapters/local/folder-reader.ts';

describe('the console as it is built', () => {
  let files: ReadonlyMap<string, string>;
  beforeAll(async () => {
    files = await buildConsole();
  });
  const named = (end: string) => [...files.keys()].filter((name) => name.endsWith(end));

  it('is pages that name a script, a style sheet and an icon with a hash of the content', () => {
    expect([...files.keys()].sort()).toEqual([
      expect.stringMatching(/^app-[A-Z0-9]{8}\.js$/),
      'closed.html',
      expect.stringMatching(/^icon-[A-Z0-9]{8}\.svg$/),
      'index.html',
      expect.stringMatching(/^style-[A-Z0-9]{8}\.css$/),
    ]);
    for (const name of [...named('.js'), ...named('.css'), ...named('.svg')]) {
      expect(files.get('index.html')).toContain(`"console/${name}"`);
    }
  });

  it('holds nothing that its content security policy forbids, and names no other origin', () => {
    for (const page of named('.html')) {
      expect(files.get(page)).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?:/i);
    }
    expect(files.get(named('.css')[0] ?? '')).not.toMatch(/https?:|url\(|@import/);
    const script = files.get(named('.js')[0] ?? '') ?? '';
    expect(script.match(/\beval\(|new Function\(|localStorage|dangerouslySetInnerHTML:/)).toBeNull();
    // Names of XML dialects are no addresses.
    expect(
      (script.match(/https?:\/\/[^"'`\s]+/g) ?? []).filter((url) => !url.startsWith('http://www.w3.org/')),
    ).toEqual([]);
  });

  it('weighs below 100 KB, compressed', () => {
    const bytes = [...files.values()].reduce((sum, text) => sum + gzipSync(text).byteLength, 0);
    console.log(`console: ${(bytes / 1000).toFixed(0)} KB compressed`);
    expect(bytes).toBeLessThan(100_000);
  });

  it('is the same each time, so that nothing is deployed again for it', async () => {
    expect(await buildConsole()).toEqual(files);
  });

  it('is put beside the handler of the API when that is bundled, and beside no other', async () => {
    const output = await mkdtemp(join(tmpdir(), 'assay-bundle-'));
    const command = API_BUNDLING.commandHooks?.afterBundling('', output).at(-1) ?? '';
    expect(BUNDLING.commandHooks?.afterBundling('', output).join()).not.toContain('console');
    execFileSync(command, { shell: true });
    const read = folderReader(pathToFileURL(`${output}/console/`));
    expect(new Map(await read())).toEqual(new Map(files));
    expect(await readFile(join(output, 'console', 'index.html'), 'utf8')).toBe(files.get('index.html'));
    await rm(output, { recursive: true });
    // Read once: a browser's next request does not wait for the disk.
    expect((await read()).size).toBe(files.size);
  });

  it('is read again after a failure', async () => {
    const read = folderReader(pathToFileURL(`${join(tmpdir(), 'assay-no-such-folder')}/`));
    await expect(read()).rejects.toThrow('ENOENT');
    await expect(read()).rejects.toThrow('ENOENT');
  });
});
