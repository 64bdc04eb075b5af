import { renderTerminalSummary } from '../report/terminal-summary.ts';
import type { FinishedRun } from '../runner/finish-run.ts';

const DEFAULT_WIDTH = 100;

/** The finished run for a person at a terminal, on standard output. */
export function printSummary(finished: FinishedRun): void {
  const { stdout, env } = process;
  const color = stdout.isTTY === true && (env.NO_COLOR ?? '') === '';
  const marks = { policy: finished.run.policy, thresholds: finished.run.eval.thresholds };
  stdout.write(
    renderTerminalSummary(
      {
        summary: finished.summary,
        failedRows: finished.failedRows,
        failedCount: finished.failedCount,
        paths: finished.paths,
        marks,
      },
      { color, width: stdout.columns || DEFAULT_WIDTH },
    ),
  );
}
