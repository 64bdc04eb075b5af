import type { RowResult } from '../../src/core/schemas/result.ts';
import { scored, type Vote } from '../../src/core/schemas/score.ts';
import type { RunSummary } from '../../src/core/schemas/summary.ts';
import { ChangedAnswers } from '../../src/report/collect/changed-answers.ts';
import type { HtmlReportInput } from '../../src/report/html-report.ts';
import { finishedRun, rowResult, runConfig, streamOf } from './finished-run.ts';

/** A report that says `text` wherever anybody but Assay may put a word: rows, eval, targets, tags, reasons, judges, other runs. */
export function hostileInput(text: string): HtmlReportInput {
  const rows = hostileRows(text);
  const answers = new ChangedAnswers(rows.map(({ row_id: id }) => id));
  for (const row of rows) answers.add({ ...row, output: `${text} before`, passed: !row.passed });
  const summary = hostileSummary(text, rows);
  const point = { run_id: text, started_at: text, gate: 'fail' as const, score: 0.4, pass_rate: 0.5, sha: text };
  return {
    summary,
    config: {
      ...runConfig({ metric_floors: { [text]: 0.9 }, veto: [text], max_p95_latency_ms: 100 }),
      config_hash: text,
      project: 'local',
    },
    results: streamOf(...rows),
    baselineSummary: { ...summary, tags: { [text]: { rows: 9, passed: 9, counted: 9, score: 1 } } },
    baselineAnswers: { status: 'read', answers },
    history: [point, { ...point, gate: 'error', pass_rate: null }],
  };
}

function hostileRows(text: string): readonly RowResult[] {
  const votes: Vote[] = [
    { judge: text, value: 1, label: text, error: null },
    { judge: `${text}2`, value: 0, label: 'other', error: null },
    { judge: `${text}3`, value: null, label: null, error: text },
  ];
  const scores = { [text]: scored(0, text, { votes, raw_label: text, claims: [{ claim: text, supported: false }] }) };
  const steps = [
    { type: 'tool_call' as const, content: text, tool_call: { name: text, arguments: { [text]: text }, error: text } },
    { type: 'answer' as const, content: text, latency_ms: 5 },
  ];
  const row = rowResult({
    row_id: text || 'empty',
    input: text,
    output: text,
    expected: { [text]: text },
    error: text,
    tags: [text],
    cluster: text,
    difficulty: text,
    target: text,
    target_model: text,
    failed_checks: [text],
    metadata: { [text]: text },
    contexts: [text],
    trajectory: { steps },
    passed: false,
    scores,
    warnings: [text],
  });
  const down = { status: 'target_error' as const, cause: text, score: 0, output: null };
  return [
    row,
    rowResult({ ...row, trial: 1, passed: true }),
    rowResult({ ...row, ...down, target: `${text}2` }),
    rowResult({ ...row, row_id: `${text} fixed`, index: 1, passed: true }),
    rowResult({ ...row, status: 'judge_error', cause: text, score: null, row_id: `${text} unjudged`, index: 2 }),
  ];
}

function hostileSummary(text: string, rows: readonly RowResult[]): RunSummary {
  const summary = finishedRun();
  const metric = { mean: 0.5, n: 1, unscored: 0, ci95: null };
  const counts = { ...summary.counts, failed: 2, flaky: 1, results: rows.length, target_error: 1, judge_error: 1 };
  const target = {
    type: text,
    model: text,
    score: 0.5,
    pass_rate: 0.5,
    counts,
    metrics: { [text]: metric },
    latency: { p50_ms: 800, p95_ms: 1400, n: 40, timeouts: 0 },
    cost: { status: 'not_metered' as const, usd: null },
  };
  const changed = {
    regressed: [rows[0]?.row_id ?? ''],
    fixed: [`${text} fixed`],
    removed: [text],
    removed_passed: [text],
    changed: [text],
    still_failing: [text],
    unknown: [text],
    differences: [text],
  };
  return {
    ...summary,
    eval: text,
    message: text,
    description: text,
    type: text,
    run_id: text,
    gate: 'fail',
    status: 'failed',
    warnings: [text],
    dataset: { ...summary.dataset, id: text, version: text },
    judges: [{ id: text, type: text, model: text, is_model: true }],
    decision: {
      outcome: 'fail',
      policy_hash: text,
      reasons: [{ rule: text, outcome: 'fail', text, actual: null, limit: null }],
    },
    counts,
    skipped_by_cause: { [text]: 1 },
    metrics: { [text]: metric },
    targets: [
      { id: text, ...target },
      { id: `${text}2`, ...target },
    ],
    repeats: [text, `${text}2`].map((id) => ({
      target: id,
      trials: 2,
      rows: 2,
      flaky: 1,
      flake_rate: 0.5,
      pass_at: [0.5, 1],
      pass_hat: [0.5, 0.5],
    })),
    cost: { ...summary.cost, not_metered: [text], unknown: [text] },
    tags: { [text]: { rows: 9, passed: 0, counted: 9, score: 0 } },
    baseline: {
      run_id: text,
      same: 4,
      new: 0,
      ...changed,
      pass_rate: 1,
      score: 0.9,
      delta: -0.25,
      delta_same: null,
      mean_delta: -0.1,
      ci95: null,
      p_value: null,
    },
    ref: text,
    sha: text,
    stopped: { after: 1, of: 2, why: text },
  };
}
