import { readText } from '../../core/read-text.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import { type RunSummary, RunSummarySchema } from '../../core/schemas/summary.ts';
import { changedRowIds } from '../../report/collect/changed-answers.ts';
import { type FormerAnswers, type HistoryPoint, type ReportContext, TREND_RUNS } from '../../report/report-context.ts';
import { type DeployedPorts, isFinal } from '../deployed.ts';
import { answersPerRow, readFormerAnswers } from './read-former-answers.ts';
import { unlessDamaged } from './unless-damaged.ts';

type ContextPorts = Pick<DeployedPorts, 'registry' | 'runs' | 'parts'>;

/** Runs looked through for the trend: some are still running or were cancelled before they had results. */
const MOST_LOOKED_THROUGH = 40;

/** What the report of a deployed run tells of earlier ones. What is gone or damaged is left out and never stops a report. */
export async function deployedReportContext(
  summary: RunSummary,
  former: RunConfig | null,
  ports: ContextPorts,
): Promise<ReportContext> {
  return { ...(await readBaseline(summary, former, ports)), history: await readHistory(summary, ports) };
}

async function readBaseline(
  { baseline }: RunSummary,
  former: RunConfig | null,
  ports: ContextPorts,
): Promise<ReportContext> {
  if (baseline === null || former === null) return {};
  const { run_id: runId, project, started_at: startedAt } = former;
  const formerSummary = await unlessDamaged(async () => {
    const chunks = await ports.runs(project).read(runId, 'summary.json');
    return chunks === null ? null : RunSummarySchema.parse(JSON.parse(await readText(chunks)));
  });
  if (formerSummary === null) return { baselineAnswers: gone(`the files of the baseline ${runId} are gone`) };
  const rowIds = changedRowIds(baseline);
  const answers = await unlessDamaged(() => {
    const parts = ports.parts.reader({ runId, project, startedAt }).read(runId);
    return readFormerAnswers(parts, rowIds, answersPerRow(formerSummary));
  });
  return {
    baselineSummary: formerSummary,
    baselineAnswers:
      answers === null || (rowIds.length > 0 && answers.isEmpty)
        ? gone(`the results of the baseline ${runId} cannot be read`)
        : { status: 'read', answers },
  };
}

async function readHistory(summary: RunSummary, { registry }: ContextPorts): Promise<HistoryPoint[]> {
  const page = await unlessDamaged(() =>
    registry.listRuns(summary.project, summary.eval, { limit: MOST_LOOKED_THROUGH }),
  );
  const before = (page?.items ?? []).filter(
    (run) => isFinal(run) && run.run_id !== summary.run_id && run.started_at <= summary.started_at,
  );
  return before
    .slice(0, TREND_RUNS - 1)
    .reverse()
    .map(({ run_id, started_at, status, score, pass_rate, sha }) => ({
      run_id,
      started_at,
      gate: status === 'passed' ? 'pass' : status === 'failed' ? 'fail' : 'error',
      score,
      pass_rate,
      sha,
    }));
}

const gone = (why: string): FormerAnswers => ({ status: 'gone', why });
