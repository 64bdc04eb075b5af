import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PRICES } from '../../src/core/cost/price-table.ts';
import { StorageError } from '../../src/core/errors.ts';
import type { LocalFunction } from '../../src/dev/lambda-host.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { LedgerStep, LedgerView, SpendAccount, SpendLedger } from '../../src/ports/spend-ledger.ts';
import { loadEval } from '../../src/runner/load-eval.ts';
import { resumeLocalRun, startLocalRun } from '../../src/runner/local-run.ts';
import { Workspace } from '../../src/runner/workspace.ts';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { Faults } from './support/faults.ts';
import { type StubConverse, startStubConverse } from './support/stub-converse.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

const MANY = 130;
const ROWS = 60;
/** 25 Lambdas with a row each in flight where there are many rows, 12 where there are not; five rows a batch. */
const WIDE = { concurrency: 25 };
const LIMITS = { maxBatches: 25, maxInFlight: 1 };
const NANO = 1e9;
const MODEL = 'us.amazon.nova-2-lite-v1:0';

// Each run has dozens of Lambdas.
vi.setConfig({ testTimeout: 60_000 });

const faults = new Faults();
/** Dollars that a question costs. */
let priceOf: (question: string, call: number) => number;
/** What the target was paid, whether or not anybody got the answer. */
let paidUsd = 0;
let behave: (question: string) => { answer: string; delayMs?: number };
let evaluating = 0;
let mostEvaluating = 0;
let ledgerCalls: string[] = [];
/** Whether a Lambda dies that holds so much and asks for more, or settles. */
let dies: ((held: number, part: number) => boolean) | null = null;
let target: StubTarget;
let converse: StubConverse;
let cloud: Cloud;

beforeAll(async () => {
  target = await startStubTarget((question, call) => {
    const cost = priceOf(question, call);
    paidUsd += cost;
    return { ...behave(question), more: { cost } };
  });
  converse = await startStubConverse(() => ({ usage: { inputTokens: 3_000, outputTokens: 100 } }));
  cloud = await Cloud.start({
    limits: LIMITS,
    bedrock: { kind: 'endpoint', url: converse.url },
    wrapPorts: (ports) => {
      const wrapped = faults.wrapPorts(ports);
      const clock = { ...wrapped.clock, sleep: hurried(wrapped.clock) };
      return { ...wrapped, clock, ledger: watched(wrapped.ledger) };
    },
    wrapFunctions: (functions) => {
      const wrapped = faults.wrapFunctions(functions);
      return { ...wrapped, 'evaluate-rows': counted(wrapped['evaluate-rows']) };
    },
  });
});
afterAll(async () => {
  await cloud.stop();
  await Promise.all([target.close(), converse.close()]);
});
beforeEach(() => {
  faults.disarm();
  faults.double = false;
  target.reset();
  paidUsd = 0;
  priceOf = () => 0.01;
  behave = (question) => ({ answer: rightAnswer(question), delayMs: 5 });
  evaluating = 0;
  mostEvaluating = 0;
  ledgerCalls = [];
  dies = null;
});

/** Who waits for money looks again every second or so; here twenty times as often. */
function hurried(clock: Clock): Clock['sleep'] {
  return (ms, signal) => clock.sleep(ms / 20, signal);
}

function counted({ handler, timeoutMs }: LocalFunction): LocalFunction {
  return {
    timeoutMs,
    handler: async (event, context) => {
      evaluating += 1;
      mostEvaluating = Math.max(mostEvaluating, evaluating);
      try {
        return await handler(event, context);
      } finally {
        evaluating -= 1;
      }
    },
  };
}

/** Notes the calls; a Lambda that dies makes no further one. */
function watched(ledger: SpendLedger): SpendLedger {
  return {
    async open(of, cap) {
      ledgerCalls.push('open');
      const account = await ledger.open(of, cap);
      let isDead = false;
      const step = async (made: LedgerStep) => {
        ledgerCalls.push('step');
        isDead ||= dies?.(account.held, of.part) === true;
        if (isDead) throw new StorageError('injected: the Lambda dies');
        return account.step(made);
      };
      return {
        get view() {
          return account.view;
        },
        get held() {
          return account.held;
        },
        step,
      } satisfies SpendAccount;
    },
  };
}

