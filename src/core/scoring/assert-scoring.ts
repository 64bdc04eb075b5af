import type { Fault } from '../errors.ts';
import type { JudgeQuestion } from '../judging/question.ts';
import type { EvalConfig, ScorerSpec } from '../schemas/eval.ts';
import type { Row } from '../schemas/row.ts';
import { type Score, scored, unscored } from '../schemas/score.ts';
import type { RowValues } from './checks/row-values.ts';
import { checkFaults, expectedFaults, runRowCheck } from './checks/run-check.ts';
import type { AnswerFacts } from './checks/text-check.ts';
import type { AnsweredRow, EvalScoring, Judgement } from './eval-scoring.ts';
import { rubricFaults, rubricQuestion, rubricRowFaults, rubricScore } from './judge-rubric.ts';
import { judgedScore } from './judged-score.ts';
import { isRubricScorer } from './rubric-scorer.ts';

/** Name of the judged scorer among the text checks. */
export const JUDGE = 'judge';

export interface AssertRules {
  /** How the judge is asked, and what it needs of the row; null: this type has no judged scorer. */
  readonly judge: {
    question(answered: AnsweredRow, name: string, config: EvalConfig): JudgeQuestion;
    rowFaults(row: Row, config: EvalConfig): readonly Fault[];
  } | null;
  /** Further faults of the configuration. */
  configFaults?(config: EvalConfig): readonly Fault[];
  rowFaults?(row: Row, config: EvalConfig): readonly Fault[];
}

/** Scoring of the types whose scorers each pass or fail a row: text checks and one judged question. */
export function assertScoring(rules: AssertRules): EvalScoring {
  return {
    checkConfig(config) {
      return [...scorerFaults(config, rules.judge !== null), ...(rules.configFaults?.(config) ?? [])];
    },
    checkRow(row, config) {
      const faults = config.scorers.flatMap((spec) =>
        spec.check === JUDGE ? (rules.judge?.rowFaults(row, config) ?? []) : scorerRowFaults(spec, row, config),
      );
      return [...firstOfEach(faults), ...(rules.rowFaults?.(row, config) ?? [])];
    },
    questions(answered, config) {
      return config.scorers.flatMap((spec) => {
        if (spec.check !== JUDGE) return rubricQuestion(spec, answered, config) ?? [];
        return rules.judge === null ? [] : [rules.judge.question(answered, spec.name, config)];
      });
    },
    score(answered, judgements, config) {
      const scores: Record<string, Score> = {};
      const failedChecks: string[] = [];
      let asked = 0;
      for (const spec of config.scorers) {
        const isAsked = spec.check === JUDGE || rubricQuestion(spec, answered, config) !== null;
        const judgement = isAsked ? judgements[asked++] : undefined;
        const score =
          spec.check === JUDGE ? judgedScore(spec.name, judgement) : scorerScore(spec, answered, judgement, config);
        scores[spec.name] = score;
        if (score.status === 'scored' && score.value < 1) failedChecks.push(spec.name);
      }
      return { scores, failedChecks, warnings: [] };
    },
  };
}

/** What a row lacks for a scorer that is not the type's own judge. */
export function scorerRowFaults(spec: ScorerSpec, row: Row, config: EvalConfig): readonly Fault[] {
  return isRubricScorer(spec) ? rubricRowFaults(spec, row, config) : expectedFaults(spec, row);
}

/** A text check's or a rubric's result as a score; `judgement` answers the scorer's question, if it asks one. */
export function scorerScore(
  spec: ScorerSpec,
  answered: AnsweredRow,
  judgement: Judgement | undefined,
  config: EvalConfig,
): Score {
  if (isRubricScorer(spec)) return rubricScore(spec, answered, judgement, config);
  const { row, answer, latencyMs, costUsd, expressions } = answered;
  return checkScore(spec, answer.text, row, config, { latencyMs, costUsd, expression: expressions?.get(spec.name) });
}

