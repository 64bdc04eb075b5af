import { readPrices } from '../../adapters/local/prices-file.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import { ConfigError, type Fault } from '../../core/errors.ts';
import { wasThrottled } from '../../core/pace/throttle-warning.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import type { RunSummary } from '../../core/schemas/summary.ts';
import { countOf } from '../../report/format.ts';
import { createProgress, type Progress } from '../../report/progress.ts';
import { visibleLine } from '../../report/visible-text.ts';
import type { FinishedRun } from '../../runner/finish-run.ts';
import { type EvalOverrides, type LoadedEval, loadEval } from '../../runner/load-eval.ts';
import { findFolders } from '../../runner/load-folder.ts';
import { resumeLocalRun, startLocalRun } from '../../runner/local-run.ts';
import type { LocalRunContext } from '../../runner/local-run-context.ts';
import { Workspace } from '../../runner/workspace.ts';
import { boundYoungGeneration } from '../bound-young-generation.ts';
import { EXIT_PASSED, exitOfGate } from '../exit.ts';
import { catchInterrupts } from '../interrupts.ts';
import { JUDGE_OPTIONS, judgesFromFlags } from '../judge-flags.ts';
import { type ParsedOptions, parseOptions } from '../options.ts';
import { printSummary } from '../print-summary.ts';
import { SOURCE_OPTIONS, sourceFromFlags } from '../source-flags.ts';

const HELP = `assay run <eval.yaml>     run an eval on this machine; also Plainwright's eval-test.json
assay run <folder> --model <id>…   a supereval dataset folder: dataset.json and cases.jsonl
assay run --all <folder>  every dataset folder in it, one after the other
assay run --resume <run>  go on with an interrupted run; finished rows are kept

  --judge <type>          bedrock | openai | lexical | recorded, instead of the eval's judge
  --judge-model <id>      its model
  --judge-url <url>       an OpenAI-compatible server, such as http://127.0.0.1:11434/v1
  --judge-from <run>      replay the verdicts of a former run
  --judge-cache           keep verdicts, and use them where nothing that decides them changed
  --model <id>            Bedrock model to ask, for a dataset folder; once for each
  --prompt <file>         its prompt, over the default of the dataset's type
  --compare-baseline      compare with the folder's baseline.json
  --dataset <file>        the dataset, over the one that the eval names
  --baseline <what>       last-pass (default), last-pass:same-ref, pinned, none, or a run id to compare with
  --concurrency <n>       requests to the targets in flight
  --sample <n>            a fixed sample of n rows
  --trials <n>            times each row is asked
  --time-budget <s>       seconds for the whole run
  --prices <file>         a price table of your own, over the one that comes with Assay
  --ref <branch>, --sha <commit>   kept with the run
  --dir <folder>          where runs are kept (default .assay)
  --json                  print summary.json on standard output, nothing else
  --quiet                 no progress

Ctrl-C ends the run after the rows in flight and still writes the results; a second one stops at once.
Exit codes: 0 passed, 1 failed, 2 could not decide. A quarantined eval (quarantined: true) is run and reported and
never decides the gate: when it fails the exit code is 0, and 2 when it could not be decided.
`;

const OPTIONS = {
  ...JUDGE_OPTIONS,
  ...SOURCE_OPTIONS,
  all: { type: 'boolean' },
  'judge-cache': { type: 'boolean' },
  baseline: { type: 'string' },
  concurrency: { type: 'string' },
  sample: { type: 'string' },
  trials: { type: 'string' },
  'time-budget': { type: 'string' },
  prices: { type: 'string' },
  ref: { type: 'string' },
  sha: { type: 'string' },
  dir: { type: 'string' },
  resume: { type: 'string' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
} as const;

const MAX_CONCURRENCY = 10_000;
const MAX_TRIALS = 100;

export async function run(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, OPTIONS);
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const interrupts = catchInterrupts();
  const stopBounding = boundYoungGeneration();
  const finished: FinishedRun[] = [];
  try {
    const context = {
      workspace: new Workspace(options.text('dir') ?? '.assay'),
      prices: await readPrices(options.text('prices')),
      ref: options.text('ref') ?? null,
      sha: options.text('sha') ?? null,
      cancel: interrupts.signal,
    };
    for await (const one of runAll(options, context)) {
      finished.push(one);
      if (!options.flag('json')) printSummary(one);
    }
  } finally {
    interrupts.stop();
    stopBounding();
  }
  const summaries = finished.map(({ summary }) => summary);
  if (options.flag('json')) {
    process.stdout.write(`${JSON.stringify(options.flag('all') ? summaries : summaries[0], null, 2)}\n`);
  }
  for (const summary of summaries) noteQuarantine(summary);
  return Math.max(...summaries.map(exitOfGate));
}

/** On standard error, where --json does not hide it and the exit code alone would puzzle. */
function noteQuarantine({ eval: name, gate, quarantined }: RunSummary): void {
  if (!quarantined || gate !== 'fail') return;
  process.stderr.write(`${visibleLine(name)} failed and is quarantined: it does not decide, the exit code is 0\n`);
}