async function prepared(more: Record<string, unknown>, rows = ROWS): Promise<string> {
  const project = await cloud.project();
  await cloud.putDataset(project, 'faq', qaRows(rows));
  await cloud.putEval(project, qaEval(target.url, { ...WIDE, ...pricedTarget(), ...more }));
  return project;
}

function pricedTarget(more: object = {}) {
  const base = { type: 'http', url: target.url, body_template: { question: '{{input}}' }, retries: 0 };
  return { targets: [{ ...base, response_path: 'answer', cost_path: 'cost', ...more }] };
}

async function viewOf(runId: string): Promise<LedgerView> {
  const { view } = await cloud.stack.ports.ledger.open({ runId, part: 99_999_999 }, 1);
  return view;
}

/** What stands in the results adds up, whatever happened. */
async function expectAllRows(project: string, runId: string, rows = ROWS) {
  const results = await cloud.results(runId);
  expect(results.map(({ index }) => index)).toEqual(Array.from({ length: rows }, (_, n) => n));
  const { counts, cost, decision } = await cloud.summary(project, runId);
  expect(counts.results).toBe(rows);
  const { scored, target_error, judge_error, skipped } = counts;
  expect(scored + target_error + judge_error + skipped).toBe(rows);
  const skippedAs = new Set(results.filter(({ status }) => status === 'skipped').map(({ cause }) => cause));
  return { counts, cost: cost.total_usd ?? Number.NaN, decision, skippedAs };
}

describe('a cap that stops a run half way', () => {
  it('holds over 20 batches and more that run side by side, to the cent', async () => {
    const cap = 0.6;
    const project = await prepared({ max_cost_usd_hard: cap }, MANY);
    const { gate, runId } = await cloud.run(project);
    expect(mostEvaluating).toBeGreaterThanOrEqual(20);
    expect(gate.gate).toBe('error');
    expect(gate.reasons.join()).toContain('the hard cost cap was reached');
    const { counts, cost, skippedAs } = await expectAllRows(project, runId, MANY);
    expect(paidUsd).toBeLessThanOrEqual(cap + 1e-9);
    expect(cost).toBeCloseTo(paidUsd, 9);
    expect((await viewOf(runId)).spent / NANO).toBeCloseTo(paidUsd, 9);
    expect(skippedAs).toEqual(new Set(['cost cap']));
    // Each row is taken to cost up to twice the dearest seen: less than two rows' worth is left over.
    expect(counts.scored).toBeGreaterThanOrEqual(58);
    expect((await viewOf(runId)).committed).toBe((await viewOf(runId)).spent);
  });

  it('holds where prices of rows differ within what is reckoned with', async () => {
    const cap = 0.5;
    priceOf = (question) => 0.01 * (1 + (Number(question.split(' ')[1]) % 10) / 10);
    const project = await prepared({ max_cost_usd_hard: cap });
    const { gate, runId } = await cloud.run(project);
    expect(gate.gate).toBe('error');
    await expectAllRows(project, runId);
    expect(paidUsd).toBeLessThanOrEqual(cap + 1e-9);
    expect(paidUsd).toBeGreaterThan(0.45);
  });

  it('passes the cap by the rows in flight at most, where one row costs more than all before it told', async () => {
    const cap = 0.5;
    // Ten times the price from row 30 on: those that are in flight then have a bound of twice the old one.
    priceOf = (question) => (Number(question.split(' ')[1]) >= 30 ? 0.1 : 0.01);
    const project = await prepared({ max_cost_usd_hard: cap });
    const { runId } = await cloud.run(project);
    await expectAllRows(project, runId);
    const inFlight = LIMITS.maxBatches * LIMITS.maxInFlight;
    expect(paidUsd).toBeLessThanOrEqual(cap + inFlight * (0.1 - 0.02));
    expect((await viewOf(runId)).spent / NANO).toBeCloseTo(paidUsd, 9);
  });

  it('counts a judge of known price by what it can cost at most', async () => {
    const judge = { model: MODEL, max_tokens: 200 };
    const config = { scorers: ['judge'], judge, canaries: false, ...pricedTarget({ cost_path: undefined }) };
    const free = await prepared(config);
    const { runId: freeRun } = await cloud.run(free);
    const { cost: full } = await expectAllRows(free, freeRun);
    const cap = full / 2;
    const project = await prepared({ ...config, max_cost_usd_hard: cap });
    const { gate, runId } = await cloud.run(project);
    expect(gate.gate).toBe('error');
    expect(gate.reasons.join()).toContain('the hard cost cap was reached');
    const { cost, counts } = await expectAllRows(project, runId);
    expect(cost).toBeLessThanOrEqual(cap);
    // All but what one row can cost at most.
    expect(counts.scored).toBeGreaterThan(15);
    expect((await viewOf(runId)).spent / NANO).toBeCloseTo(cost, 6);
  });

  it('counts planted answers, too', async () => {
    // This judge finds every answer good, and is stopped for it before the first row.
    const config = { scorers: ['judge'], judge: { model: MODEL }, ...pricedTarget({ cost_path: undefined }) };
    const project = await prepared({ ...config, max_cost_usd_hard: 1 }, 20);
    const { runId } = await cloud.run(project);
    const { cost } = await cloud.summary(project, runId);
    expect(cost.total_usd).toBeGreaterThan(0);
    expect((await viewOf(runId)).spent / NANO).toBeCloseTo(cost.total_usd ?? 0, 6);
  });

  it('asks nothing where not even the planted answers may be paid', async () => {
    const config = { scorers: ['judge'], judge: { model: MODEL }, ...pricedTarget({ cost_path: undefined }) };
    const before = converse.total();
    const project = await prepared({ ...config, max_cost_usd_hard: 0.000_001 }, 20);
    const { gate, runId } = await cloud.run(project);
    expect(gate.gate).toBe('error');
    expect([converse.total() - before, target.total()]).toEqual([0, 0]);
    const { skippedAs, counts } = await expectAllRows(project, runId, 20);
    expect(skippedAs).toEqual(new Set(['cost cap']));
    expect(counts.skipped).toBe(20);
  });
});

