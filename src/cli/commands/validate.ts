import { createEnvironment } from '../../adapters/build-environment.ts';
import { openDatasetFile } from '../../adapters/local/dataset-file.ts';
import { JavaScriptEvaluator } from '../../adapters/local/javascript-evaluator.ts';
import { readPrices } from '../../adapters/local/prices-file.ts';
import { LocalSecrets } from '../../adapters/local/secrets.ts';
import { aboutWhatWasRead, withFurther } from '../../core/config/readable-part.ts';
import { type DatasetPreview, previewDataset } from '../../core/dataset/preview-dataset.ts';
import { ConfigError, DatasetError, type Fault, formatFault } from '../../core/errors.ts';
import { jsonToText } from '../../core/json.ts';
import { nextRuns } from '../../core/schedule/next-run.ts';
import { resolvePolicy } from '../../core/scoring/policy.ts';
import { scoringFor } from '../../core/scoring/scoring-for.ts';
import { constantRequests } from '../../core/template/constant-request.ts';
import type { RunEnvironment } from '../../ports/environment.ts';
import { countOf } from '../../report/format.ts';
import { snippet, visibleLine } from '../../report/visible-text.ts';
import { findNamedBaseline } from '../../runner/find-baseline.ts';
import { checkReplayedRuns } from '../../runner/former-run.ts';
import { type EvalFileReading, type LoadedEval, readEvalFile } from '../../runner/load-eval.ts';
import { Workspace } from '../../runner/workspace.ts';
import { checkConfig, rowCheck } from '../../use-cases/prepare/prepare-run.ts';
import { EXIT_PASSED, EXIT_UNDECIDED } from '../exit.ts';
import { ForgivingSecrets } from '../forgiving-secrets.ts';
import { JUDGE_OPTIONS, judgesFromFlags } from '../judge-flags.ts';
import { type ParsedOptions, parseOptions } from '../options.ts';
import { scheduleText } from '../schedule-text.ts';
import { SOURCE_OPTIONS, sourceFromFlags } from '../source-flags.ts';

const HELP = `assay validate <eval.yaml> [--rows n] [--json]     check an eval and its whole dataset; nothing is sent

Shows every fault at once, with file, line and field, and the first rows as they will be asked (default 3).
`;

const PREVIEW_ROWS = 3;
const PREVIEW_CHARACTERS = 100;
const NEXT_RUNS = 3;

