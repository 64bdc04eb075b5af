import { systemClock } from '../adapters/system-clock.ts';
import { calibrationOf } from '../core/calibration/calibration-of.ts';
import { type HumanLabel, parseHumanLabel } from '../core/calibration/human-label.ts';
import { WHOLE_ROW } from '../core/calibration/run-calibration.ts';
import { whyUseless } from '../core/calibration/suggested-use.ts';
import { type LabelledAnswer, tallyAnswers } from '../core/calibration/tally-answers.ts';
import { ConfigError, DatasetError, type Fault } from '../core/errors.ts';
import { nearestName } from '../core/nearest.ts';
import type { Calibration } from '../core/schemas/calibration.ts';
import type { EvalConfig } from '../core/schemas/eval.ts';
import type { RowResult } from '../core/schemas/result.ts';
import { RUN_ID_PATTERN } from '../core/schemas/run.ts';
import type { Score } from '../core/schemas/score.ts';
import { goodness } from '../core/scoring/row-outcome.ts';
import { AskedScales } from './asked-scales.ts';
import { type AsideContext, evaluateAside } from './evaluate-aside.ts';
import { readResults, readRunConfig } from './former-run.ts';
import type { LoadedEval } from './load-eval.ts';
import type { Workspace } from './workspace.ts';

export interface CalibrateOptions {
  /** Column that holds what people said. @default human_label */
  readonly labelColumn: string;
  /** Path of the answer in the row. @default output */
  readonly output: string;
  /** The judged score to compare; absent: the only one, else the verdict on the whole row. */
  readonly metric?: string | undefined;
  /** Value from which an answer passes. @default the row mark of the eval, 0.5 for labels */
  readonly mark?: number | undefined;
  /** Version of the rules that people labelled by. */
  readonly labelPolicy: string;
  /** A stored run by the same judge, whose pass rate is corrected too. */
  readonly run?: string | undefined;
}

const DEFAULT_MARK = 0.5;

/** Asks the judge about answers that people labelled, compares, and keeps what came of it. Throws ConfigError, DatasetError. */
export async function calibrateJudge(
  loaded: LoadedEval,
  options: CalibrateOptions,
  context: AsideContext & { readonly workspace: Pick<Workspace, 'runs' | 'calibrations'> },
): Promise<Calibration> {
  const { config } = loaded;
  if (config.judges.length === 0) {
    const fix = 'name a judge in the eval, or give --judge';
    throw new ConfigError([loaded.locate({ field: 'judge', message: 'there is no judge to calibrate', fix })]);
  }
  const scales = new AskedScales();
  const wrapJudge: AsideContext['wrapJudge'] = (judge) => scales.watch(judge);
  const { run, results, stopped } = await evaluateAside(labelledEval(config, options), loaded, {
    ...context,
    wrapJudge,
  });
  if (stopped !== null) throw new ConfigError([{ message: `the judge was not compared: ${stopped.why}` }]);
  if (run.judge_hash === null) throw new Error('a judge without a hash');

  const metric = pickMetric(results, options.metric);
  const scale = metric === WHOLE_ROW ? null : scales.of(results, metric);
  const { policy } = run;
  const mark =
    options.mark ?? (scale === null && metric !== WHOLE_ROW ? (policy.row_mark ?? DEFAULT_MARK) : DEFAULT_MARK);
  const labels = readLabels(results, scale, options, loaded.datasetPath);
  // One or the other: answers of a run are no sample of those in the labelled file.
  const judgedOnly =
    options.run === undefined
      ? results.flatMap((result, at) => (labels[at] === null ? (judgedValue(result, metric)?.value ?? []) : []))
      : await judgedInRun(options.run, run.judge_hash, metric, context);
  const labelled = results.flatMap((result, at): LabelledAnswer[] => {
    const human = labels[at] ?? null;
    const judged = human === null ? null : judgedValue(result, metric, scale);
    return human === null || judged === null ? [] : [{ human, judged: judged.value, level: judged.level }];
  });
  const calibration = calibrationOf({
    judge_hash: run.judge_hash,
    judges: config.judges.map((judge) => ('model' in judge ? judge.model : judge.type)),
    eval: config.name,
    metric,
    mark,
    date: new Date(systemClock.now()).toISOString(),
    label_policy: options.labelPolicy,
    dataset: { id: run.dataset.id, version: run.dataset.version },
    not_judged: labels.filter((label) => label !== null).length - labelled.length,
    ...tallyAnswers({ labelled, judgedOnly, mark, scale }),
  });
  const useless = whyUseless(calibration);
  if (useless !== null) throw uselessLabels(useless, results, loaded.datasetPath, options.labelColumn);
  if (!(await context.workspace.calibrations.put(calibration))) {
    const path = context.workspace.calibrations.locate(calibration.judge_hash);
    const message = `not kept: ${path} holds a calibration of a later time`;
    throw new ConfigError([{ message, fix: 'set the clock, or remove that file and calibrate again' }]);
  }
  return calibration;
}

