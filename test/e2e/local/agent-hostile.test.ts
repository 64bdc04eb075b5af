import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeFolder, readResults, runFile, runHere, startTarget, summaryOf } from './harness.ts';

const thought = (content: string) => ({ type: 'thought', content });
const answer = (content: string) => ({ type: 'answer', content });
const call = (name: string, more: object = {}) => ({ type: 'tool_call', tool_call: { name, arguments: {}, ...more } });
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const MEGABYTE = 'x'.repeat(1_000_000);
const ROWS = [
  { id: 'crashed', trajectory: { steps: [call('search')], error: 'out of memory' } },
  { id: 'crashed-silently', trajectory: { steps: [], final_answer: '42', error: '' } },
  { id: 'empty-answer', trajectory: { steps: [thought('42')], final_answer: '' } },
  { id: 'no-answer', trajectory: { steps: [thought('42'), call('search')] } },
  { id: 'nothing', trajectory: { steps: [] } },
  { id: 'long', trajectory: { steps: [...times(499, (at) => thought(`step ${at}`)), answer('42')] } },
  { id: 'megabyte', trajectory: { steps: [call('dump', { result: MEGABYTE }), answer('42')] } },
  {
    id: 'loop',
    trajectory: { steps: [...times(200, (page) => call('search', { arguments: { page } })), answer('42')] },
    checks: { max_steps: 20, max_tool_calls: 20, must_not_call: ['search', 'rm'] },
  },
  { id: 'odd-text', trajectory: { steps: [call('</script><b>', { result: '\u202e<!--' })], final_answer: '42\u0000' } },
].map((row) => ({ input: 'What is the answer?', expected: '42', ...row }));

const agentEval = (more: object = {}) => ({
  name: 'hostile',
  type: 'agent',
  dataset: 'rows.jsonl',
  targets: [{ type: 'recorded' }],
  judge: { type: 'lexical' },
  ...more,
});

describe('agents that went wrong', () => {
  it('are accounted for, each in its own way', async () => {
    const folder = await makeFolder({ 'rows.jsonl': ROWS, 'eval.json': agentEval() });
    const summary = summaryOf(await runHere(folder, '--json'));
    const byId = new Map(readResults(folder, summary.run_id).map((result) => [result.row_id, result]));
    const outcomes = [...byId.values()].map(({ row_id, status, cause, passed }) => [row_id, cause ?? status, passed]);
    expect(outcomes.sort()).toEqual(
      [
        ['crashed', 'crashed', false],
        ['crashed-silently', 'crashed', false],
        ['empty-answer', 'scored', false],
        ['no-answer', 'scored', false],
        ['nothing', 'scored', false],
        ['long', 'scored', true],
        ['megabyte', 'scored', true],
        ['loop', 'scored', false],
        ['odd-text', 'scored', true],
      ].sort(),
    );
    expect(summary.counts).toMatchObject({ results: 9, scored: 7, target_error: 2, judge_error: 0, skipped: 0 });
    expect(byId.get('crashed')).toMatchObject({ score: 0, scores: {}, error: 'the agent crashed: out of memory' });
    expect(byId.get('crashed')?.trajectory?.steps).toHaveLength(1);
    expect(byId.get('no-answer')?.scores.answer_score?.reason).toBe('no final answer');
    expect(byId.get('loop')?.failed_checks).toEqual([
      'min_tool_score',
      'must_not_call: search',
      'max_tool_calls: 200 of at most 20',
    ]);
    expect(byId.get('loop')?.scores.efficiency_score?.value).toBe(0);
    expect(byId.get('megabyte')?.warnings).toEqual(['the judge saw the steps shortened: 1 long texts shortened']);
    // Stored whole, shown bounded.
    expect(JSON.stringify(byId.get('megabyte')?.trajectory)).toContain(MEGABYTE);
    const report = runFile(folder, summary.run_id, 'report.html');
    expect(statSync(report).size).toBeLessThan(500_000);
    expect(readFileSync(report, 'utf8')).not.toContain('</script><b>');
  });

  it('over HTTP are target errors when they crash, and never pass by a reply that merely holds the answer', async () => {
    const target = await startTarget((question) => ({
      body: question.includes('crash')
        ? { steps: [], error: 'boom', answer: '42' }
        : { steps: [thought('no idea')], note: '42' },
    }));
    const rows = ['crash', 'silent'].map((id) => ({ id, input: id, expected: '42' }));
    const folder = await makeFolder({
      'rows.jsonl': rows,
      'eval.json': agentEval({
        judge: undefined,
        targets: [{ url: target.url, body_template: { question: '{{input}}' }, trajectory_path: '$', retries: 0 }],
      }),
    });
    const summary = summaryOf(await runHere(folder, '--json'));
    const results = readResults(folder, summary.run_id);
    expect(results.find(({ row_id }) => row_id === 'crash')).toMatchObject({
      status: 'target_error',
      cause: 'crashed',
    });
    const silent = results.find(({ row_id }) => row_id === 'silent');
    expect(silent).toMatchObject({ status: 'scored', passed: false });
    expect(silent?.scores.answer_score?.reason).toBe('no final answer');
  });
});

describe('a jury', () => {
  const verdict = (label: string) => ({ 'answer.correctness': { label } });
  const rest = {
    'answer.completeness': { label: 'yes' },
    'answer.helpfulness': { label: 'helpful' },
    'reasoning.faithfulness': { label: 'all' },
    'reasoning.logical_coherence': { label: 'yes' },
  };
  it('keeps every vote, and says where its judges differ', async () => {
    const row = {
      id: 'a',
      input: 'What is the answer?',
      expected: '42 and no other number',
      trajectory: { steps: [answer('It is 42')] },
      checks: { answer_match: 'llm_judge' },
      verdicts: { ...verdict('correct'), ...rest },
    };
    const jury = [{ type: 'recorded' }, { type: 'recorded' }, { type: 'lexical' }];
    const folder = await makeFolder({ 'rows.jsonl': [row], 'eval.json': agentEval({ judge: jury }) });
    const summary = summaryOf(await runHere(folder, '--json'));
    const [result] = readResults(folder, summary.run_id);
    const correctness = result?.scores['answer.correctness'];
    expect(correctness).toMatchObject({ value: 1, raw_label: 'correct' });
    expect(correctness?.votes.map(({ judge }) => judge)).toEqual(['recorded', 'recorded', 'lexical']);
    expect(correctness?.reason).toContain('judges differ');
    expect(result?.warnings.some((warning) => warning.startsWith('judges differ: answer.correctness'))).toBe(true);
    expect(summary.warnings).toContain('1 result: judges differ');
    expect(summary.judges).toHaveLength(3);
  });
});
