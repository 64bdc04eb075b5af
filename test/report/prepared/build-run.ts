import { Readable } from 'node:stream';
import { parseEval } from '../../../src/core/config/parse-eval.ts';
import type { RowResult } from '../../../src/core/schemas/result.ts';
import type { RunConfig } from '../../../src/core/schemas/run.ts';
import { type Score, scored } from '../../../src/core/schemas/score.ts';
import type { RunSummary } from '../../../src/core/schemas/summary.ts';
import { resolvePolicy } from '../../../src/core/scoring/policy.ts';
import { ChangedAnswers, changedRowIds } from '../../../src/report/collect/changed-answers.ts';
import type { HtmlReportInput } from '../../../src/report/html-report.ts';
import type { HistoryPoint } from '../../../src/report/report-context.ts';
import { aggregateRun } from '../../../src/use-cases/aggregate/aggregate-run.ts';
import { streamOf } from '../finished-run.ts';

/** A run as its results say it, decided by the same code as any other. */
export interface PreparedRun {
  readonly config: RunConfig;
  readonly results: readonly RowResult[];
  readonly baseline: { readonly config: RunConfig; readonly results: readonly RowResult[] } | null;
  readonly history: readonly HistoryPoint[];
}

export async function reportInput({ config, results, baseline, history }: PreparedRun): Promise<HtmlReportInput> {
  const former = baseline === null ? null : await summarize(baseline.config, baseline.results, null);
  const { summary } = await summarize(
    config,
    results,
    baseline === null || former === null ? null : { config: baseline.config, outcomes: former.outcomes },
  );
  const answers = new ChangedAnswers(summary.baseline === null ? [] : changedRowIds(summary.baseline));
  for (const result of baseline?.results ?? []) answers.add(result);
  return {
    summary,
    config,
    results: streamOf(...results),
    baselineSummary: former?.summary ?? null,
    baselineAnswers: baseline === null ? null : { status: 'read', answers },
    history,
  };
}

async function summarize(
  config: RunConfig,
  results: readonly RowResult[],
  baseline: { config: RunConfig; outcomes: string } | null,
): Promise<{ summary: RunSummary; outcomes: string }> {
  const { summary, outcomes } = await aggregateRun({
    config,
    results: [chunks(results.map((result) => `${JSON.stringify(result)}\n`).join(''))],
    baseline: baseline === null ? null : { config: baseline.config, outcomes: chunks(baseline.outcomes) },
    finishedAt: new Date(Date.parse(config.started_at) + 94_000).toISOString(),
    stopped: null,
  });
  return { summary, outcomes: [...outcomes].join('') };
}

const chunks = (text: string) => Readable.from([Buffer.from(text, 'utf8')]) as AsyncIterable<Uint8Array>;

/** Configuration of a run of `rows` rows, from an eval as a person writes it. `number` tells runs of a trend apart. */
export function configOf(file: Record<string, unknown>, rows: number, number: number): RunConfig {
  const config = parseEval(file);
  return {
    run_id: `r-01HPREPARED${String(number).padStart(15, '0')}`,
    project: 'local',
    eval_version: 1,
    config_hash: 'c'.repeat(64),
    policy: resolvePolicy(config),
    judge_hash: 'a'.repeat(64),
    target_hash: 'b'.repeat(64),
    eval: config,
    dataset: { id: 'support', version: '4cc02c538b59d7e1', rows, without_input: 0 },
    rows,
    started_at: startedAt(number),
    ref: 'refs/heads/main',
    sha: `${number.toString(16).padStart(2, '0')}b7c1d9e4f0a2b6c8d1e3f5a7b9c0d2e4f6a8b0`.slice(0, 40),
    triggered_by: null,
    warnings: [],
  };
}

export const startedAt = (number: number): string => new Date(Date.UTC(2026, 2, 1 + number, 6, 30)).toISOString();

/** A result of this run; what a test is about is changed. */
export function resultOf(config: RunConfig, index: number, changes: Partial<RowResult>): RowResult {
  return {
    run_id: config.run_id,
    project: config.project,
    eval: config.eval.name,
    eval_version: 1,
    dataset: config.dataset.id,
    dataset_version: config.dataset.version,
    ref: config.ref,
    sha: config.sha,
    started_at: config.started_at,
    row_id: `row-${index}`,
    index,
    cluster: null,
    tags: [],
    difficulty: null,
    target: config.eval.targets[0]?.id ?? 'http',
    target_model: null,
    trial: 0,
    phase: 'main',
    status: 'scored',
    cause: null,
    passed: true,
    score: 1,
    latency_ms: 700,
    attempts: 1,
    cost_target_usd: null,
    cost_judge_usd: 0.00021,
    tokens_in: 640,
    tokens_out: 90,
    judge_hash: 'a'.repeat(64),
    input: '',
    expected: null,
    output: null,
    contexts: null,
    trajectory: null,
    scores: {},
    failed_checks: [],
    metadata: {},
    error: null,
    spend: {
      target: { status: 'not_metered' },
      judge: { status: 'metered', usd: 0.00021 },
      target_usage: null,
      judge_usage: { input: 640, output: 90, cache_read: 0, cache_write: 0 },
      judge_calls: 1,
    },
    warnings: [],
    ...changes,
  };
}

/** Scores and what follows from them at the mark 0.8. */
export function judged(values: Record<string, number>, reasons: Record<string, string> = {}): Partial<RowResult> {
  const scores: Record<string, Score> = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, scored(value, reasons[name] ?? reasonFor(name, value))]),
  );
  const score = Object.values(values).reduce((sum, value) => sum + value, 0) / Object.keys(values).length;
  return { scores, score, passed: score >= 0.8 - 1e-9 };
}

function reasonFor(name: string, value: number): string {
  if (value >= 0.95) return `The answer is fully in line with what ${name} asks for.`;
  return value >= 0.6 ? `Mostly in line with ${name}; a detail is missing.` : `Fails on ${name}.`;
}

/** Numbers 0..1 that are the same on every machine. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