describe('a cap that is high enough', () => {
  it.each([
    // 60 rows at a cent, and room for one more at twice that.
    { name: 'just', cap: 0.62 },
    { name: 'by far', cap: 1_000 },
  ])('$name refuses nothing, and the run passes', async ({ cap }) => {
    const project = await prepared({ max_cost_usd_hard: cap });
    const { gate, runId } = await cloud.run(project);
    expect(gate.gate).toBe('pass');
    const { counts } = await expectAllRows(project, runId);
    expect(counts.scored).toBe(ROWS);
    expect(target.total()).toBe(ROWS);
    expect(await viewOf(runId)).toMatchObject({ spent: 0.6 * NANO, committed: 0.6 * NANO, writtenOff: 0 });
  });

  it('costs about a write a row or fewer', async () => {
    const project = await prepared({ max_cost_usd_hard: 1_000 });
    await cloud.run(project);
    expect(ledgerCalls.length).toBeLessThan(ROWS);
  });
});

it('a run without a cap never asks for its ledger', async () => {
  const judged = {
    scorers: ['contains', 'judge'],
    judge: { model: MODEL },
    canaries: false,
    thresholds: { pass_rate: 0 },
  };
  const project = await prepared(judged);
  const { gate, runId } = await cloud.run(project);
  expect(gate.gate).toBe('pass');
  expect(ledgerCalls).toEqual([]);
  expect(await cloud.stack.ports.registry.getCounters(runId)).toMatchObject({ done: ROWS });
});

