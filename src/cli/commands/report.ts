import { ConfigError } from '../../core/errors.ts';
import { RUN_ID_PATTERN } from '../../core/schemas/run.ts';
import { reportPaths, writeReports } from '../../runner/finish-run.ts';
import { readRunConfig, readSummary } from '../../runner/former-run.ts';
import { missingResults } from '../../runner/missing-results.ts';
import { Workspace } from '../../runner/workspace.ts';
import { EXIT_PASSED, EXIT_UNDECIDED } from '../exit.ts';
import { parseOptions } from '../options.ts';

const HELP = `assay report <run> [--dir .assay]     write report.html and junit.xml of a finished run again, print where they lie

Exit codes: 0 written; 2 nothing to write, or results.jsonl holds fewer results than the run had (the report says so).
`;

export async function report(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, { dir: { type: 'string' } });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const workspace = new Workspace(options.text('dir') ?? '.assay');
  const runId = options.only('run', 'assay report <run>, with the name of a folder under .assay/runs');
  const known = RUN_ID_PATTERN.test(runId);
  const config = known ? await readRunConfig(runId, workspace.runs) : null;
  const summary = known ? await readSummary(runId, workspace.runs) : null;
  if (config === null || summary === null)
    throw new ConfigError([{ message: `there is no finished run "${runId}"`, fix: 'name a folder under .assay/runs' }]);
  const missing = await missingResults(config, summary, workspace.runs);
  const warnings = missing === null ? summary.warnings : [missing, ...summary.warnings];
  await writeReports(config, { ...summary, warnings }, workspace);
  process.stdout.write(`${reportPaths(runId, workspace).report}\n`);
  if (missing === null) return EXIT_PASSED;
  process.stderr.write(`warning: ${missing}\n`);
  return EXIT_UNDECIDED;
}
