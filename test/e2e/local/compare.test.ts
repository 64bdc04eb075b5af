import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JsonStub } from '../../adapters/json-stub.ts';
import {
  assayHere,
  cleanUp,
  httpEval,
  makeFolder,
  numberedRows,
  readResults,
  rightAnswer,
  runFile,
  runHere,
  runIds,
  startTarget,
  summaryOf,
} from './harness.ts';

/** A target whose wrong answers can be changed between two runs. */
async function startFickleTarget() {
  const wrong = new Set<string>();
  const target = await startTarget((question) => (wrong.has(question) ? 'no idea' : rightAnswer(question)));
  return { wrong, url: target.url };
}

describe('baseline', () => {
  it('lists what regressed, was fixed, changed, is new and was removed since the last pass', async () => {
    const { wrong, url } = await startFickleTarget();
    const rows = numberedRows(10);
    const folder = await makeFolder({
      'eval.json': httpEval(url, { thresholds: { pass_rate: 0.5, fail_on_regression: true } }),
      'rows.jsonl': rows,
    });
    wrong.add('q1').add('q2');
    const first = await runHere(folder, '--json');
    expect(first.code).toBe(0);
    expect(summaryOf(first).baseline).toBeNull();

    wrong.delete('q1');
    wrong.add('q3');
    const changed = rows.slice(0, 9).map((row) => (row.id === 'row-5' ? { ...row, expected: 'a' } : row));
    changed.push({ id: 'row-new', input: 'q77', expected: 'a77' });
    writeFileSync(join(folder, 'rows.jsonl'), changed.map((row) => JSON.stringify(row)).join('\n'));
    const second = await runHere(folder);
    expect(second.code).toBe(1);
    for (const line of [
      /1 regressed +row-3/,
      /1 fixed +row-1/,
      /1 changed +row-5/,
      /1 removed +row-9/,
      /1 new/,
      /1 still failing +row-2/,
    ]) {
      expect(second.stdout).toMatch(line);
    }
    expect(second.stdout).toMatch(/gate: FAIL {2}1 of 8 rows passed in the baseline and fail now/);
    const third = await runHere(folder, '--json', '--baseline', 'none');
    expect(third.code).toBe(0);
    expect(summaryOf(third).baseline).toBeNull();
  });

  it('compares with the last run that passed, not with the last run', async () => {
    const { wrong, url } = await startFickleTarget();
    const folder = await makeFolder({ 'eval.json': httpEval(url), 'rows.jsonl': numberedRows(4) });
    const passed = summaryOf(await runHere(folder, '--json'));
    wrong.add('q0');
    expect((await runHere(folder, '--json')).code).toBe(1);
    const third = summaryOf(await runHere(folder, '--json'));
    expect(third.baseline).toMatchObject({ run_id: passed.run_id, regressed: ['row-0'] });
  });

  it('compares with the run that is named, whatever its gate', async () => {
    const { wrong, url } = await startFickleTarget();
    const folder = await makeFolder({ 'eval.json': httpEval(url), 'rows.jsonl': numberedRows(4) });
    wrong.add('q0');
    const failed = summaryOf(await runHere(folder, '--json'));
    wrong.clear();
    const fixed = summaryOf(await runHere(folder, '--json', '--baseline', failed.run_id));
    expect(fixed.baseline).toMatchObject({ run_id: failed.run_id, fixed: ['row-0'], regressed: [] });
  });

  it('compares with the run that was promoted, until another is', async () => {
    const { wrong, url } = await startFickleTarget();
    const folder = await makeFolder({
      'eval.json': httpEval(url, { baseline: 'pinned' }),
      'rows.jsonl': numberedRows(4),
    });
    const dir = ['--dir', join(folder, '.assay')];
    const first = summaryOf(await runHere(folder, '--json'));
    expect(first.baseline).toBeNull();
    wrong.add('q0');
    const second = summaryOf(await runHere(folder, '--json'));
    expect((await assayHere(['baseline', 'promote', first.run_id, ...dir])).code).toBe(0);
    expect(summaryOf(await runHere(folder, '--json')).baseline).toMatchObject({
      run_id: first.run_id,
      regressed: ['row-0'],
    });
    const refused = await assayHere(['baseline', 'promote', second.run_id, ...dir]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/is failed \(--force/) });
    expect((await assayHere(['baseline', 'promote', second.run_id, '--force', ...dir])).stdout).toContain('forced');
    expect(summaryOf(await runHere(folder, '--json')).baseline?.run_id).toBe(second.run_id);
    const shown = await assayHere(['baseline', 'show', first.eval, '--json', ...dir]);
    expect(JSON.parse(shown.stdout)).toMatchObject([
      { run_id: second.run_id, previous_run_id: first.run_id },
      { forced: false },
    ]);
    const diff = await assayHere(['diff', first.run_id, second.run_id, '--json', ...dir]);
    expect(JSON.parse(diff.stdout)).toMatchObject({ regressed: [{ row_id: 'row-0', from: 1, to: 0 }], same: 4 });
  });

  it('compares with the last pass of the same branch, when told to', async () => {
    const target = await startTarget(rightAnswer);
    const config = httpEval(target.url, { baseline: 'last-pass:same-ref' });
    const folder = await makeFolder({ 'eval.json': config, 'rows.jsonl': numberedRows(2) });
    const on = async (ref: string) => summaryOf(await runHere(folder, '--json', '--ref', ref));
    const first = await on('refs/heads/feature');
    expect((await on('main')).baseline).toBeNull();
    expect((await on('feature')).baseline?.run_id).toBe(first.run_id);
  });

  it.each([
    { name: 'damaged', damage: (path: string) => writeFileSync(path, 'no gzip') },
    { name: 'gone', damage: (path: string) => rmSync(path) },
  ])('says what to do when the outcomes of the baseline are $name', async ({ damage }) => {
    const target = await startTarget(rightAnswer);
    const folder = await makeFolder({ 'eval.json': httpEval(target.url), 'rows.jsonl': numberedRows(4) });
    const first = summaryOf(await runHere(folder, '--json'));
    damage(runFile(folder, first.run_id, 'outcomes.jsonl.gz'));
    const ended = await runHere(folder);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('outcomes.jsonl.gz');
    expect(ended.stderr).toContain('--baseline none');
    expect(ended.stderr).not.toContain('    at ');
    const runId = /assay run --resume (r-\w+)/.exec(ended.stderr)?.[1] ?? '';
    const dir = ['--dir', join(folder, '.assay')];
    expect((await assayHere(['run', '--resume', runId, '--baseline', 'none', ...dir])).code).toBe(0);
    expect(target.requests).toHaveLength(8);
  });

  it.each(['r-01M8PXPVVHQ7KA4ZTE53V7N4D7', 'yesterday'])(
    'refuses the baseline %s before a row is asked',
    async (baseline) => {
      const target = await startTarget(rightAnswer);
      const folder = await makeFolder({ 'eval.json': httpEval(target.url), 'rows.jsonl': numberedRows(4) });
      const ended = await runHere(folder, '--baseline', baseline);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain(`"${baseline}"`);
      expect(target.requests).toHaveLength(0);
      expect(runIds(folder)).toEqual([]);
    },
  );
});

