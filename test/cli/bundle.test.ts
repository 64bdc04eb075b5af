import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const checkout = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'assay-bundle-'));
const VERDICT = JSON.stringify({ judge: { reason: 'It names the city.', label: 'pass' } });
const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  const chat = { choices: [{ message: { role: 'assistant', content: VERDICT }, finish_reason: 'stop' }] };
  response.end(JSON.stringify(request.url === '/answer' ? { answer: 'It is Canberra.' } : chat));
});

// What users start is the bundle: a module that only loads from the sources would pass every other test.
beforeAll(async () => {
  await run(process.execPath, [join(checkout, 'scripts', 'build-cli.ts'), join(folder, 'cli')], { cwd: checkout });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

it('runs an eval over HTTP with a judge over HTTP', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(join(folder, 'rows.jsonl'), '{"input": "Capital of Australia?", "expected": "Canberra"}\n');
  writeFileSync(
    join(folder, 'eval.yaml'),
    `{ name: one, type: qa, canaries: false, dataset: rows.jsonl, target: { url: "${url}/answer", response_path: answer }, judge: { type: openai, url: "${url}/v1", model: m } }`,
  );
  const { stdout } = await assay('run', 'eval.yaml', '--json', '--quiet');
  expect(JSON.parse(stdout)).toMatchObject({ gate: 'pass', counts: { rows: 1, passed: 1 } });
});

it('shows its help and version', async () => {
  expect((await assay('--help')).stdout).toContain('Usage: assay');
  expect((await assay('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

function assay(...args: readonly string[]) {
  const main = pathToFileURL(join(folder, 'cli', 'main.js')).href;
  const script = `import(${JSON.stringify(main)}).then(({ main }) => main(process.argv.slice(1)))`;
  return run(process.execPath, ['--eval', script, '--', ...args], { cwd: folder });
}
