import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayHere, makeFolder, readResults, runHere, SHARED_DATA, summaryOf } from './harness.ts';

const has = (path: string): boolean => existsSync(join(SHARED_DATA, path));
if (!existsSync(SHARED_DATA))
  console.log(`real data: skipped, there is no ${SHARED_DATA} (ASSAY_SHARED names another place)`);

const SOLUTIONS = 'gsm8k/example_model_solutions.jsonl.gz';

describe.skipIf(!has(SOLUTIONS))('gsm8k: recorded answers of four models', () => {
  it.each([
    // Rows that the publishers call correct, of 1,319; the 56.25 % of the last is the figure they published.
    { model: '6b_finetuning', correct: 286 },
    { model: '6b_verification', correct: 515 },
    { model: '175b_finetuning', correct: 458 },
    { model: '175b_verification', correct: 742 },
  ])('the last number of $model decides as the publishers did, row by row', async ({ model, correct }) => {
    const folder = await makeFolder({
      'eval.json': {
        name: `gsm8k-${model.replace('_', '-')}`,
        type: 'qa',
        dataset: join(SHARED_DATA, SOLUTIONS),
        targets: [{ type: 'recorded', output: `${model}.solution` }],
        scorers: [{ numeric: { extract: '(-?[\\d,.]+)\\s*$' } }],
        thresholds: { pass_rate: 0.5 },
        concurrency: 50,
      },
    });
    const summary = summaryOf(await runHere(folder, '--json'));
    expect(summary.counts).toMatchObject({ rows: 1319, scored: 1319, passed: correct, failed: 1319 - correct });
    expect(summary.gate).toBe(correct / 1319 >= 0.5 ? 'pass' : 'fail');
    const differing = readResults(folder, summary.run_id)
      .filter(({ metadata, passed }) => (metadata[model] as { is_correct: boolean }).is_correct !== passed)
      .map((result) => result.row_id);
    // No row differs, so there is none to explain: numbers are compared as quantities (18, 18.0 and $18 are equal).
    expect(differing).toEqual([]);
  });

  it('compares the four as targets of one eval', async () => {
    const models = ['6b_finetuning', '6b_verification', '175b_finetuning', '175b_verification'];
    const folder = await makeFolder({
      'eval.json': {
        name: 'gsm8k',
        type: 'qa',
        dataset: join(SHARED_DATA, SOLUTIONS),
        targets: models.map((model) => ({
          type: 'recorded',
          id: `m-${model.replace('_', '-')}`,
          output: `${model}.solution`,
        })),
        scorers: [{ numeric: { extract: '(-?[\\d,.]+)\\s*$' } }],
        sample_size: 200,
      },
    });
    const summary = summaryOf(await runHere(folder, '--json'));
    expect(summary.counts).toMatchObject({ rows: 200, results: 800 });
    const rates = summary.targets.map((target) => target.pass_rate ?? 0);
    expect(rates.every((rate) => (summary.pass_rate ?? 1) <= rate)).toBe(true);
    expect(Math.max(...rates)).toBe(rates[3]);
  });
});

describe.skipIf(!has('csv-from-the-wild'))('CSV files as people make them', () => {
  const validate = async (file: string, more: Record<string, unknown>) => {
    const dataset = join(SHARED_DATA, 'csv-from-the-wild', file);
    const targets = [{ url: 'http://127.0.0.1:1/' }];
    const eval_ = { name: 'wild', dataset, targets, judge: { type: 'lexical' }, ...more };
    const folder = await makeFolder({ 'eval.json': eval_ });
    return assayHere(['validate', join(folder, 'eval.json')]);
  };

  it('a table of tickets is valid', async () => {
    const ended = await validate('support_triage.csv', { type: 'classification', columns: { expected: 'priority' } });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('questions whose answers are multi-line cells are valid where none is needed; a stray cell is pointed out', async () => {
    const ended = await validate('hf_doc_qa_eval.csv', { type: 'metrics', metrics: ['relevance'] });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('valid');
    expect(ended.stderr).toMatch(/line 102, column 3/);
  });

  it('the one question without an answer is named where answers are needed', async () => {
    const ended = await validate('hf_doc_qa_eval.csv', { type: 'qa' });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/hf_doc_qa_eval\.csv, line 100, .*has no expected answer/);
    expect(ended.stdout).toContain('1 fault');
  });
});

const HALUEVAL = 'halueval-qa/qa_one_turn.jsonl';

describe.skipIf(!has(HALUEVAL))('HaluEval: right and hallucinated answers with their passages', () => {
  const ragEval = (more: Record<string, unknown>) => ({
    name: 'halueval',
    type: 'metrics',
    dataset: join(SHARED_DATA, HALUEVAL),
    columns: { contexts: 'knowledge', expected: 'right_answer' },
    metrics: ['faithfulness', 'answer_relevance', 'context_precision', 'context_recall'],
    judge: { type: 'lexical' },
    concurrency: 50,
    ...more,
  });

  it('the lexical judge puts right answers before hallucinated ones', async () => {
    const folder = await makeFolder({
      'eval.json': ragEval({
        targets: [
          { type: 'recorded', id: 'right', output: 'expected' },
          { type: 'recorded', id: 'hallucinated', output: 'hallucinated_answer' },
        ],
      }),
    });
    const summary = summaryOf(await runHere(folder, '--json'));
    expect(summary.counts).toMatchObject({ rows: 500, results: 1000, scored: 1000 });
    const [right, hallucinated] = summary.targets;
    expect(right?.score ?? 0).toBeGreaterThan((hallucinated?.score ?? 1) + 0.1);
    expect(right?.metrics.faithfulness?.mean ?? 0).toBeGreaterThan(
      (hallucinated?.metrics.faithfulness?.mean ?? 1) + 0.3,
    );
    expect(summary.warnings.join()).toContain('not by a model');
  });

  it.each([
    { output: 'expected', faithful: 1, gate: 'pass' },
    { output: 'hallucinated_answer', faithful: 0, gate: 'fail' },
  ])('recorded verdicts on $output are replayed', async ({ output, faithful, gate }) => {
    const verdict = (score: number) => ({ score, reason: 'as labelled' });
    const rows = readFileSync(join(SHARED_DATA, HALUEVAL), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({
        ...(JSON.parse(line) as object),
        verdicts: {
          faithfulness: verdict(faithful),
          answer_relevance: verdict(1),
          context_precision: verdict(1),
          context_recall: verdict(1),
        },
      }));
    const folder = await makeFolder({
      'rows.jsonl': rows,
      'eval.json': ragEval({
        dataset: 'rows.jsonl',
        targets: [{ type: 'recorded', output }],
        judge: { type: 'recorded' },
        thresholds: { min_score: 0.8 },
      }),
    });
    const summary = summaryOf(await runHere(folder, '--json'));
    expect(summary.metrics.faithfulness).toMatchObject({ mean: faithful, n: 500 });
    expect(summary.score).toBe((3 + faithful) / 4);
    expect(summary.gate).toBe(gate);
  });
});