describe('judges by flag', () => {
  const metrics = {
    type: 'metrics',
    metrics: ['correctness', 'relevance'],
    judge: { type: 'lexical' },
    canaries: false,
  };

  it('replays the verdicts of a former run on the same answers, and judges no other', async () => {
    const { wrong, url } = await startFickleTarget();
    const folder = await makeFolder({ 'eval.json': httpEval(url, metrics), 'rows.jsonl': numberedRows(4) });
    const first = summaryOf(await runHere(folder, '--json'));
    expect(first.score).not.toBeNull();
    const replayed = summaryOf(await runHere(folder, '--json', '--judge-from', first.run_id));
    expect(replayed.judges).toMatchObject([{ type: 'recorded', is_model: false }]);
    expect(replayed.metrics).toEqual(first.metrics);
    expect(replayed.gate).toBe(first.gate);

    wrong.add('q2');
    const other = summaryOf(await runHere(folder, '--json', '--judge-from', first.run_id));
    expect(other.counts).toMatchObject({ scored: 3, judge_error: 1 });
    expect(other.gate).toBe('error');
    const [, , lastRun = ''] = runIds(folder);
    const unjudged = readResults(folder, lastRun).find((result) => result.status === 'judge_error');
    expect(unjudged?.error).toContain('no verdict on this answer');
  });

  it('refuses to replay a run that does not exist before a row is asked', async () => {
    const target = await startTarget(rightAnswer);
    const folder = await makeFolder({ 'eval.json': httpEval(target.url, metrics), 'rows.jsonl': numberedRows(4) });
    const ended = await runHere(folder, '--judge-from', 'r-01M8PXPVVHQ7KA4ZTE53V7N4D7');
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('there is no run "r-01M8PXPVVHQ7KA4ZTE53V7N4D7" to replay');
    expect(target.requests).toHaveLength(0);
  });

  it('asks an OpenAI-compatible server, and counts its tokens', async () => {
    const target = await startTarget(rightAnswer);
    const verdict = { correctness: { score: 0.9, reason: 'agrees' }, relevance: { score: 1, reason: 'on topic' } };
    const judge = new JsonStub(() => ({
      status: 200,
      body: {
        choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: JSON.stringify(verdict) } }],
        usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
      },
    }));
    const judgeUrl = `${await judge.listen()}/v1`;
    cleanUp(() => judge.close());
    const folder = await makeFolder({ 'eval.json': httpEval(target.url, metrics), 'rows.jsonl': numberedRows(5) });
    const ended = await runHere(folder, '--json', '--judge-url', judgeUrl, '--judge-model', 'some-model');
    expect(ended.code).toBe(0);
    const summary = summaryOf(ended);
    expect(summary.judges).toEqual([{ id: 'some-model', type: 'openai', model: 'some-model', is_model: true }]);
    expect(summary.metrics).toMatchObject({ correctness: { mean: 0.9, n: 5 }, relevance: { mean: 1, n: 5 } });
    expect(summary.score).toBeCloseTo(0.95, 12);
    expect(summary.cost.tokens).toMatchObject({ judge: { input: 500, output: 100 } });
    expect(judge.requests).toHaveLength(5);
    expect(judge.requests[0]?.path).toBe('/v1/chat/completions');
  });

  it('ends with an error, after few calls, when the judge never gives a verdict', async () => {
    const target = await startTarget(rightAnswer);
    const judge = new JsonStub(() => ({
      status: 200,
      body: { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'I like it.' } }] },
    }));
    const judgeUrl = `${await judge.listen()}/v1`;
    cleanUp(() => judge.close());
    const folder = await makeFolder({ 'eval.json': httpEval(target.url, metrics), 'rows.jsonl': numberedRows(200) });
    const ended = await runHere(folder, '--json', '--judge-url', judgeUrl, '--judge-model', 'some-model');
    expect(ended.code).toBe(2);
    const summary = summaryOf(ended);
    expect(summary.gate).toBe('error');
    expect(summary.counts.results).toBe(200);
    expect(summary.counts.judge_error).toBeGreaterThanOrEqual(8);
    expect(judge.requests.length).toBeLessThan(40);
    expect(summary.stopped?.why).toContain('the judge failed 8 rows before grading any');
  });
});