export async function validate(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    ...JUDGE_OPTIONS,
    ...SOURCE_OPTIONS,
    rows: { type: 'string' },
    json: { type: 'boolean' },
    prices: { type: 'string' },
    dir: { type: 'string' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const file = options.only('eval file', 'assay validate <eval.yaml>');
  const reading = await readEvalFile(file, {
    judges: judgesFromFlags(options),
    source: sourceFromFlags(options),
  }).catch((error: unknown): EvalFileReading => {
    if (!(error instanceof ConfigError) || !options.flag('json')) throw error;
    return { loaded: null, faults: error.faults, unread: new Set(), datasetPath: null };
  });
  const { loaded } = reading;
  const checked = loaded === null ? NOT_CHECKED : await checkSettings(loaded, reading.unread, options);
  const { preview, fault } = await readPreview(reading, checked.findSecret, options.count('rows') ?? PREVIEW_ROWS);
  const settings = withFurther(reading.faults, aboutWhatWasRead(checked.faults, reading.unread));
  const faults = [...settings, ...(fault ?? preview?.faults ?? [])];
  if (options.flag('json')) {
    const { firstRows = [], ...counts } = preview ?? {};
    const scheduled = loaded?.config.schedule === undefined ? null : loaded.config;
    const starts = scheduled === null ? {} : { next_runs: nextRuns(scheduled, Date.now(), NEXT_RUNS) };
    process.stdout.write(
      `${JSON.stringify({ valid: faults.length === 0, ...counts, ...starts, faults, first_rows: firstRows }, null, 2)}\n`,
    );
  } else {
    for (const found of faults) process.stderr.write(`${visibleLine(formatFault(found))}\n`);
    for (const warning of [...(loaded?.warnings ?? []), ...checked.warnings, ...(preview?.warnings ?? [])])
      process.stderr.write(`warning: ${visibleLine(warning)}\n`);
    if (loaded !== null && preview !== null) printPreview(loaded, preview, faults.length);
  }
  return faults.length === 0 ? EXIT_PASSED : EXIT_UNDECIDED;
}

interface CheckedSettings {
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
  readonly findSecret?: RunEnvironment['findSecret'];
}
const NOT_CHECKED: CheckedSettings = { faults: [], warnings: [] };

/** What configuration, secrets and outbound rules say, each found on its own so that one fault does not hide the next. */
async function checkSettings(
  loaded: LoadedEval,
  unread: ReadonlySet<string>,
  options: ParsedOptions,
): Promise<CheckedSettings> {
  const { config } = loaded;
  const faults: Fault[] = [];
  const collect = async (step: () => Promise<void> | void): Promise<void> => {
    try {
      await step();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(...error.faults.map(loaded.locate));
    }
  };
  const prices = await readPrices(options.text('prices'));
  const workspace = new Workspace(options.text('dir') ?? '.assay');
  const scoring = scoringFor(config.type);
  await collect(() => checkReplayedRuns(config.judges, workspace.runs));
  await collect(async () => void (await findNamedBaseline(config, workspace)));
  await collect(() => void resolvePolicy(config));
  if (['target', 'targets', 'judge'].some((key) => unread.has(key))) {
    // There is nothing to connect to; what the other keys say can be told.
    await collect(() => checkConfig(config, { scoring, prices, targets: [], judges: [] }));
    return { faults, warnings: [] };
  }
  let rest: Omit<CheckedSettings, 'faults'> = { warnings: [] };
  await collect(async () => {
    const environment = await createEnvironment(config, {
      secrets: new ForgivingSecrets(new LocalSecrets({ folder: loaded.folder }), faults),
      prices,
      loopback: true,
      env: process.env,
      openFormerRun: () => async () => null,
      createExpressions: () => new JavaScriptEvaluator(),
    });
    rest = {
      warnings: [...(environment.warnings ?? []), ...constantRequests(config.targets)],
      findSecret: environment.findSecret,
    };
    try {
      await collect(() => checkConfig(config, { ...environment, prices, scoring }));
      for (const target of environment.targets) await collect(() => target.check());
      // Region and credentials are looked for as a run does, so that what is called valid here runs here.
      for (const judge of environment.judges) await collect(() => judge.check());
    } finally {
      await environment.close();
    }
  });
  return { faults, ...rest };
}

/** Keys that decide what a row must have: where one of them cannot be read, rows are only read. */
const DECIDE_ROWS = ['type', 'target', 'targets', 'judge', 'metrics', 'scorers', 'labels'];

async function readPreview(
  { loaded, unread, datasetPath }: EvalFileReading,
  findSecret: CheckedSettings['findSecret'],
  rows: number,
): Promise<{ preview: DatasetPreview | null; fault?: readonly Fault[] }> {
  if (datasetPath === null) return { preview: null };
  try {
    const source = await openDatasetFile(datasetPath);
    if (loaded === null || unread.has('columns')) return { preview: null };
    const { config } = loaded;
    const isKnown = !DECIDE_ROWS.some((key) => unread.has(key));
    const checkRow = isKnown ? { checkRow: rowCheck(config, { scoring: scoringFor(config.type), findSecret }) } : {};
    return { preview: await previewDataset(source, rows, { columns: config.columns, ...checkRow }) };
  } catch (error) {
    if (error instanceof DatasetError) return { preview: null, fault: error.faults };
    throw error;
  }
}

function printPreview({ config, datasetPath }: LoadedEval, preview: DatasetPreview, faultCount: number): void {
  const targets = config.targets.map((target) => target.id).join(', ');
  const starts = scheduleText(config, Date.now(), NEXT_RUNS);
  const lines = [
    `${config.name}  type ${config.type}, targets ${targets}`,
    ...(starts === null ? [] : [`deployed, it ${starts}`]),
    `${datasetPath}  ${countOf(preview.rows, 'row')}${preview.withoutInput > 0 ? `, ${preview.withoutInput} more without an input (left out)` : ''}`,
    ...preview.firstRows.flatMap((row) => [
      `  ${snippet(row.id, PREVIEW_CHARACTERS)}`,
      `    input     ${snippet(jsonToText(row.input), PREVIEW_CHARACTERS)}`,
      ...(row.expected === null ? [] : [`    expected  ${snippet(jsonToText(row.expected), PREVIEW_CHARACTERS)}`]),
      ...(row.rubric === null ? [] : [`    rubric    ${snippet(row.rubric, PREVIEW_CHARACTERS)}`]),
      ...(row.contexts === null ? [] : [`    contexts  ${row.contexts.length}`]),
    ]),
    faultCount === 0 ? 'valid' : countOf(faultCount, 'fault'),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
