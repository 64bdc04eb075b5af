import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveredEvent } from '../../src/adapters/local/file-run-events.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { runFinishedEvent } from '../../src/core/run-finished/run-finished.ts';
import { RunFinishedSchema } from '../../src/core/schemas/run-finished.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { Faults } from './support/faults.ts';
import { type StubReply, type StubTarget, startStubTarget } from './support/stub-target.ts';

const ROWS = 8;
const SECRET = 'a-secret-of-the-bot-4711';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const faults = new Faults();
/** How far the wall clock of the stack is ahead. */
let laterMs = 0;
const clock: Clock = { ...systemClock, now: () => systemClock.now() + laterMs };
/** Executions between their start and their end, as the interpreter tells of them. */
const active = new Set<string>();
let mostAtOnce = 0;
const began: string[] = [];
let behave: (question: string) => StubReply;
let target: StubTarget;
let cloud: Cloud;
beforeAll(async () => {
  target = await startStubTarget((question) => behave(question));
  cloud = await Cloud.start({
    clock,
    env: { BOT_KEY: SECRET },
    wrapFunctions: faults.wrapFunctions,
    wrapPorts: faults.wrapPorts,
    onEvent: ({ type, execution }) => {
      if (type === 'ExecutionStarted') {
        active.add(execution);
        began.push(execution);
        mostAtOnce = Math.max(mostAtOnce, active.size);
      } else if (/^Execution(Succeeded|Failed|TimedOut|Aborted)$/.test(type)) active.delete(execution);
    },
  });
});
afterAll(async () => {
  await cloud.stop();
  await target.close();
});
beforeEach(() => {
  faults.disarm();
  target.reset();
  active.clear();
  mostAtOnce = 0;
  began.length = 0;
  behave = (question) => ({ answer: rightAnswer(question) });
});

async function prepared(limit: number, evals: readonly string[] = ['a', 'b'], more = {}): Promise<string> {
  const project = await cloud.project({ max_concurrent_runs: limit });
  await cloud.putDataset(project, 'faq', qaRows(ROWS));
  for (const name of evals) await cloud.putEval(project, qaEval(target.url, { name, ...more }));
  return project;
}

function hold(): () => void {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  behave = (question) => ({ answer: rightAnswer(question), after: until });
  return release;
}

