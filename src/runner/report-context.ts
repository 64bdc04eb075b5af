import { openForReading } from '../adapters/local/file-run-store.ts';
import { readText } from '../core/read-text.ts';
import { RUN_ID_PATTERN } from '../core/schemas/run.ts';
import type { RunSummary } from '../core/schemas/summary.ts';
import { changedRowIds } from '../report/collect/changed-answers.ts';
import {
  type FormerAnswers,
  type HistoryPoint,
  HistoryPointSchema,
  type ReportContext,
  TREND_RUNS,
} from '../report/report-context.ts';
import { answersPerRow, readFormerAnswers } from '../use-cases/aggregate/read-former-answers.ts';
import { unlessDamaged } from '../use-cases/aggregate/unless-damaged.ts';
import { readSummary } from './former-run.ts';
import type { Workspace } from './workspace.ts';

/** What the report of a run tells of earlier ones. What is gone or damaged is left out and never stops a report. */
export async function localReportContext(summary: RunSummary, workspace: Workspace): Promise<ReportContext> {
  return { ...(await readBaseline(summary, workspace)), history: await readHistory(summary, workspace) };
}

async function readBaseline({ baseline }: RunSummary, workspace: Workspace): Promise<ReportContext> {
  if (baseline === null) return {};
  const runId = baseline.run_id;
  if (!RUN_ID_PATTERN.test(runId))
    return { baselineAnswers: gone('the baseline is a list of outcomes without answers') };
  const former = await unlessDamaged(() => readSummary(runId, workspace.runs));
  if (former === null) return { baselineAnswers: gone(`the files of the baseline ${runId} are gone`) };
  const rowIds = changedRowIds(baseline);
  const path = workspace.runs.locate(runId, 'results.jsonl');
  const answers = await unlessDamaged(async () => {
    // A file that is opened and then not read would stay open.
    if (rowIds.length === 0) return readFormerAnswers([], rowIds, answersPerRow(former));
    const chunks = await openForReading(path);
    return chunks === null ? null : readFormerAnswers([chunks], rowIds, answersPerRow(former));
  });
  return {
    baselineSummary: former,
    baselineAnswers:
      answers === null || (rowIds.length > 0 && answers.isEmpty)
        ? gone(`results.jsonl of the baseline ${runId} is gone or cannot be read`)
        : { status: 'read', answers },
  };
}

async function readHistory(
  { run_id: runId, eval: name, started_at: startedAt }: RunSummary,
  { runs, index }: Workspace,
): Promise<HistoryPoint[]> {
  const entries = (await unlessDamaged(() => index.list(name))) ?? [];
  const before = entries.filter((entry) => entry.run_id !== runId && entry.started_at <= startedAt);
  const points: HistoryPoint[] = [];
  for (const entry of before.slice(-(TREND_RUNS - 1))) {
    const point = await unlessDamaged(() => readPoint(entry.run_id, runs));
    if (point !== null) points.push(point);
  }
  return points;
}

/** Of a whole summary these few members: eleven of them parsed whole would cost a short run a tenth of its time. */
async function readPoint(runId: string, runs: Workspace['runs']): Promise<HistoryPoint | null> {
  const chunks = await runs.read(runId, 'summary.json');
  return chunks === null ? null : HistoryPointSchema.parse(JSON.parse(await readText(chunks)));
}

const gone = (why: string): FormerAnswers => ({ status: 'gone', why });
