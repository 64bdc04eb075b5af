import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readText } from '../../src/core/read-text.ts';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { Faults } from './support/faults.ts';
import { type StubReply, type StubTarget, startStubTarget } from './support/stub-target.ts';

const faults = new Faults();
let behave: (question: string, call: number, path: string) => StubReply;
let target: StubTarget;
let cloud: Cloud;
beforeAll(async () => {
  target = await startStubTarget((question, call, path) => behave(question, call, path));
  cloud = await Cloud.start({ wrapFunctions: faults.wrapFunctions });
});
afterAll(async () => {
  await cloud.stop();
  await target.close();
});
beforeEach(() => {
  faults.disarm();
  target.reset();
  behave = (question, _, path) => ({ answer: path === '/wrong' ? 'no idea' : rightAnswer(question) });
});

const http = (url: string, more: object = {}) => ({
  targets: [
    { type: 'http', url, body_template: { question: '{{input}}' }, response_path: 'answer', retries: 0, ...more },
  ],
});

async function prepared(evals: readonly Record<string, unknown>[] = [{}], rows = 10): Promise<string> {
  const project = await cloud.project();
  await cloud.putDataset(project, 'faq', qaRows(rows));
  for (const config of evals) await cloud.putEval(project, qaEval(target.url, config));
  return project;
}

/** All answers wait until it is called. */
function hold(): () => void {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  behave = (question, _, path) => ({
    answer: rightAnswer(question),
    ...(path === '/held' ? { after: until } : {}),
  });
  return release;
}

