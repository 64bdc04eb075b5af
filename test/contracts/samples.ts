import type {
  DatasetVersion,
  EvalVersion,
  GateRun,
  Project,
  RunCounters,
  RunRecord,
} from '../../src/core/schemas/registry.ts';
import { EvalVersionSchema } from '../../src/core/schemas/registry.ts';
import type { RowResult } from '../../src/core/schemas/result.ts';
import { scored } from '../../src/core/schemas/score.ts';
import { makeResult } from '../fixtures/results.ts';

export const RUN_ID = 'r-01JD0000000000000000000001';

export function aRunId(number: number): string {
  return `r-01JD${String(number).padStart(22, '0')}`;
}

export function aProject(changes: Partial<Project> = {}): Project {
  return {
    id: 'shop',
    name: 'Shop',
    default_pass_mark: 0.8,
    baseline_ref: 'main',
    created_at: '2026-11-01T08:00:00.000Z',
    ...changes,
  };
}

export function anEval(version: number, changes: Partial<EvalVersion> = {}): EvalVersion {
  const name = changes.name ?? 'support-faq';
  return EvalVersionSchema.parse({
    project: 'shop',
    name,
    version,
    config_hash: `hash-${version}`,
    config: { name, type: 'qa', dataset: 'faq', metadata: { URL: 'a', Url: 'b', '': 1 } },
    created_at: `2026-11-01T08:00:0${version % 10}.000Z`,
    ...changes,
  });
}

export function aDataset(changes: Partial<DatasetVersion> = {}): DatasetVersion {
  return {
    project: 'shop',
    id: 'faq',
    version: 'a'.repeat(64),
    status: 'ready',
    rows: 10,
    without_input: 1,
    faults: [],
    created_at: '2026-11-02T08:00:00.000Z',
    ...changes,
  };
}

export function aRun(changes: Partial<RunRecord> = {}): RunRecord {
  return {
    run_id: RUN_ID,
    gate_run_id: 'g-1',
    project: 'shop',
    eval: 'support-faq',
    eval_version: 1,
    status: 'queued',
    quarantined: false,
    started_at: '2026-11-30T10:00:00.000Z',
    finished_at: null,
    ref: null,
    sha: null,
    triggered_by: null,
    execution: null,
    attempt: 1,
    total: null,
    message: '',
    decision: null,
    score: null,
    pass_rate: null,
    cancel_requested: false,
    earlier: [],
    ...changes,
  };
}

export function aGate(changes: Partial<GateRun> = {}): GateRun {
  return {
    gate_run_id: 'g-1',
    project: 'shop',
    run_ids: [RUN_ID],
    not_started: [{ eval: 'other', message: 'its dataset is missing' }],
    ref: 'main',
    sha: null,
    triggered_by: null,
    created_at: '2026-11-30T10:00:00.000Z',
    ...changes,
  };
}

export function counters(changes: Partial<RunCounters> = {}): RunCounters {
  return { done: 0, scored: 0, target_error: 0, judge_error: 0, skipped: 0, cost_usd: 0, late: 0, ...changes };
}

export function aResult(index: number, changes: Partial<RowResult> = {}): RowResult {
  return makeResult({
    run_id: RUN_ID,
    project: 'shop',
    eval: 'support-faq',
    eval_version: 1,
    dataset_version: 'a'.repeat(64),
    started_at: '2026-11-30T10:00:00.000Z',
    index,
    tags: ['returns'],
    score: 0.9,
    latency_ms: 120.5,
    cost_judge_usd: 0.000_12,
    tokens_in: 700,
    tokens_out: 40,
    judge_hash: 'b'.repeat(64),
    input: 'How long do I have to return an order?',
    expected: '30 days',
    output: 'You have 30 days to return it.',
    scores: { correctness: scored(0.9, 'says 30 days') },
    spend: {
      target: { status: 'not_metered' },
      judge: { status: 'metered', usd: 0.000_12 },
      target_usage: null,
      judge_usage: { input: 700, output: 40, cache_read: 0, cache_write: 0 },
      judge_calls: 1,
    },
    ...changes,
  });
}

/** Texts and ids that broke keys, lines or items somewhere. */
export const HOSTILE_TEXTS = [
  'a\nb',
  'c\r\nd',
  'e\u2028f\u2029',
  'g\u0085h',
  'i\t"j"\\',
  'a#b/c?d=e%2F+f',
  '../../etc/passwd',
  '\u0000\u0001\u007f',
  'Zoë 🚀 日本語',
  'half of a pair \ud83d',
  '__proto__',
  'x'.repeat(512),
] as const;