describe('a cap and batches that break', () => {
  it.each([0.3, 1_000])('Lambdas that die holding money: paid is at most $%d, rows add up', async (cap) => {
    const dead = new Set<number>();
    // Each of eight batches, once.
    dies = (held, part) => held > 0 && part > 0 && dead.size < 8 && !dead.has(part) && dead.add(part).size > 0;
    const project = await prepared({ max_cost_usd_hard: cap });
    const { gate, runId } = await cloud.run(project);
    expect(dead.size).toBeGreaterThan(2);
    expect(gate.gate).toBe(cap > 0.6 ? 'pass' : 'error');
    const { skippedAs } = await expectAllRows(project, runId);
    expect(skippedAs).toEqual(new Set(cap > 0.6 ? [] : ['cost cap']));
    expect(paidUsd).toBeLessThanOrEqual(cap + 1e-9);
    const { spent, committed, writtenOff } = await viewOf(runId);
    expect(committed).toBe(spent);
    expect(writtenOff).toBeGreaterThan(0);
    expect(spent / NANO).toBeGreaterThanOrEqual(paidUsd - 1e-9);
    expect(spent / NANO).toBeLessThanOrEqual(cap);
  });

  it('parts that cannot be written at first are asked again, and paid within the cap', async () => {
    const failed = new Set<unknown>();
    faults.armWhen((label, [, part]) => {
      if (label !== 'evaluate-rows parts.write' || failed.has(part) || failed.size === 6) return false;
      return failed.add(part).size > 0;
    });
    const cap = 0.3;
    const project = await prepared({ max_cost_usd_hard: cap });
    const { gate, runId } = await cloud.run(project);
    expect(failed.size).toBe(6);
    expect(gate.gate).toBe('error');
    const { cost } = await expectAllRows(project, runId);
    expect(paidUsd).toBeLessThanOrEqual(cap + 1e-9);
    expect((await viewOf(runId)).spent / NANO).toBeCloseTo(paidUsd, 9);
    // What was lost and asked again was paid twice, and stands in the results once.
    expect(cost).toBeLessThan(paidUsd);
  });

  it('every batch delivered twice at once pays twice, within the cap', async () => {
    faults.double = true;
    const cap = 0.3;
    const project = await prepared({ max_cost_usd_hard: cap });
    const { gate, runId } = await cloud.run(project);
    expect(gate.gate).toBe('error');
    expect(paidUsd).toBeLessThanOrEqual(cap + 1e-9);
    expect(paidUsd).toBeGreaterThan(cap / 4);
    const { spent, committed } = await viewOf(runId);
    expect(spent / NANO).toBeGreaterThanOrEqual(paidUsd - 1e-9);
    expect(committed).toBe(spent);
    expect((await cloud.summary(project, runId)).counts.results).toBe(ROWS);
  });

  it('a redrive goes on with what was spent', async () => {
    const cap = 0.4;
    // One batch breaks for good, after a while: the execution fails.
    faults.armWhen((label, args) => label === 'evaluate-rows parts.write' && Number(args[1]) >= 30);
    const project = await prepared({ max_cost_usd_hard: cap });
    const { gate, runId } = await cloud.run(project);
    expect(gate.gate).toBe('error');
    const before = paidUsd;
    const { spent } = await viewOf(runId);
    expect(spent / NANO).toBeGreaterThanOrEqual(before - 1e-9);
    faults.disarm();
    await cloud.stack.workflow.redrive(runId);
    await cloud.stack.workflow.settled(runId);
    await expectAllRows(project, runId);
    expect(paidUsd).toBeGreaterThanOrEqual(before);
    expect(paidUsd).toBeLessThanOrEqual(cap + 1e-9);
  });
});

describe('the same cap on this machine', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-cap-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function locally(cap: number) {
    const rows = qaRows(ROWS).map((row) => JSON.stringify(row));
    await writeFile(join(folder, 'rows.jsonl'), rows.join('\n'));
    const config = qaEval(target.url, { ...WIDE, ...pricedTarget(), max_cost_usd_hard: cap, dataset: 'rows.jsonl' });
    await writeFile(join(folder, 'eval.json'), JSON.stringify(config));
    const workspace = new Workspace(join(folder, '.assay'));
    const context = { workspace, prices: PRICES, ref: null, sha: null, cancel: new AbortController().signal };
    const { summary } = await startLocalRun(await loadEval(join(folder, 'eval.json')), context);
    return { summary, resume: () => resumeLocalRun(summary.run_id, context) };
  }

  it('means the same as deployed', async () => {
    const cap = 0.3;
    const { summary } = await locally(cap);
    const paidLocally = paidUsd;
    expect(paidLocally).toBeLessThanOrEqual(cap + 1e-9);
    const project = await prepared({ max_cost_usd_hard: cap });
    const { runId } = await cloud.run(project);
    const deployed = await cloud.summary(project, runId);
    expect(summary.counts.results).toBe(ROWS);
    expect(summary.counts).toEqual(deployed.counts);
    expect(summary.decision.reasons).toEqual(deployed.decision.reasons);
    expect(summary.status).toBe(deployed.status);
    for (const { stopped } of [summary, deployed]) expect(stopped?.why).toContain('hard cost cap of $0.3 reached');
  });

  it('holds over an interrupted run and what goes on with it', async () => {
    const { summary, resume } = await locally(0.3);
    const before = paidUsd;
    const { summary: after } = await resume();
    expect(paidUsd).toBe(before);
    expect(after.counts).toEqual(summary.counts);
    expect(after.decision.reasons).toEqual(summary.decision.reasons);
  });
});