/** Nothing is kept of it: an earlier calibration of this judge stays. */
function uselessLabels(why: string, results: readonly RowResult[], file: string, column: string): DatasetError {
  const unjudged = results.find(({ status }) => status !== 'scored');
  const first = unjudged?.error ?? unjudged?.cause ?? null;
  const message = first === null ? why : `${why} (row "${unjudged?.row_id}": ${first})`;
  return new DatasetError([
    { file, column, message, fix: 'label answers that are good and answers that are bad, 30 of each to start' },
  ]);
}

/** The eval with the answers of the labelled dataset in place of its targets; how often rows are asked says nothing here. */
function labelledEval(config: EvalConfig, { output }: CalibrateOptions): EvalConfig {
  const { require_calibration: _required, sample_size: _sample, ...rest } = config;
  return {
    ...rest,
    targets: [{ type: 'recorded', id: 'labelled', output, contexts: 'contexts', trajectory: 'trajectory' }],
    trials: 1,
    confirm_trials: 0,
  };
}

/** Scores that a judge gave: text checks have neither label, number nor votes of their own. */
const isJudged = (score: Score): boolean =>
  score.raw_label !== null || score.raw_score !== null || score.votes.length > 0;

function pickMetric(results: readonly RowResult[], asked: string | undefined): string {
  const judged = new Set<string>();
  for (const { scores } of results) {
    for (const [name, score] of Object.entries(scores)) if (isJudged(score)) judged.add(name);
  }
  const names = [...judged].sort();
  if (asked === WHOLE_ROW || (asked !== undefined && judged.has(asked))) return asked;
  if (asked !== undefined) {
    const nearest = nearestName(asked, names);
    const fix = nearest === undefined ? `judged are ${names.join(', ') || 'none'}` : `did you mean "${nearest}"?`;
    throw new ConfigError([{ field: '--metric', message: `the judge gives no score "${asked}"`, fix }]);
  }
  const [only, ...others] = names;
  return only !== undefined && others.length === 0 ? only : WHOLE_ROW;
}

function judgedValue(
  result: RowResult,
  metric: string,
  scale: readonly string[] | null = null,
): { readonly value: number; readonly level: number | null } | null {
  if (result.status !== 'scored') return null;
  if (metric === WHOLE_ROW) return { value: result.passed ? 1 : 0, level: null };
  const score = result.scores[metric];
  if (score?.status !== 'scored') return null;
  const level = scale?.indexOf(score.raw_label ?? '') ?? -1;
  return { value: goodness(score), level: level < 0 ? null : level };
}

function readLabels(
  results: readonly RowResult[],
  scale: readonly string[] | null,
  { labelColumn }: CalibrateOptions,
  file: string,
): (HumanLabel | null)[] {
  const faults: Fault[] = [];
  const labels = results.map(({ metadata, row_id }) => {
    const label = parseHumanLabel(Object.hasOwn(metadata, labelColumn) ? metadata[labelColumn] : undefined, scale);
    if (label === null || !('fault' in label)) return label;
    faults.push({
      file,
      column: labelColumn,
      message: `row "${row_id}": ${label.fault}`,
      fix: 'mend the label, or empty the cell',
    });
    return null;
  });
  if (faults.length > 0) throw new DatasetError(faults.slice(0, 100));
  if (labels.every((label) => label === null)) {
    const columns = [...new Set(results.flatMap(({ metadata }) => Object.keys(metadata)))];
    const fix =
      columns.length === 0 ? 'add the column' : `name one of ${columns.slice(0, 10).join(', ')} with --label-column`;
    throw new DatasetError([{ file, column: labelColumn, message: 'no row has a human label', fix }]);
  }
  return labels;
}

async function judgedInRun(
  runId: string,
  judgeHash: string,
  metric: string,
  { workspace }: Pick<AsideContext, 'workspace'>,
): Promise<number[]> {
  const run = RUN_ID_PATTERN.test(runId) ? await readRunConfig(runId, workspace.runs) : null;
  if (run === null) {
    throw new ConfigError([
      { field: '--run', message: `there is no run "${runId}"`, fix: 'name a folder under .assay/runs' },
    ]);
  }
  if (run.judge_hash !== judgeHash) {
    const message = `run ${runId} was judged by another judge, prompt or rubric`;
    throw new ConfigError([{ field: '--run', message, fix: 'calibrate the judge that judged it' }]);
  }
  const values: number[] = [];
  for await (const result of readResults(runId, workspace.runs)) {
    const judged = judgedValue(result, metric);
    if (judged !== null) values.push(judged.value);
  }
  return values;
}
