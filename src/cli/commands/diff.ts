import { ConfigError } from '../../core/errors.ts';
import { describeComparison } from '../../report/comparison-text.ts';
import { openFormerRun } from '../../runner/former-run.ts';
import type { Workspace } from '../../runner/workspace.ts';
import { type ComparedRun, compareRuns, type RunComparison } from '../../use-cases/aggregate/compare-runs.ts';
import { EXIT_FAILED, EXIT_PASSED } from '../exit.ts';
import { parseOptions } from '../options.ts';
import { findRuns, RUN_SOURCE_HELP, RUN_SOURCE_OPTIONS } from '../run-source.ts';

const HELP = `assay diff <run A> <run B>     two finished runs row by row; changes are B − A

  --fail-on-regression   exit with 1 when a row passed in A and fails in B
  --json                 everything, as JSON on standard output
${RUN_SOURCE_HELP}`;

export async function diff(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    ...RUN_SOURCE_OPTIONS,
    'fail-on-regression': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const [first, second, ...others] = options.positionals;
  if (first === undefined || second === undefined || others.length > 0) {
    throw new ConfigError([{ message: 'diff takes two runs', fix: 'assay diff r-… r-…' }]);
  }
  const source = await findRuns([first, second], options);
  const comparison =
    source.kind === 'local'
      ? await compareRuns(await open(first, source.workspace), await open(second, source.workspace))
      : // The app answers what `compareRuns` gives: openapi.json tells it so.
        ((await source.client.manage({
          method: 'GET',
          path: `/api/runs/${first}/compare/${second}`,
        })) as unknown as RunComparison);
  process.stdout.write(
    options.flag('json') ? `${JSON.stringify(comparison, null, 2)}\n` : describeComparison(comparison),
  );
  return options.flag('fail-on-regression') && comparison.regressed.length > 0 ? EXIT_FAILED : EXIT_PASSED;
}

async function open(runId: string, { runs }: Workspace): Promise<ComparedRun> {
  const run = await openFormerRun(runId, runs);
  if (run !== null) return run;
  throw new ConfigError([{ message: `run "${runId}" is not finished`, fix: `assay run --resume ${runId}` }]);
}
