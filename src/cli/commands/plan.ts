import { readPrices } from '../../adapters/local/prices-file.ts';
import type { RunPlan } from '../../core/plan/run-plan.ts';
import { countOf, formatCount, formatMs, formatPercent, formatUsd } from '../../report/format.ts';
import { visibleLine } from '../../report/visible-text.ts';
import { loadEval } from '../../runner/load-eval.ts';
import { planEval } from '../../runner/plan-eval.ts';
import { Workspace } from '../../runner/workspace.ts';
import { EXIT_PASSED } from '../exit.ts';
import { catchInterrupts } from '../interrupts.ts';
import { JUDGE_OPTIONS, judgesFromFlags } from '../judge-flags.ts';
import { parseOptions } from '../options.ts';
import { SOURCE_OPTIONS, sourceFromFlags } from '../source-flags.ts';

const HELP = `assay plan <eval.yaml> [--sample n] [--json]     what a run would take, before anything is spent

Rows, calls, tokens, cost, time at the eval's concurrency, and what so many rows can show. Tokens are estimated from the
prompts as they would be sent, a token for 4 bytes of UTF-8; answers are taken to be as long as the expected ones, at
least 200 tokens.

  --rpm n, --tpm n   requests and tokens a minute that the judge's model allows you; then time is the larger of what the
               concurrency and this quota take. Of a call it takes input + max_tokens, or input + output × the model's
               burndown (Claude 5 to 15, GPT-5.6 10, others 1) if that is more
  --sample n   really ask n rows and measure (that is spent); nothing of it is kept
  --judge, --judge-model, --judge-url, --dataset, --prices <file>, --dir <folder>   as for assay run
`;

export async function plan(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    ...JUDGE_OPTIONS,
    ...SOURCE_OPTIONS,
    sample: { type: 'string' },
    rpm: { type: 'string' },
    tpm: { type: 'string' },
    prices: { type: 'string' },
    dir: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const file = options.only('eval file', 'assay plan <eval.yaml>');
  const loaded = await loadEval(file, { judges: judgesFromFlags(options), source: sourceFromFlags(options) });
  const interrupts = catchInterrupts();
  try {
    const planned = await planEval(loaded, {
      workspace: new Workspace(options.text('dir') ?? '.assay'),
      prices: await readPrices(options.text('prices')),
      cancel: interrupts.signal,
      sample: options.count('sample'),
      quota: { rpm: options.count('rpm'), tpm: options.count('tpm') },
    });
    process.stdout.write(options.flag('json') ? `${JSON.stringify(planned, null, 2)}\n` : describe(planned));
  } finally {
    interrupts.stop();
  }
  return EXIT_PASSED;
}

function describe(planned: RunPlan): string {
  const { rows, dataset_rows, targets, trials, answers, calls, tokens, cost, time, quota, power } = planned;
  const of = rows === dataset_rows ? '' : ` of ${formatCount(dataset_rows)}`;
  const times = [targets > 1 ? countOf(targets, 'target') : '', trials > 1 ? countOf(trials, 'trial') : '']
    .filter((part) => part !== '')
    .join(' × ');
  const repaired =
    calls.judge === 0 ? '' : ` (${formatCount(calls.judge_at_most)} if every verdict is asked for twice)`;
  const inOut = ({ input, output }: { input: number; output: number }) =>
    `${formatCount(Math.round(input))} in, ${formatCount(Math.round(output))} out`;
  const lines = [
    visibleLine(planned.eval),
    `rows    ${formatCount(rows)}${of}${times === '' ? '' : ` × ${times} = ${countOf(answers, 'answer')}`}`,
    `calls   ${formatCount(calls.target)} to the target, ${formatCount(calls.judge)} to the judge${repaired}${calls.canaries === 0 ? '' : `, ${formatCount(calls.canaries)} planted`}`,
    `tokens  target ${tokens.target === null ? 'not reported' : inOut(tokens.target)}; judge ${inOut(tokens.judge)} (${tokens.basis})`,
    `cost    ${costWords(cost, tokens.basis)}`,
    `time    about ${formatMs(time.seconds * 1000)} (${timeWords(time)})`,
    ...(quota === null ? [] : [`quota   ${quotaWords(quota)}`]),
    `shows   ${powerWords(planned, power)}`,
    ...planned.warnings.map((warning) => `warning: ${visibleLine(warning)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function costWords({ low_usd, high_usd, not_metered, unknown }: RunPlan['cost'], basis: string): string {
  const parts: string[] = [];
  if (unknown.length > 0 || low_usd === null || high_usd === null) {
    parts.push(`unknown${unknown.length > 0 ? ` (no price for ${unknown.map(visibleLine).join(', ')})` : ''}`);
  } else if (low_usd === high_usd) parts.push(formatUsd(low_usd));
  else parts.push(`${formatUsd(low_usd)} ${basis === 'measured' ? 'to' : 'likely, at most'} ${formatUsd(high_usd)}`);
  if (not_metered.length > 0) parts.push(`not metered: ${not_metered.map(visibleLine).join(', ')}`);
  return parts.join('; ');
}

function timeWords({ seconds_an_answer: seconds, basis }: RunPlan['time']): string {
  const from = {
    sample: 'measured on the sample',
    'last run': 'as in the last run',
    assumed: 'assumed: --sample measures it',
  };
  return `${formatMs(seconds * 1000)} an answer, ${from[basis]}`;
}

function quotaWords(quota: NonNullable<RunPlan['quota']>): string {
  const { model, by, rows_per_minute, requests_a_row, tokens_a_row, burndown, seconds, is_the_bound } = quota;
  const a_row =
    by === 'requests'
      ? `${countOf(Number(requests_a_row.toPrecision(3)), 'request')} a row`
      : `${formatCount(Math.ceil(tokens_a_row))} tokens a row${burndown === 1 ? '' : `, output × ${burndown} at the end`}`;
  return `${visibleLine(model)} by ${by}: ${Number(rows_per_minute.toPrecision(3))} rows a minute (${a_row}), ${formatMs(seconds * 1000)}${is_the_bound ? ': the bound' : ''}`;
}

function powerWords({ rows }: RunPlan, power: RunPlan['power']): string {
  if (power.smallest_visible === null) return 'nothing without rows';
  const points = (power.smallest_visible * 100).toPrecision(2);
  const from = { sample: 'as in the sample', 'last run': 'as in the last run', assumed: 'assumed' }[power.basis];
  const enough =
    power.smallest_visible <= 0.03 ? '' : `; to see 3 points takes ${countOf(power.rows_for_3_points, 'row')}`;
  return `at ${countOf(rows, 'row')} a drop below ${Number(points)} points cannot be seen (pass rate ${formatPercent(power.pass_rate)}, ${from})${enough}`;
}
