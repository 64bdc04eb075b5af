import { ConfigError } from '../../core/errors.ts';
import { jsonToText } from '../../core/json.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import { RUN_ID_PATTERN } from '../../core/schemas/run.ts';
import { formatScore } from '../../report/format.ts';
import { snippet } from '../../report/visible-text.ts';
import { readResults, readRunConfig } from '../../runner/former-run.ts';
import { Workspace } from '../../runner/local-run.ts';
import { EXIT_PASSED } from '../exit.ts';
import { parseOptions } from '../options.ts';

const HELP = `assay results <run> [--failed] [--limit n] [--json] [--dir .assay]     list the results of a run

  --failed   only what did not pass
  --json     one result a line, whole
`;

const DEFAULT_LIMIT = 50;
const TEXT_WIDTH = 100;

export async function results(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    failed: { type: 'boolean' },
    limit: { type: 'string' },
    json: { type: 'boolean' },
    dir: { type: 'string' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const { runs } = new Workspace(options.text('dir') ?? '.assay');
  const runId = options.only('run', 'assay results <run>, with the name of a folder under .assay/runs');
  const run = RUN_ID_PATTERN.test(runId) ? await readRunConfig(runId, runs) : null;
  if (run === null)
    throw new ConfigError([{ message: `there is no run "${runId}"`, fix: 'name a folder under .assay/runs' }]);
  const limit = options.count('limit') ?? (options.flag('json') ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT);
  let shown = 0;
  let left = 0;
  for await (const result of readResults(runId, runs)) {
    if (process.stdout.destroyed) break; // nobody reads on
    if (options.flag('failed') && result.passed) continue;
    if (shown >= limit) left += 1;
    else process.stdout.write(options.flag('json') ? `${JSON.stringify(result)}\n` : describe(result));
    shown = Math.min(shown + 1, limit);
  }
  if (left > 0) process.stderr.write(`${left} more; --limit shows them\n`);
  return EXIT_PASSED;
}

function describe(result: RowResult): string {
  const verdict = result.status === 'scored' ? (result.passed ? 'passed' : 'failed') : result.status;
  const score = result.score === null ? '' : ` ${formatScore(result.score)}`;
  const trial = result.trial > 0 ? ` trial ${result.trial + 1}` : '';
  const lines = [
    `${verdict}${score}  ${snippet(result.row_id, TEXT_WIDTH)}  ${result.target}${trial}`,
    `  input   ${snippet(jsonToText(result.input), TEXT_WIDTH)}`,
    ...(result.output === null ? [] : [`  answer  ${snippet(result.output, TEXT_WIDTH)}`]),
    ...(result.error === null ? [] : [`  error   ${snippet(result.error, TEXT_WIDTH)}`]),
    ...Object.entries(result.scores)
      .filter(([, score]) => score.status === 'unscored' || score.value < 1)
      .map(
        ([name, score]) =>
          `  ${name} ${score.value === null ? score.cause : formatScore(score.value)}: ${snippet(score.reason, TEXT_WIDTH)}`,
      ),
  ];
  return `${lines.join('\n')}\n`;
}
