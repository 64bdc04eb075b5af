import { resolve } from 'node:path';
import { readPrices } from '../../adapters/local/prices-file.ts';
import { ConfigError } from '../../core/errors.ts';
import { evalJudgeHash } from '../../core/judging/eval-judge-hash.ts';
import type { Calibration } from '../../core/schemas/calibration.ts';
import { describeCalibration } from '../../report/calibration-text.ts';
import { visibleLine } from '../../report/visible-text.ts';
import { calibrateJudge } from '../../runner/calibrate-judge.ts';
import { type LoadedEval, loadEval } from '../../runner/load-eval.ts';
import { Workspace } from '../../runner/workspace.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, clientOf } from '../deployed-client.ts';
import { EXIT_PASSED } from '../exit.ts';
import { catchInterrupts } from '../interrupts.ts';
import { JUDGE_OPTIONS, judgesFromFlags } from '../judge-flags.ts';
import { type ParsedOptions, parseOptions } from '../options.ts';
import { projectOf } from '../project-option.ts';
import { defaultJudgeOf, describePushed, pushCalibration } from '../push-calibration.ts';

const HELP = `assay calibrate <eval.yaml> --labels <dataset>     compare the eval's judge with what people say
assay calibrate <eval.yaml> --push --project <id>     give a deployed app what is kept here of this judge; with --labels, compare first

The dataset holds rows of the eval with an answer (output) and a column human_label: pass or fail, true or false, a number
from 0 to 1, or a label of the judge's scale. Rows without a label are judged too: the pass rate that people would have
given them is estimated. The outcome is kept in .assay/calibrations, where require_calibration looks for it; a deployed app
looks among those that were pushed to its project.

  --labels <file>         the labelled dataset
  --label-column <name>   the column with the labels (default human_label)
  --label-policy <text>   version of the rules that people labelled by (default unversioned)
  --output <path>         where the answer lies in a row (default output)
  --metric <name>         the judged score to compare; row = the verdict on the whole row
  --mark <value>          value 0..1 from which an answer passes
  --run <run>             a stored run by the same judge: its pass rate is corrected too
  --judge, --judge-model, --judge-url   as for assay run
  --prices <file>, --dir <folder>, --json

  --push            into a deployed app, by a token that may write
  --project <id>    its project (default ASSAY_PROJECT), whose default judge stands in for an eval without one
${CONNECTION_HELP}
`;

export async function calibrate(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    ...JUDGE_OPTIONS,
    ...CONNECTION_OPTIONS,
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
    push: { type: 'boolean' },
    project: { type: 'string' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const usage = 'assay calibrate <eval.yaml> --labels <dataset>';
  const file = options.only('eval file', usage);
  const labels = options.text('labels');
  const target = options.flag('push') ? { client: clientOf(options), project: projectOf(options) } : null;
  if (labels === undefined && target === null) {
    throw new ConfigError([{ message: 'no labelled dataset given', fix: usage }]);
  }
  const mark = markOf(options.text('mark'));
  // An app that is not there, or a token that is none, is found before the judge is paid.
  const fallbackJudges = target === null ? undefined : await defaultJudgeOf(target);
  const loaded = await loadEval(file, {
    judges: judgesFromFlags(options),
    fallbackJudges,
    ...(labels === undefined ? {} : { source: { dataset: resolve(labels) } }),
  });
  const workspace = new Workspace(options.text('dir') ?? '.assay');
  const calibration =
    labels === undefined
      ? await keptCalibration(loaded, workspace)
      : await compare(loaded, workspace, { ...options, mark });
  const pushed = target === null ? null : await pushCalibration(calibration, target);
  const path = workspace.calibrations.locate(calibration.judge_hash);
  const text = options.flag('json')
    ? JSON.stringify(pushed === null ? calibration : { ...calibration, pushed_to: pushed }, null, 2)
    : [describeCalibration(calibration, path), ...(pushed === null ? [] : [visibleLine(describePushed(pushed))])].join(
        '\n',
      );
  process.stdout.write(`${text}\n`);
  return EXIT_PASSED;
}

async function compare(
  loaded: LoadedEval,
  workspace: Workspace,
  options: Pick<ParsedOptions, 'text'> & { readonly mark: number | undefined },
): Promise<Calibration> {
  const interrupts = catchInterrupts();
  try {
    return await calibrateJudge(
      loaded,
      {
        labelColumn: options.text('label-column') ?? 'human_label',
        labelPolicy: options.text('label-policy') ?? 'unversioned',
        output: options.text('output') ?? 'output',
        metric: options.text('metric'),
        mark: options.mark,
        run: options.text('run'),
      },
      { workspace, prices: await readPrices(options.text('prices')), cancel: interrupts.signal },
    );
  } finally {
    interrupts.stop();
  }
}

async function keptCalibration({ config, locate }: LoadedEval, { calibrations }: Workspace): Promise<Calibration> {
  const hash = evalJudgeHash(config);
  const kept = hash === null ? null : await calibrations.find(hash);
  if (kept !== null) return kept;
  throw new ConfigError([
    locate({
      field: 'judge',
      message: 'this judge, with its prompt and rubric, was never compared with human labels here',
      fix: 'add --labels <dataset>',
    }),
  ]);
}

function markOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const mark = Number(text);
  if (text.trim() !== '' && mark >= 0 && mark <= 1) return mark;
  throw new ConfigError([{ field: '--mark', message: `a mark lies between 0 and 1, not "${text}"` }]);
}
