import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PRICES } from '../../src/core/cost/price-table.ts';
import { ConfigError } from '../../src/core/errors.ts';
import { loadEval } from '../../src/runner/load-eval.ts';
import { findFolders } from '../../src/runner/load-folder.ts';
import { startLocalRun } from '../../src/runner/local-run.ts';
import { Workspace } from '../../src/runner/workspace.ts';

async function write(files: Readonly<Record<string, unknown>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'assay-folder-'));
  for (const [name, value] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    const lines = Array.isArray(value) ? value.map((item) => `${JSON.stringify(item)}\n`).join('') : undefined;
    await writeFile(join(root, name), lines ?? (typeof value === 'string' ? value : JSON.stringify(value)));
  }
  return root;
}

const qaCase = (id: string, query: string, ground_truth: string, output: string) => ({
  id,
  description: '',
  tags: [],
  difficulty: null,
  metadata: {},
  input: { query },
  expected: { ground_truth },
  output,
});
const MODEL = 'us.amazon.nova-lite-v1:0';

describe('a dataset folder', () => {
  it('is an eval with a target for each model and the folder as its dataset', async () => {
    const root = await write({
      'datasets/tickets/dataset.json': { name: 'tickets', type: 'classification', labels: ['billing', 'iam'] },
      'datasets/tickets/cases.jsonl': [{ input: { text: 'charged twice' }, expected: { label: 'billing' } }],
    });
    const loaded = await loadEval(join(root, 'datasets/tickets'), { source: { models: [MODEL, 'b.c'] } });
    expect(loaded.config.targets.map((target) => target.id)).toEqual(['us-amazon-nova-lite-v1-0', 'b-c']);
    expect(loaded).toMatchObject({ datasetId: 'tickets', config: { baseline: 'none', labels: ['billing', 'iam'] } });
    expect(loaded.datasetPath).toBe(join(root, 'datasets/tickets/cases.jsonl'));
  });

  it('takes the prompt from a file', async () => {
    const root = await write({
      'a/dataset.json': { name: 'a', type: 'qa' },
      'a/cases.jsonl': [],
      'p.txt': 'Say: {{query}}',
    });
    const loaded = await loadEval(join(root, 'a'), { source: { models: [MODEL], promptFile: join(root, 'p.txt') } });
    expect(loaded.config.targets).toMatchObject([{ prompt: 'Say: {{input.query}}' }]);
  });

  it.each([
    {
      name: 'a folder without dataset.json',
      files: { 'a/x.txt': '' },
      options: { models: [MODEL] },
      message: /has no dataset.json/,
    },
    { name: 'no model', files: { 'a/dataset.json': { type: 'qa' } }, options: {}, message: /there is no model to ask/ },
    {
      name: 'a prompt file that is missing',
      files: { 'a/dataset.json': { type: 'qa' } },
      options: { models: [MODEL], promptFile: '/nowhere.txt' },
      message: /nowhere.txt cannot be read/,
    },
  ])('refuses $name', async ({ files, options, message }) => {
    const root = await write(files);
    await expect(loadEval(join(root, 'a'), { source: options })).rejects.toThrow(message);
  });

  it('names file and line of a fault in dataset.json', async () => {
    const root = await write({ 'a/dataset.json': '{\n "type": "qa",\n "thresholds": {\n  "pas_rate": 1\n }\n}' });
    const failure = await loadEval(join(root, 'a'), { source: { models: [MODEL] } }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect((failure as ConfigError).faults[0]).toMatchObject({ file: join(root, 'a/dataset.json'), line: 4 });
  });

  it('finds every folder of a tree, those of rag and agents one level deeper', async () => {
    const root = await write({
      'b/dataset.json': {},
      'a/dataset.json': {},
      'rag/docs/dataset.json': {},
      'agents/ops/dataset.json': {},
      'a/versions/v1.0.0/dataset.json': {},
      'notes/readme.txt': '',
    });
    expect(await findFolders(root)).toEqual(['a', 'agents/ops', 'b', 'rag/docs'].map((name) => join(root, name)));
    await expect(findFolders(join(root, 'notes'))).rejects.toThrow(/no dataset folders/);
  });

  it('compares with a baseline that supereval wrote', async () => {
    const query = 'What is the maximum size of an SQS message?'; // its key is worked out in Python
    const root = await write({
      'qa/dataset.json': {
        name: 'qa',
        type: 'qa',
        thresholds: { pass_rate: 0 },
        target: { type: 'recorded' },
        scorers: ['contains'],
      },
      'qa/cases.jsonl': [
        qaCase('tc_1', query, '256 KB', '1 MB'),
        qaCase('tc_2', 'Lambda timeout?', '15 minutes', '15 minutes'),
      ],
      'qa/baseline.json': {
        run_id: 'run_1',
        cases: [{ key: '8b523da248317056', vars: { query }, passed: true, score: 1 }],
      },
    });
    const loaded = await loadEval(join(root, 'qa'), { source: { compareBaseline: true } });
    const { summary } = await startLocalRun(loaded, {
      workspace: new Workspace(join(root, '.assay')),
      prices: PRICES,
      ref: null,
      sha: null,
      cancel: new AbortController().signal,
    });
    expect(summary.baseline).toMatchObject({
      run_id: 'supereval:run_1',
      same: 1,
      new: 1,
      regressed: ['tc_1'],
      removed: [],
    });
    expect(summary.gate).toBe('fail');
    expect(summary.baseline?.differences).toContain('target configuration');
  });
});

describe("a test of Plainwright's", () => {
  const file = {
    name: 'Bot',
    kind: 'eval',
    config: { dataset_id: 'd', target: { url: 'https://example.com' }, threshold: 85 },
  };

  it('runs from its file, with the dataset named by a flag', async () => {
    const root = await write({ 'eval-test.json': file, 'faq.csv': 'input\nhello\n' });
    const loaded = await loadEval(join(root, 'eval-test.json'), { source: { dataset: join(root, 'faq.csv') } });
    expect(loaded).toMatchObject({ datasetPath: join(root, 'faq.csv'), datasetId: 'faq' });
    expect(loaded.config.thresholds).toEqual({ min_score: 0.85 });
  });

  it('names the line of a fault', async () => {
    const root = await write({
      'eval-test.json': JSON.stringify({ ...file, config: { ...file.config, threshold: 1.5 } }, null, 1),
    });
    const failure = await loadEval(join(root, 'eval-test.json'), { source: { dataset: 'x.csv' } }).catch(
      (error: unknown) => error,
    );
    expect((failure as ConfigError).faults[0]?.line).toBe(9);
  });
});

describe('MAX_EVAL_ROWS_PER_RUN', () => {
  const files = {
    'e.json': {
      name: 'e',
      type: 'qa',
      dataset: 'r.csv',
      target: { type: 'recorded' },
      scorers: ['contains'],
      max_rows: 100,
    },
  };
  it.each([
    { given: undefined, rows: 100 },
    { given: '', rows: 100 },
    { given: '50', rows: 50 },
    { given: '500', rows: 100 },
  ])('$given leaves $rows rows', async ({ given, rows }) => {
    const root = await write(files);
    expect((await loadEval(join(root, 'e.json'), { maxEvalRows: given })).config.max_rows).toBe(rows);
  });

  it.each(['0', '-1', '1e3', 'many'])('refuses %s', async (given) => {
    const root = await write(files);
    await expect(loadEval(join(root, 'e.json'), { maxEvalRows: given })).rejects.toThrow(/MAX_EVAL_ROWS_PER_RUN/);
  });
});