describe('several targets and trials', () => {
  it('asks each target for each trial, shows each apart and takes the worst', async () => {
    const [good, bad] = await Promise.all([
      startTarget(rightAnswer),
      startTarget((question) => (question === 'q1' ? 'no' : rightAnswer(question))),
    ]);
    const body_template = { question: '{{input}}' };
    const folder = await makeFolder({
      'eval.json': httpEval(good.url, {
        targets: [
          { id: 'good', url: good.url, body_template, response_path: 'answer' },
          { id: 'bad', url: bad.url, body_template, response_path: 'answer' },
        ],
        thresholds: { pass_rate: 0.7 },
      }),
      'rows.jsonl': numberedRows(4),
    });
    const ended = await runHere(folder, '--json', '--trials', '3');
    expect(ended.code).toBe(0);
    const summary = summaryOf(ended);
    expect(summary.counts).toMatchObject({ rows: 4, results: 24, passed: 3, failed: 1 });
    expect(summary.targets).toMatchObject([
      { id: 'good', pass_rate: 1, score: 1 },
      { id: 'bad', pass_rate: 0.75, score: 0.75 },
    ]);
    expect(summary.pass_rate).toBe(0.75);
    expect([good.requests.length, bad.requests.length]).toEqual([12, 12]);
  });

  it('calls a row flaky whose trials disagree', async () => {
    const asked: string[] = [];
    const target = await startTarget((question) => {
      asked.push(question);
      const isSecondTry = asked.filter((before) => before === 'q1').length === 2;
      return question === 'q1' && isSecondTry ? 'no' : rightAnswer(question);
    });
    const folder = await makeFolder({
      'eval.json': httpEval(target.url, { concurrency: 1 }),
      'rows.jsonl': numberedRows(4),
    });
    const ended = await runHere(folder, '--json', '--trials', '3');
    expect(ended.code).toBe(1);
    expect(summaryOf(ended).counts).toMatchObject({ flaky: 1, passed: 3 });
  });

  it('goes on with the target that answers when the other is down, and fails closed', async () => {
    const target = await startTarget(rightAnswer);
    const folder = await makeFolder({
      'eval.json': httpEval(target.url, {
        targets: [
          { id: 'up', url: target.url, body_template: { question: '{{input}}' }, response_path: 'answer' },
          { id: 'down', url: 'http://127.0.0.1:1/' },
        ],
      }),
      'rows.jsonl': numberedRows(40),
    });
    const ended = await runHere(folder, '--json');
    expect(ended.code).toBe(2);
    expect(target.requests).toHaveLength(40);
    expect(summaryOf(ended)).toMatchObject({ gate: 'error', counts: { results: 80 } });
    expect(summaryOf(ended).targets[0]).toMatchObject({ id: 'up', pass_rate: 1 });
  });
});
