import * as z from 'zod';
import type { RunSummary } from '../core/schemas/summary.ts';
import type { ChangedAnswers } from './collect/changed-answers.ts';

/** Another run of the same eval, as a point of its trend. A summary has all of it. */
export const HistoryPointSchema = z.object({
  run_id: z.string(),
  started_at: z.string(),
  gate: z.enum(['pass', 'fail', 'error']),
  score: z.number().nullable(),
  pass_rate: z.number().nullable(),
  sha: z.string().nullable(),
});
export type HistoryPoint = z.infer<typeof HistoryPointSchema>;

/** Answers of the baseline to the rows that changed, or why they cannot be shown. */
export type FormerAnswers =
  | { readonly status: 'read'; readonly answers: ChangedAnswers }
  | { readonly status: 'gone'; readonly why: string };

/** What a report tells of other runs. All of it may be absent: the page then says what it cannot show. */
export interface ReportContext {
  /** Summary of the run that this one was compared with. */
  readonly baselineSummary?: RunSummary | null;
  readonly baselineAnswers?: FormerAnswers | null;
  /** Finished runs before this one, oldest first. The page shows the last eleven, and this one. */
  readonly history?: readonly HistoryPoint[];
}

/** Runs in a trend, the reported one included. */
export const TREND_RUNS = 12;

export function historyPoint(summary: RunSummary): HistoryPoint {
  const { run_id, started_at, gate, score, pass_rate, sha } = summary;
  return { run_id, started_at, gate, score, pass_rate, sha };
}