describe('the gate of a webhook call', () => {
  it('is pending right after the call, which answers before the run ends, and never a 404', async () => {
    const release = hold();
    const project = await prepared([http(`${target.url}/held`)]);
    const started = await cloud.trigger(project);
    expect(started.status_url).toMatch(/^\/api\/gates\//);
    expect((await cloud.gate(project, started)).gate).toBe('pending');
    release();
    expect((await cloud.finalGate(project, started)).gate).toBe('pass');
  });

  it.each([
    { name: 'all passed', evals: ['/', '/'], gate: 'pass' },
    { name: 'one failed', evals: ['/', '/wrong'], gate: 'fail' },
    { name: 'one could not decide', evals: ['/', 'http://127.0.0.1:9'], gate: 'error' },
  ])('covers two evals: $name → $gate', async ({ evals, gate }) => {
    const project = await prepared(
      evals.map((path, n) => ({ name: `e${n}`, ...http(path.startsWith('/') ? target.url + path : path) })),
    );
    const run = await cloud.run(project);
    expect(run.gate.gate).toBe(gate);
    expect(run.gate.runs).toHaveLength(2);
  });

  it('stays pending while one of two evals runs', async () => {
    const release = hold();
    const project = await prepared([
      { name: 'quick', ...http(target.url) },
      { name: 'held', ...http(`${target.url}/held`) },
    ]);
    const started = await cloud.trigger(project);
    const quick = started.runs.find((run) => run.eval === 'quick')?.run_id ?? '';
    while ((await cloud.stack.ports.registry.getRun(quick))?.status !== 'passed') await moment();
    expect((await cloud.gate(project, started)).gate).toBe('pending');
    release();
    expect((await cloud.finalGate(project, started)).gate).toBe('pass');
  });

  it('a failing eval in quarantine runs and does not decide', async () => {
    const project = await prepared([
      { name: 'good' },
      { name: 'bad', quarantined: true, ...http(`${target.url}/wrong`) },
    ]);
    const { gate } = await cloud.run(project);
    expect(gate.gate).toBe('pass');
    expect(gate.runs.map(({ status }) => status).sort()).toEqual(['failed', 'passed']);
  });

  it('is refused where there is nothing to run', async () => {
    const project = await cloud.project();
    const headers = { 'x-webhook-secret': cloud.secret(project) };
    const reply = await cloud.call('POST', `/api/runs/webhook/${project}`, {}, headers);
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({ code: 'nothing-to-run', gate: 'error' });
  });

  it('keeps the verdict and the mark of its time when the threshold is raised later', async () => {
    behave = (question) => ({ answer: question === 'question 1' ? 'no idea' : rightAnswer(question) });
    const project = await prepared([{ thresholds: { pass_rate: 0.8 } }]);
    const { gate, started, runId } = await cloud.run(project);
    expect(gate.gate).toBe('pass'); // 9 of 10
    await cloud.putEval(project, qaEval(target.url, { thresholds: { pass_rate: 0.95 } }));
    expect(await cloud.gate(project, started)).toEqual(gate);
    expect((await cloud.summary(project, runId)).decision.reasons).toMatchObject([{ limit: 0.8 }]);
    expect((await cloud.run(project)).gate.gate).toBe('fail');
  });

  it('becomes an error when the execution ran out of time', async () => {
    const release = hold();
    const project = await prepared([http(`${target.url}/held`)]);
    const started = await cloud.trigger(project);
    const runId = started.runs[0]?.run_id ?? '';
    faults.arm({ at: 'fail-run', when: 'before', times: 3 });
    await cloud.stack.workflow.stop(runId, 'time');
    await cloud.stack.workflow.settled(runId);
    faults.disarm();
    const detail = {
      executionArn: `arn:x:${runId}`,
      name: runId,
      status: 'TIMED_OUT',
      error: 'States.Timeout',
      cause: null,
    };
    await cloud.stack.host.deliver('fail-run', { detail });
    const gate = await cloud.gate(project, started);
    expect(gate.gate).toBe('error');
    expect(gate.reasons.join()).toContain('ran out of time');
    release();
  });

  it('is unknown under an unknown id, one of another project, and no id at all', async () => {
    const project = await prepared();
    const other = await prepared();
    const started = await cloud.trigger(project);
    await cloud.finalGate(project, started);
    const headers = { 'x-webhook-secret': cloud.secret(other) };
    for (const path of [
      started.status_url,
      '/api/gates/g-01M8PYFAYM1B26GGCHXN4WDGZV',
      '/api/gates/..%2F..%2Fsecrets',
      '/api/gates/%2E',
    ]) {
      const reply = await cloud.call('GET', path, undefined, headers);
      expect([400, 404]).toContain(reply.status);
      expect(JSON.stringify(reply.body)).not.toContain('pass');
    }
  });
});

describe('deliveries', () => {
  it('the same key twice, at once and later, is one run and the same answer', async () => {
    const project = await prepared();
    const headers = { 'idempotency-key': 'delivery-1' };
    const [first, second] = await Promise.all([
      cloud.trigger(project, {}, headers),
      cloud.trigger(project, {}, headers),
    ]);
    await cloud.finalGate(project, first);
    await cloud.stack.workflow.settled(first.runs[0]?.run_id ?? '');
    const third = await cloud.trigger(project, {}, headers);
    expect([second.status_url, third.status_url]).toEqual([first.status_url, first.status_url]);
    expect(target.total()).toBe(10);
    const trend = await cloud.call('GET', `/api/evals/${project}.faq/trend`);
    expect(trend.body.items).toHaveLength(1);
  });

  it('without a key each call is a new intention, whatever its body', async () => {
    const project = await prepared();
    const first = await cloud.trigger(project, { triggered_by: 'ci' });
    await cloud.finalGate(project, first);
    const second = await cloud.trigger(project, { triggered_by: 'ci' });
    expect(second.status_url).not.toBe(first.status_url);
    await cloud.finalGate(project, second);
    expect(target.total()).toBe(20);
  });
});

describe('guards of a whole run', () => {
  it('a dead target costs eight requests, no judge, and no pass', async () => {
    const project = await prepared([{ ...http('http://127.0.0.1:9'), concurrency: 4 }], 100);
    const { gate, runId } = await cloud.run(project);
    expect(gate.gate).toBe('error');
    const { counts } = await cloud.summary(project, runId);
    expect(counts).toMatchObject({ target_error: 8, skipped: 92, results: 100 });
    expect(await cloud.results(runId)).toHaveLength(100);
    const page = await cloud.call('GET', `/api/datasets/runs/${runId}/results?failed_only=true&limit=500`);
    expect(page.body.items).toHaveLength(100);
  });

  it('a time budget stops the run, says after how many rows, and is no pass', async () => {
    behave = (question) => ({ answer: rightAnswer(question), delayMs: 150 });
    const project = await prepared([{ time_budget_s: 1, concurrency: 4 }], 200);
    const { gate, runId } = await cloud.run(project);
    expect(gate.gate).not.toBe('pass');
    expect(gate.reasons.join()).toMatch(/stopped after \d+ of 200 rows \(time budget reached\)/);
    const { counts } = await cloud.summary(project, runId);
    expect(counts.results).toBe(200);
    expect(counts.skipped).toBeGreaterThan(100);
  });

  it('a hard cost cap stops it within the rows in flight, and is no pass', async () => {
    behave = (question) => ({ answer: rightAnswer(question), more: { cost: 0.01 } });
    const config = { ...http(target.url, { cost_path: 'cost' }), max_cost_usd_hard: 0.05, concurrency: 4 };
    const project = await prepared([config], 20);
    const { gate, runId } = await cloud.run(project);
    expect(gate.gate).not.toBe('pass');
    expect(gate.reasons.join()).toMatch(/cost/);
    const { cost, counts } = await cloud.summary(project, runId);
    expect(cost.total_usd).toBeGreaterThanOrEqual(0.01);
    expect(cost.total_usd).toBeLessThanOrEqual(0.09);
    expect(counts.results).toBe(20);
  });

  it('a run is compared with the last pass of its eval', async () => {
    const project = await prepared([{ thresholds: { pass_rate: 0.5, fail_on_regression: true } }]);
    const first = await cloud.run(project);
    expect(first.gate.gate).toBe('pass');
    behave = (question) => ({ answer: question === 'question 4' ? 'no idea' : rightAnswer(question) });
    const second = await cloud.run(project);
    expect(second.gate.gate).toBe('fail');
    const { baseline } = await cloud.summary(project, second.runId);
    expect(baseline).toMatchObject({ run_id: first.runId, same: 10, regressed: ['row-4'] });
    const report = await cloud.stack.ports.runs(project).read(second.runId, 'report.html');
    const page = report === null ? '' : await readText(report);
    expect(page).toMatch(/data-row="row-4".*Baseline answer.*answer 4.*New answer.*no idea/s);
    expect(page).toContain('Pass rate of the last 2 runs: 100%, passed; 90%, failed');
  });
});

function moment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}
