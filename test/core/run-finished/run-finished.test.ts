import { describe, expect, it } from 'vitest';
import { runFinishedEvent } from '../../../src/core/run-finished/run-finished.ts';
import type { RunFigures } from '../../../src/core/schemas/run-figures.ts';
import { RunFinishedSchema } from '../../../src/core/schemas/run-finished.ts';
import type { Decision } from '../../../src/core/schemas/summary.ts';
import { aRun, HOSTILE_TEXTS, RUN_ID } from '../../contracts/samples.ts';

const figures: RunFigures = {
  type: 'qa',
  dataset: { id: 'faq', version: 'a'.repeat(64) },
  counts: {
    rows: 40,
    passed: 35,
    failed: 5,
    flaky: 0,
    results: 40,
    scored: 40,
    target_error: 0,
    judge_error: 0,
    skipped: 0,
  },
  coverage: 1,
  p95_ms: 812,
  cost: { total_usd: 0.12, target_usd: 0.1, judge_usd: 0.02, not_metered: [] },
  baseline: { run_id: 'r-0', pass_rate_change: -0.1, score_change: -0.05, regressed: 4, fixed: 1 },
};
const reason = { rule: 'pass_rate', outcome: 'fail' as const, text: '0.875 is below 0.9', actual: 0.875, limit: 0.9 };
const decision: Decision = { outcome: 'fail', policy_hash: 'p', reasons: [reason] };
const failed = aRun({
  status: 'failed',
  message: '5 of 40 rows failed',
  score: 0.88,
  pass_rate: 0.875,
  decision,
  figures,
  ref: 'refs/heads/main',
  sha: '4f2a9c1d0e8b7a6f5c4d',
  finished_at: '2026-11-30T10:05:00.000Z',
  began_at: '2026-11-30T10:00:30.000Z',
});

describe('the event of a finished run', () => {
  it('says what a listener needs, by the schema', () => {
    const event = runFinishedEvent(failed, 'prod');
    expect(RunFinishedSchema.parse(event)).toEqual(event);
    expect(event).toMatchObject({
      version: '1',
      stage: 'prod',
      run_id: RUN_ID,
      attempt: 1,
      status: 'failed',
      gate: 'fail',
      title: 'support-faq of shop failed',
      text: '5 of 40 rows failed. Against the baseline: 4 rows regressed, 1 fixed. For ref refs/heads/main, commit 4f2a9c1d0e8b.',
      decision: { outcome: 'fail', policy_hash: 'p', reasons: [reason], reasons_total: 1 },
      score: 0.88,
      figures,
      began_at: '2026-11-30T10:00:30.000Z',
      run_path: `/api/runs/${RUN_ID}`,
      gate_path: '/api/gates/g-1',
      report_path: `/api/runs/${RUN_ID}/report`,
    });
  });

  it.each([
    { status: 'passed', gate: 'pass' },
    { status: 'failed', gate: 'fail' },
    { status: 'error', gate: 'error' },
    { status: 'cancelled', gate: 'error' },
  ] as const)('of a run that is $status has the gate $gate', ({ status, gate }) => {
    expect(runFinishedEvent(aRun({ status }), 'prod')).toMatchObject({ status, gate });
  });

  it('of a run that broke invents nothing', () => {
    const broken = runFinishedEvent(aRun({ status: 'error', message: 'the workflow failed: disk' }), 'prod');
    expect(RunFinishedSchema.parse(broken)).toEqual(broken);
    expect(broken).toMatchObject({ decision: null, figures: null, score: null, report_path: null, began_at: null });
    expect(broken.text).toBe('the workflow failed: disk.');
  });

  it('names the attempt of a redrive, and a quarantined eval', () => {
    const event = runFinishedEvent({ ...failed, attempt: 3, quarantined: true }, 'prod');
    expect(event.title).toBe('support-faq of shop failed (attempt 3)');
    expect(event.text).toContain('does not decide the gate');
  });

  it('is the same whoever tells it, and whenever', () => {
    const before = JSON.stringify(runFinishedEvent(failed, 'prod'));
    expect(JSON.stringify(runFinishedEvent({ ...failed, announce_pending: true }, 'prod'))).toBe(before);
  });

  it('of an open run cannot be told', () => {
    for (const status of ['queued', 'running'] as const) {
      expect(() => runFinishedEvent(aRun({ status }), 'prod')).toThrow(RangeError);
    }
  });

  it('stays far below what an event may have, however much a run has to say', () => {
    const long = '🚀\n"<'.repeat(50_000);
    const event = runFinishedEvent(
      {
        ...failed,
        message: long,
        ref: long,
        sha: long,
        triggered_by: long,
        decision: { ...decision, reasons: Array.from({ length: 5_000 }, () => ({ ...reason, text: long })) },
      },
      'prod',
    );
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(64 * 1024);
    expect(event.decision).toMatchObject({ reasons_total: 5_000 });
    expect(event.decision?.reasons).toHaveLength(20);
    expect(RunFinishedSchema.parse(event)).toEqual(event);
  });

  it.each(HOSTILE_TEXTS.map((text) => [text]))('has title and text that fit between quotes: %j', (text) => {
    const event = runFinishedEvent({ ...failed, message: text, ref: text, triggered_by: text }, 'prod');
    for (const line of [event.title, event.text]) expect(JSON.parse(`"${line}"`)).toBe(line);
    expect(JSON.stringify(event).isWellFormed()).toBe(true);
    expect(JSON.stringify(event)).not.toMatch(/\\ud[89a-f]/i);
  });
});
