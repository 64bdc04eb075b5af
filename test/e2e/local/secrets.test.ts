import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { JsonStub } from '../../adapters/json-stub.ts';
import { assayHere, cleanUp, httpEval, makeFolder, numberedRows, runHere, runIds, startTarget } from './harness.ts';

const TARGET_KEY = 'tk/s3cr3t+"quoted"&<x>=';
const JUDGE_KEY = 'judge-key-0123456789';

/** What a careless service may say about the key it was given. */
const ECHOES: readonly ((key: string) => { status?: number; body: unknown })[] = [
  (key) => ({ body: { answer: `your key is ${key}`, passages: [`key ${key}`] } }),
  (key) => ({ body: { answer: { headers: { authorization: `Bearer ${key}` } }, passages: [] } }),
  (key) => ({ status: 500, body: { error: `bad key ${key}` } }),
  (key) => ({
    status: 401,
    body: `<html>no access for ${key.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</html>`,
  }),
  (key) => ({ body: `<html>${key}</html>` }),
  (key) => ({ body: { answer: Buffer.from(`Bearer ${key}`).toString('base64'), passages: [encodeURIComponent(key)] } }),
  (key) => ({ body: { other: key } }),
];

describe('a secret that target and judge echo', () => {
  it('stands in no file of the run and in no output', async () => {
    const target = await startTarget((question, { headers }) => {
      const key = String(headers.authorization).replace('Bearer ', '');
      return ECHOES[Number(question.slice(1)) % ECHOES.length]?.(key) ?? { body: {} };
    });
    const judge = new JsonStub(({ headers }) => {
      const reason = `authorised by ${headers.authorization}`;
      const content = JSON.stringify({ correctness: { score: 0.2, reason }, relevance: { score: 0.3, reason } });
      return { status: 200, body: { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }] } };
    });
    const judgeUrl = `${await judge.listen()}/v1`;
    cleanUp(() => judge.close());
    const folder = await makeFolder({
      'eval.json': httpEval(target.url, {
        type: 'metrics',
        metrics: ['correctness', 'relevance'],
        targets: [
          {
            url: target.url,
            headers: { Authorization: 'Bearer {{secrets.TARGET_KEY}}' },
            body_template: { question: '{{input}}' },
            response_path: 'answer',
            contexts_path: 'passages',
            retries: 0,
          },
        ],
        judge: { type: 'openai', url: judgeUrl, model: 'some-model', api_key: '{{secrets.JUDGE_KEY}}' },
        canaries: false,
      }),
      'rows.jsonl': numberedRows(ECHOES.length * 2),
      '.env': `TARGET_KEY='${TARGET_KEY}'\nJUDGE_KEY=${JUDGE_KEY}\n`,
    });
    const ended = await runHere(folder);
    expect(ended.code).toBe(1);
    expect(target.requests[0]?.headers.authorization).toBe(`Bearer ${TARGET_KEY}`);
    expect(judge.requests[0]?.headers.authorization).toBe(`Bearer ${JUDGE_KEY}`);

    const [runId = ''] = runIds(folder);
    const runs = join(folder, '.assay');
    const listed = await assayHere(['results', runId, '--dir', runs]);
    const raw = await assayHere(['results', runId, '--json', '--dir', runs]);
    const texts = new Map<string, string>([
      ['run', ended.stdout + ended.stderr],
      ['results', listed.stdout + raw.stdout],
    ]);
    for (const name of readdirSync(runs, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(jsonl?|gz|html|xml)$/.test(name)) continue;
      const bytes = readFileSync(join(runs, name));
      texts.set(name, (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
    }
    expect([...texts.keys()].some((name) => name.endsWith('report.html'))).toBe(true);
    const leaks: string[] = [];
    for (const [name, text] of texts)
      for (const form of formsOf()) if (text.includes(form)) leaks.push(`${name}: ${form}`);
    expect(leaks).toEqual([]);
    expect(texts.get('results')).toContain('[redacted]');
  });
});

function formsOf(): string[] {
  return [TARGET_KEY, JUDGE_KEY].flatMap((key) => [
    key,
    JSON.stringify(key).slice(1, -1),
    encodeURIComponent(key),
    key.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
    key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    Buffer.from(`Bearer ${key}`).toString('base64').slice(12, -4),
  ]);
}