/** One run, or with --all one for each dataset folder; all are read before the first starts. */
async function* runAll(options: ParsedOptions, context: LocalRunContext): AsyncGenerator<FinishedRun> {
  if (options.flag('all') && options.text('resume') === undefined) {
    const folders = await findFolders(options.only('folder', 'assay run --all <folder>'));
    for (const loaded of await loadFolders(folders, options)) {
      yield await withProgress(options, context, (shown) => startLocalRun(loaded, shown));
      if (context.cancel.aborted) return;
    }
    return;
  }
  yield await withProgress(options, context, (shown) => execute(options, shown));
}

/** What is wrong with any of them is said at once, before anything is spent. */
async function loadFolders(folders: readonly string[], options: ParsedOptions): Promise<readonly LoadedEval[]> {
  const loaded: LoadedEval[] = [];
  const faults: Fault[] = [];
  for (const folder of folders) {
    try {
      loaded.push(await loadEval(folder, overridesOf(options)));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(...error.faults.map((fault) => ({ file: folder, ...fault })));
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return loaded;
}

async function withProgress(
  options: ParsedOptions,
  context: LocalRunContext,
  start: (context: LocalRunContext) => Promise<FinishedRun>,
): Promise<FinishedRun> {
  const progress = new RunProgress(options);
  try {
    return await start({
      ...context,
      onStart: (started, done) => progress.start(started, done),
      onResult: (result) => progress.add(result),
      onConfirm: (rows, trials) => progress.confirm(rows, trials),
    });
  } finally {
    progress.finish();
  }
}

async function execute(options: ParsedOptions, context: LocalRunContext): Promise<FinishedRun> {
  const resume = options.text('resume');
  if (resume !== undefined) {
    const [file] = options.positionals;
    if (file !== undefined)
      throw new ConfigError([{ message: '--resume takes the eval from the run', fix: `leave out "${file}"` }]);
    rejectWithResume(options);
    return resumeLocalRun(resume, context, options.text('baseline'));
  }
  const loaded = await loadEval(options.only('eval file', 'assay run <eval.yaml>'), overridesOf(options));
  return startLocalRun(loaded, context);
}

function overridesOf(options: ParsedOptions): EvalOverrides {
  return {
    judges: judgesFromFlags(options),
    baseline: options.text('baseline'),
    concurrency: options.count('concurrency', MAX_CONCURRENCY),
    sampleSize: options.count('sample'),
    trials: options.count('trials', MAX_TRIALS),
    timeBudgetS: options.count('time-budget'),
    judgeCache: options.flag('judge-cache'),
    source: sourceFromFlags(options),
    maxEvalRows: process.env.MAX_EVAL_ROWS_PER_RUN,
  };
}

/** A resumed run keeps its configuration: a flag that would change it is refused, not passed over. */
function rejectWithResume(options: ParsedOptions): void {
  const kept = ['resume', 'baseline', 'dir', 'prices', 'json', 'quiet'];
  const [first] = Object.keys(OPTIONS).filter((name) => !kept.includes(name) && isGiven(options, name));
  if (first === undefined) return;
  throw new ConfigError([
    { message: `--${first} cannot be changed in a run that has started`, fix: `leave it out, or start a new run` },
  ]);
}

const isGiven = (options: ParsedOptions, name: string): boolean =>
  options.text(name) !== undefined || options.flag(name) || options.list(name).length > 0;

/** Counts results for the progress line, which goes to standard error so that --json stays clean. */
class RunProgress {
  private readonly quiet: boolean;
  private line: Progress | null = null;
  private done = 0;
  private failed = 0;
  private errors = 0;
  private throttled = 0;

  constructor(options: ParsedOptions) {
    this.quiet = options.flag('quiet');
  }

  start(run: RunConfig, done: number): void {
    if (this.quiet) return;
    const total = run.rows * run.eval.targets.length * run.eval.trials;
    process.stderr.write(
      `${run.run_id}  ${run.eval.name}  ${countOf(run.rows, 'row')}${done > 0 ? `, ${countOf(done, 'result')} kept` : ''}\n`,
    );
    this.done = done;
    this.line = createProgress({
      total,
      alreadyDone: done,
      stream: process.stderr,
      isTty: process.stderr.isTTY === true,
      clock: systemClock,
    });
  }

  add(result: RowResult): void {
    // Nothing was done about it, or it is beside the manifest's results, which are counted.
    if (result.status === 'skipped' || result.phase === 'confirm') return;
    this.done += 1;
    if (result.status === 'scored' && !result.passed) this.failed += 1;
    if (result.status === 'target_error' || result.status === 'judge_error') this.errors += 1;
    if (wasThrottled(result)) this.throttled += 1;
    this.line?.update(this.done, this.failed, this.errors, this.throttled);
  }

  confirm(rows: number, trials: number): void {
    if (this.quiet) return;
    this.line?.finish();
    this.line = null;
    const them = rows === 1 ? 'it is' : 'they are';
    process.stderr.write(
      `${countOf(rows, 'row')} passed in the baseline and failed now: ${them} tried ${trials === 1 ? '' : 'up to '}${trials} more ${trials === 1 ? 'time' : 'times'}\n`,
    );
  }

  finish(): void {
    this.line?.finish();
  }
}
