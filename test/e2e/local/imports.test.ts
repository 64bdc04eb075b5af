import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../src/core/schemas/summary.ts';
import { assayHere, makeFolder, readResults } from './harness.ts';

/** Files in folders below a folder of this test's own. */
async function makeTree(files: Readonly<Record<string, unknown>>): Promise<string> {
  const root = await makeFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    const lines = Array.isArray(content) ? content.map((line) => `${JSON.stringify(line)}\n`).join('') : null;
    await writeFile(join(root, name), lines ?? (typeof content === 'string' ? content : JSON.stringify(content)));
  }
  return root;
}

const dataset = (name: string, rows: readonly object[]) => ({
  [`datasets/${name}/dataset.json`]: { name, type: 'classification', labels: ['a', 'b'], target: { type: 'recorded' } },
  [`datasets/${name}/cases.jsonl`]: rows,
});
const ticket = (label: string, output: string) => ({
  input: { text: `text ${label} ${output}` },
  expected: { label },
  output,
});

describe('dataset folders', () => {
  it('run one after the other with --all; the gravest gate is the exit code', async () => {
    const root = await makeTree({ ...dataset('good', [ticket('a', 'a')]), ...dataset('poor', [ticket('a', 'b')]) });
    const args = ['run', '--all', join(root, 'datasets'), '--dir', join(root, '.assay'), '--json', '--quiet'];
    const { code, stdout } = await assayHere(args);
    expect(code).toBe(1);
    const summaries = JSON.parse(stdout) as RunSummary[];
    expect(summaries.map(({ eval: name, gate }) => [name, gate])).toEqual([
      ['good', 'pass'],
      ['poor', 'fail'],
    ]);
  });

  it('start no run when one of them is broken, and name every fault', async () => {
    const root = await makeTree({
      ...dataset('good', [ticket('a', 'a')]),
      'datasets/x/dataset.json': { type: 'quiz' },
      'datasets/y/dataset.json': { type: 'qa' },
    });
    const { code, stderr } = await assayHere(['run', '--all', join(root, 'datasets'), '--dir', join(root, '.assay')]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/unknown type "quiz"[\s\S]*no model to ask/);
  });
});

describe('assay import', () => {
  const config = {
    prompts: ['file://p.txt'],
    providers: [
      { id: 'https://api.example.com/answer', config: { body: { q: '{{prompt}}' }, transformResponse: 'json.a' } },
    ],
    tests: 'file://tests.yaml',
  };
  const tests = [
    {
      vars: { question: 'Capital of France?' },
      assert: [
        { type: 'icontains', value: 'paris' },
        { type: 'similar', value: 'x' },
      ],
    },
  ];

  it('writes an eval that validates, and says what it left out', async () => {
    const root = await makeTree({
      'promptfooconfig.yaml': config,
      'p.txt': 'Q: {{question}}',
      'tests.yaml': JSON.stringify(tests),
    });
    const imported = await assayHere(['import', join(root, 'promptfooconfig.yaml'), '--out', join(root, 'out')]);
    expect(imported).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/not imported: tests\[0\].*similar: embeddings/),
    });
    expect(readFileSync(join(root, 'out/eval.yaml'), 'utf8')).toContain('Q: {{input}}');
    // Nothing is sent: the address is only looked at, and example.com need not be reachable.
    const { stdout } = await assayHere(['validate', join(root, 'out/eval.yaml'), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 1 });
  });

  it('keeps files that are there', async () => {
    const root = await makeTree({ 'c.yaml': { ...config, prompts: ['{{question}}'], tests }, 'out/eval.yaml': 'mine' });
    const { code, stderr } = await assayHere(['import', join(root, 'c.yaml'), '--out', join(root, 'out')]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/exists already/)]);
    expect(readFileSync(join(root, 'out/eval.yaml'), 'utf8')).toBe('mine');
  });
});

describe('assay import-traces', () => {
  it('makes rows that an agent eval scores as they were recorded', async () => {
    const messages = [
      { role: 'user', content: 'Which region?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', function: { name: 'search', arguments: '{"q":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '{"region":"us-west-2"}' },
      { role: 'assistant', content: 'us-west-2' },
    ];
    const root = await makeTree({
      'traces.jsonl': [{ messages }],
      'eval.json': { name: 'agent', type: 'agent', dataset: 'rows.jsonl', target: { type: 'recorded' } },
    });
    const made = await assayHere(['import-traces', join(root, 'traces.jsonl'), '--out', join(root, 'rows.jsonl')]);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout } = await assayHere([
      'run',
      join(root, 'eval.json'),
      '--dir',
      join(root, '.assay'),
      '--json',
      '--quiet',
    ]);
    expect(code).toBe(0);
    const [result] = readResults(root, (JSON.parse(stdout) as RunSummary).run_id);
    expect(result).toMatchObject({ passed: true, scores: { answer_score: { value: 1 }, tool_score: { value: 1 } } });
  });

  it('writes nothing where no trace makes a row', async () => {
    const root = await makeTree({ 'traces.jsonl': [{ steps: [] }] });
    const { code, stderr } = await assayHere([
      'import-traces',
      join(root, 'traces.jsonl'),
      '--out',
      join(root, 'rows.jsonl'),
    ]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/nothing was written/)]);
  });
});