async function events(): Promise<DeliveredEvent[]> {
  const text = await readFile(join(cloud.folder, 'events.jsonl'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as DeliveredEvent);
}
const eventsOf = async (runIds: readonly string[]) =>
  (await events()).filter(({ detail }) => runIds.includes(detail.run_id));

describe('a project that runs one at a time', () => {
  it('three deliveries of two evals: never two executions at once, in order, all to their end', async () => {
    const release = hold();
    const project = await prepared(1);
    const gates = [];
    for (let delivery = 0; delivery < 3; delivery += 1) gates.push(await cloud.trigger(project));
    const runIds = gates.flatMap(({ runs }) => runs.map(({ run_id }) => run_id));
    expect(runIds).toHaveLength(6);
    const last = await cloud.gate(project, gates[2] as (typeof gates)[0]);
    expect(last).toMatchObject({ gate: 'pending', runs: [{ status: 'queued' }, { status: 'queued' }] });
    expect(last.runs[1]?.message).toBe('waiting for a free slot (1 of 1 runs active, 4 before it in the queue)');
    release();
    for (const gate of gates) expect((await cloud.finalGate(project, gate)).gate).toBe('pass');
    for (const runId of runIds) await cloud.stack.workflow.settled(runId);
    expect(began).toEqual(runIds);
    expect(mostAtOnce).toBe(1);
    expect(target.total()).toBe(6 * ROWS);
    expect(await cloud.stack.ports.slots.read(project)).toEqual({ active: [], waiting: [] });
  });

  it('deliveries at once, some of them twice, make no more executions than that', async () => {
    const project = await prepared(2);
    const keys = ['k1', 'k2', 'k3', 'k1', 'k2'];
    const gates = await Promise.all(keys.map((key) => cloud.trigger(project, {}, { 'idempotency-key': key })));
    for (const gate of gates) expect((await cloud.finalGate(project, gate)).gate).toBe('pass');
    expect(new Set(gates.map(({ gate_run_id }) => gate_run_id)).size).toBe(3);
    expect(began).toHaveLength(6);
    expect(new Set(began).size).toBe(6);
    expect(mostAtOnce).toBeLessThanOrEqual(2);
  });

  it('a run that breaks gives its slot on', async () => {
    const project = await prepared(1);
    faults.arm({ at: 'prepare-run', when: 'before', times: 7 });
    const started = await cloud.trigger(project);
    const gate = await cloud.finalGate(project, started);
    expect(gate.runs.map(({ status }) => status)).toEqual(['error', 'passed']);
    expect(mostAtOnce).toBe(1);
  });

  it('a freed slot that nobody was told of is found by the sweep', async () => {
    const project = await prepared(1);
    faults.arm({ at: 'sweep-runs', when: 'before', times: 3 });
    const started = await cloud.trigger(project);
    const [first = '', second = ''] = started.runs.map(({ run_id }) => run_id);
    await cloud.stack.workflow.settled(first);
    expect(began).toEqual([first]);
    expect((await cloud.gate(project, started)).gate).toBe('pending');
    await cloud.stack.host.deliver('sweep-runs', {});
    expect((await cloud.finalGate(project, started)).gate).toBe('pass');
    expect(began).toEqual([first, second]);
  });

  it('time in the queue is no time of the run', async () => {
    const release = hold();
    const project = await prepared(1, ['a'], { time_budget_s: 600 });
    const first = await cloud.trigger(project);
    const second = await cloud.trigger(project);
    laterMs += 3_600_000;
    behave = (question) => ({ answer: rightAnswer(question) });
    release();
    await cloud.finalGate(project, first);
    expect((await cloud.finalGate(project, second)).gate).toBe('pass');
    const { counts } = await cloud.summary(project, second.runs[0]?.run_id ?? '');
    expect(counts).toMatchObject({ scored: ROWS, skipped: 0 });
  });
});

describe('a job that waits for a gate behind another', () => {
  const scripts = [
    { name: 'the CI script', run: ['action/gate.mjs'] },
    { name: 'assay trigger --wait', run: ['bin/assay.js', 'trigger', '--wait', '--project'] },
  ];

  it.each(scripts)('is told by $name that a slot is waited for, and ends with its own gate', async ({ run }) => {
    const release = hold();
    const project = await prepared(1, ['a']);
    const first = await cloud.trigger(project);
    const env = {
      PATH: process.env.PATH,
      ASSAY_URL: cloud.stack.url,
      ASSAY_TOKEN: cloud.stack.token,
      ASSAY_PROJECT: project,
      ASSAY_WEBHOOK_SECRET: cloud.secret(project),
      ASSAY_POLL_MS: '50',
    };
    const args = run.at(-1) === '--project' ? [...run, project] : run;
    const job = spawn(process.execPath, args, { cwd: ROOT, env });
    let printed = '';
    const told = new Promise<void>((resolve) => {
      for (const stream of [job.stdout, job.stderr]) {
        stream.on('data', (chunk) => {
          printed += String(chunk);
          if (printed.includes('a: waiting for a free slot (1 of 1 runs active)')) resolve();
        });
      }
    });
    const ended = new Promise<number | null>((resolve) => job.on('close', resolve));
    const code = await Promise.race([told, ended]);
    expect(code, printed).toBeUndefined();
    release();
    expect(await ended, printed).toBe(0);
    expect((await cloud.finalGate(project, first)).gate).toBe('pass');
  });
});

describe('Assay Run Finished', () => {
  it('is told of a run that passed and of one that failed, with what their summaries say', async () => {
    const project = await prepared(2, ['good', 'bad']);
    await cloud.putEval(project, qaEval(target.url, { name: 'bad', thresholds: { pass_rate: 1 } }));
    behave = (question) => ({ answer: question === 'question 1' ? 'no idea' : rightAnswer(question) });
    await cloud.putEval(project, qaEval(target.url, { name: 'good', thresholds: { pass_rate: 0.5 } }));
    const { started } = await cloud.run(project, { ref: 'refs/heads/main', sha: '4f2a9c1' });
    const told = await eventsOf(started.runs.map(({ run_id }) => run_id));
    expect(told.map(({ detail }) => [detail.eval, detail.status]).sort()).toEqual([
      ['bad', 'failed'],
      ['good', 'passed'],
    ]);
    for (const { detail, ...envelope } of told) {
      expect(envelope).toMatchObject({ source: 'assay', 'detail-type': 'Assay Run Finished' });
      expect(RunFinishedSchema.parse(detail)).toEqual(detail);
      const summary = await cloud.summary(project, detail.run_id);
      expect(detail).toMatchObject({
        stage: 'dev',
        attempt: 1,
        ref: 'refs/heads/main',
        score: summary.score,
        pass_rate: summary.pass_rate,
        message: summary.message,
        finished_at: summary.finished_at,
        decision: { policy_hash: summary.decision.policy_hash, reasons: summary.decision.reasons },
        figures: { counts: summary.counts, type: 'qa' },
      });
      const run = await cloud.stack.ports.registry.getRun(detail.run_id);
      expect(run?.announce_pending).toBe(false);
      if (run !== null) expect(runFinishedEvent(run, 'dev')).toEqual(detail);
    }
  });

  it.each([
    { name: 'was refused before it began', status: 'error', message: /could not start/ },
    { name: 'broke', at: 'aggregate-run runs.write summary.json', status: 'error', message: /workflow failed/ },
  ])('is told of a run that $name, and the table has its line', async ({ at, status, message }) => {
    const project = await prepared(2, ['a']);
    if (at === undefined) await cloud.expect(204, 'DELETE', `/api/datasets/${project}.faq`);
    else faults.arm({ at, when: 'before', times: Number.POSITIVE_INFINITY });
    const { runId } = await cloud.run(project);
    const [told, ...again] = await eventsOf([runId]);
    expect(again).toEqual([]);
    expect(told?.detail).toMatchObject({ status, gate: 'error', decision: null, figures: null, report_path: null });
    expect(told?.detail.message).toMatch(message);
    const run = await cloud.stack.ports.registry.getRun(runId);
    const key = `tables/runs/dt=${run?.started_at.slice(0, 10)}/${runId}.jsonl.gz`;
    expect(await cloud.stack.ports.objects.readRange(key, 0, 1)).not.toBeNull();
  });

  it('holds no secret, although a target puts one into what it answers', async () => {
    const project = await prepared(1, []);
    const headers = { authorization: 'Bearer {{secrets.BOT_KEY}}' };
    const [to] = qaEval(target.url).targets as Record<string, unknown>[];
    await cloud.putEval(project, qaEval(target.url, { name: 'a', targets: [{ ...to, headers }] }));
    behave = () => ({ status: 500, answer: '', more: { detail: `wrong key ${SECRET}` } });
    const { runId } = await cloud.run(project);
    const [told] = await eventsOf([runId]);
    expect(told?.detail).toMatchObject({ status: 'error', gate: 'error' });
    expect(JSON.stringify(told)).toContain('500');
    expect(JSON.stringify(told)).not.toContain(SECRET);
  });

  it('is told of each attempt of a run that is redriven', async () => {
    const project = await prepared(1, ['a']);
    faults.arm({ at: 'aggregate-run', when: 'before', times: Number.POSITIVE_INFINITY });
    const { runId, started } = await cloud.run(project);
    faults.disarm();
    await cloud.stack.workflow.redrive(runId);
    await cloud.stack.workflow.settled(runId);
    expect((await cloud.finalGate(project, started)).gate).toBe('pass');
    const told = (await eventsOf([runId])).map(({ detail }) => [detail.attempt, detail.status]);
    expect(told).toEqual([
      [1, 'error'],
      [2, 'passed'],
    ]);
  });

  it.each([
    { at: 'aggregate-run events.runFinished', when: 'before', times: 1 },
    { at: 'aggregate-run registry.markAnnounced', when: 'before', times: 1 },
    { at: 'aggregate-run registry.updateRun', when: 'after', times: 1 },
  ] as const)('is never lost, and no gate changes: $at fails $when it is done', async (fault) => {
    const project = await prepared(1, ['a']);
    faults.arm(fault);
    const { gate, runId } = await cloud.run(project);
    expect(gate.gate).toBe('pass');
    expect(faults.happened).toBe(1);
    // A minute later the sweep looks.
    laterMs += 61_000;
    await cloud.stack.host.deliver('sweep-runs', {});
    expect((await eventsOf([runId])).length).toBeGreaterThanOrEqual(1);
    expect((await cloud.stack.ports.registry.getRun(runId))?.announce_pending).toBe(false);
  });
});