/** A text check's result as a score. Not applicable: it takes its text from the row, and the row has none. */
export function checkScore(
  spec: ScorerSpec,
  answer: string,
  row: Pick<Row, 'expected'> & RowValues,
  config: EvalConfig,
  facts: AnswerFacts = {},
): Score {
  const result = runRowCheck(spec, answer, row, config, facts);
  if (result === null) return unscored('not-applicable', `the row has no ${String(spec.options.from)}`);
  return scored(result.passed ? 1 : 0, result.reason, { raw_score: result.rawScore ?? null });
}

/** What is wrong with the list of scorers. */
export function scorerFaults(config: EvalConfig, judgeAllowed: boolean): readonly Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  for (const [index, spec] of config.scorers.entries()) {
    const field = `scorers.${index}`;
    if (seen.has(spec.name)) faults.push({ field, message: `two scorers have the name "${spec.name}"` });
    seen.add(spec.name);
    if (isRubricScorer(spec)) faults.push(...rubricFaults(spec, index, config));
    else if (spec.check !== JUDGE) faults.push(...checkFaults(spec, index, judgeAllowed ? [JUDGE] : []));
    else if (judgeAllowed) faults.push(...judgeFaults(config, spec, field));
    else faults.push({ field, message: `an eval of type ${config.type} has no judge scorer`, fix: 'leave it out' });
  }
  faults.push(...unmeasuredFaults(config));
  if (config.scorers.length === 0 && config.metrics.length === 0) {
    faults.push({ field: 'scorers', message: 'nothing would be scored', fix: 'list a scorer' });
  }
  return faults;
}

/** A limit on what no target reports would fail every row, and its negation too. */
function unmeasuredFaults(config: EvalConfig): readonly Fault[] {
  return config.scorers.flatMap((spec, index) => {
    const field = `scorers.${index}`;
    const unmeasured = (known: (target: EvalConfig['targets'][number]) => boolean) =>
      config.targets.filter((target) => !known(target)).map((target) => target.id);
    if (/^(?:not-)?latency$/.test(spec.check)) {
      const without = unmeasured((target) => target.type !== 'recorded');
      if (without.length === 0) return [];
      const message = `target ${without.join(', ')} has recorded answers, whose time is not known`;
      return [{ field, message, fix: `leave ${spec.check} out` }];
    }
    if (/^(?:not-)?cost$/.test(spec.check)) {
      const without = unmeasured((target) => isMetered(target));
      if (without.length === 0) return [];
      const message = `what target ${without.join(', ')} costs is not metered`;
      return [{ field, message, fix: `set cost_path on it, or leave ${spec.check} out` }];
    }
    return [];
  });
}

function isMetered(target: EvalConfig['targets'][number]): boolean {
  if (target.type === 'bedrock') return true;
  return 'cost_path' in target ? target.cost_path !== undefined : false;
}

function judgeFaults(config: EvalConfig, spec: ScorerSpec, field: string): readonly Fault[] {
  const faults: Fault[] = Object.keys(spec.options).map((key) => ({
    field,
    message: `judge has no option "${key}"`,
    fix: 'leave it out; the judge itself is configured under judge:',
  }));
  if (config.judges.length === 0) {
    const others = config.scorers.filter((other) => other.check !== JUDGE).map((other) => other.name);
    const without = others.length > 0 ? others.join(', ') : 'contains';
    const fix = `add judge: {model: …}, or set scorers: [${without}] to check text only`;
    faults.push({ field: 'judge', message: `an eval of type ${config.type} needs a judge and has none`, fix });
  }
  return faults;
}

/** Several checks say the same of one row; once is enough. */
function firstOfEach(faults: readonly Fault[]): Fault[] {
  const byPlace = new Map<string, Fault>();
  for (const fault of faults) {
    const key = fault.message.replace(/, which .* needs$/, '');
    if (!byPlace.has(key)) byPlace.set(key, fault);
  }
  return [...byPlace.values()];
}
