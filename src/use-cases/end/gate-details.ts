import { readText } from '../../core/read-text.ts';
import { type RunSummary, RunSummarySchema } from '../../core/schemas/summary.ts';
import type { DeployedPorts } from '../deployed.ts';
import type { GateView } from './read-gate.ts';

const ROWS_TOLD = 20;

/** What a pull request is told of one finished run. */
export interface RunDetails {
  readonly rows: { readonly total: number; readonly passed: number; readonly failed: number };
  /** Null: there was nothing to compare with. Changes are now − then. */
  readonly baseline: {
    readonly run_id: string;
    readonly score_change: number | null;
    readonly pass_rate_change: number | null;
    readonly regressed: number;
    readonly fixed: number;
    /** Ids of the first 20 rows that regressed. */
    readonly regressed_rows: readonly string[];
  } | null;
}

type GateRun = GateView['runs'][number];

/** The gate with details of its runs, once it is final; a run that broke before its summary has none. */
export async function withDetails(
  gate: GateView,
  project: string,
  ports: Pick<DeployedPorts, 'runs'>,
): Promise<Omit<GateView, 'runs'> & { readonly runs: readonly (GateRun & { readonly details: RunDetails | null })[] }> {
  const isFinal = gate.gate !== 'pending';
  const runs = await Promise.all(
    gate.runs.map(async (run) => ({ ...run, details: isFinal ? await readDetails(run, project, ports) : null })),
  );
  return { ...gate, runs };
}

/** A summary of another verdict is one of an earlier attempt; one that does not parse, of another version of Assay. */
async function readDetails(
  { run_id, status }: GateRun,
  project: string,
  { runs }: Pick<DeployedPorts, 'runs'>,
): Promise<RunDetails | null> {
  const chunks = await runs(project).read(run_id, 'summary.json');
  if (chunks === null) return null;
  const { data } = RunSummarySchema.safeParse(JSON.parse(await readText(chunks)));
  return data === undefined || data.status !== status ? null : detailsOf(data);
}

function detailsOf({ counts, baseline }: RunSummary): RunDetails {
  return {
    rows: { total: counts.rows, passed: counts.passed, failed: counts.failed },
    baseline:
      baseline === null
        ? null
        : {
            run_id: baseline.run_id,
            score_change: baseline.mean_delta,
            pass_rate_change: baseline.delta,
            regressed: baseline.regressed.length,
            fixed: baseline.fixed.length,
            regressed_rows: baseline.regressed.slice(0, ROWS_TOLD),
          },
  };
}
