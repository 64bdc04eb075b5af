import { resolve } from 'node:path';
import { readPrices } from '../../adapters/local/prices-file.ts';
import { ConfigError } from '../../core/errors.ts';
import type { Calibration, JudgeRate } from '../../core/schemas/calibration.ts';
import { countOf, formatPercent, formatScore } from '../../report/format.ts';
import { visibleLine } from '../../report/visible-text.ts';
import { calibrateJudge } from '../../runner/calibrate-judge.ts';
import { loadEval } from '../../runner/load-eval.ts';
import { Workspace } from '../../runner/workspace.ts';
import { EXIT_PASSED } from '../exit.ts';
import { catchInterrupts } from '../interrupts.ts';
import { JUDGE_OPTIONS, judgesFromFlags } from '../judge-flags.ts';
import { parseOptions } from '../options.ts';

const HELP = `assay calibrate <eval.yaml> --labels <dataset>     compare the eval's judge with what people say

The dataset holds rows of the eval with an answer (output) and a column human_label: pass or fail, true or false, a number
from 0 to 1, or a label of the judge's scale. Rows without a label are judged too: the pass rate that people would have
given them is estimated. The outcome is kept in .assay/calibrations, where require_calibration looks for it.

  --labels <file>         the labelled dataset
  --label-column <name>   the column with the labels (default human_label)
  --label-policy <text>   version of the rules that people labelled by (default unversioned)
  --output <path>         where the answer lies in a row (default output)
  --metric <name>         the judged score to compare; row = the verdict on the whole row
  --mark <value>          value 0..1 from which an answer passes
  --run <run>             a stored run by the same judge: its pass rate is corrected too
  --judge, --judge-model, --judge-url   as for assay run
  --prices <file>, --dir <folder>, --json
`;

export async function calibrate(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    ...JUDGE_OPTIONS,
    labels: { type: 'string' },
    'label-column': { type: 'string' },
    'label-policy': { type: 'string' },
    output: { type: 'string' },
    metric: { type: 'string' },
    mark: { type: 'string' },
    run: { type: 'string' },
    prices: { type: 'string' },
    dir: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const usage = 'assay calibrate <eval.yaml> --labels <dataset>';
  const file = options.only('eval file', usage);
  const labels = options.text('labels');
  if (labels === undefined) throw new ConfigError([{ message: 'no labelled dataset given', fix: usage }]);
  const loaded = await loadEval(file, { judges: judgesFromFlags(options), source: { dataset: resolve(labels) } });
  const workspace = new Workspace(options.text('dir') ?? '.assay');
  const interrupts = catchInterrupts();
  try {
    const calibration = await calibrateJudge(
      loaded,
      {
        labelColumn: options.text('label-column') ?? 'human_label',
        labelPolicy: options.text('label-policy') ?? 'unversioned',
        output: options.text('output') ?? 'output',
        metric: options.text('metric'),
        mark: markOf(options.text('mark')),
        run: options.text('run'),
      },
      { workspace, prices: await readPrices(options.text('prices')), cancel: interrupts.signal },
    );
    const path = workspace.calibrations.locate(calibration.judge_hash);
    const text = options.flag('json') ? JSON.stringify(calibration, null, 2) : describe(calibration, path);
    process.stdout.write(`${text}\n`);
  } finally {
    interrupts.stop();
  }
  return EXIT_PASSED;
}

function markOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const mark = Number(text);
  if (text.trim() !== '' && mark >= 0 && mark <= 1) return mark;
  throw new ConfigError([{ field: '--mark', message: `a mark lies between 0 and 1, not "${text}"` }]);
}

function describe(calibration: Calibration, path: string): string {
  const { kappa, weights, agreement, labels, not_judged, judged_only, corrected, suggestion } = calibration;
  const of = calibration.metric === 'row' ? 'the verdict on the row' : calibration.metric;
  const notJudged = not_judged > 0 ? `, ${not_judged} more without a verdict` : '';
  const lines = [
    `${visibleLine(`${calibration.judges.join(', ')} on ${of}: ${countOf(labels, 'label')} (policy ${calibration.label_policy})`)}${notJudged}`,
    `κ      ${kappa === null ? 'undefined: passes and failures are both needed' : `${formatScore(kappa)} (${weights}; 1 is full agreement, 0 is chance)`}`,
    `agree  ${agreement === null ? 'unknown' : `${formatPercent(agreement)} of labels; it flatters where most answers are alike`}`,
    `TPR    ${rateWords(calibration.tpr, 'good answers passed')}`,
    `TNR    ${rateWords(calibration.tnr, 'bad answers failed')}`,
    ...tableLines(calibration.confusion),
    ...(judged_only === 0
      ? ['corrected pass rate: none without answers that only the judge saw (rows without a label, or --run)']
      : [
          `corrected pass rate of ${countOf(judged_only, 'answer')} without a label:`,
          `  Rogan–Gladen  ${correctedWords(corrected.rogan_gladen)}`,
          `  PPI++         ${correctedWords(corrected.ppi)}`,
        ]),
    `use    ${suggestion.text}`,
    `kept   ${path}`,
  ];
  return lines.join('\n');
}

function rateWords({ rate, n, ci95 }: JudgeRate, what: string): string {
  if (rate === null || ci95 === null) return `unknown: no label of that kind`;
  return `${formatPercent(rate)} of ${n} ${what} (95%: ${formatPercent(ci95[0])} to ${formatPercent(ci95[1])})`;
}

function correctedWords({ status, rate, ci95 }: Calibration['corrected']['ppi']): string {
  if (status === 'judge_drift') return 'judge drift: no answers could make this judge pass so many or so few';
  if (rate === null || ci95 === null)
    return status === 'uninformative' ? 'the judge is no better than chance' : 'unknown';
  return `${formatPercent(rate)} (95%: ${formatPercent(ci95[0])} to ${formatPercent(ci95[1])})`;
}

/** Rows are what people said, columns what the judge said. */
function tableLines({ labels: given, counts }: Calibration['confusion']): string[] {
  const labels = given.map(visibleLine);
  const width = Math.max(...labels.map((label) => label.length), 6);
  const line = (head: string, cells: readonly (string | number)[]) =>
    `  ${head.padEnd(width)}  ${cells.map((cell) => String(cell).padStart(width)).join('  ')}`;
  return ['people down, judge across', line('', labels), ...labels.map((label, row) => line(label, counts[row] ?? []))];
}
