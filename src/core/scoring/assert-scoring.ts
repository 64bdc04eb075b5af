import type { Fault } from '../errors.ts';
import type { JudgeQuestion } from '../judging/question.ts';
import type { EvalConfig, ScorerSpec } from '../schemas/eval.ts';
import type { Row } from '../schemas/row.ts';
import { type Score, scored } from '../schemas/score.ts';
import { checkFaults, expectedFaults, runCheck } from './checks/run-check.ts';
import type { AnsweredRow, EvalScoring } from './eval-scoring.ts';
import { judgedScore } from './judged-score.ts';

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
        spec.check === JUDGE ? (rules.judge?.rowFaults(row, config) ?? []) : expectedFaults(spec, row),
      );
      return [...firstOfEach(faults), ...(rules.rowFaults?.(row, config) ?? [])];
    },
    questions(answered, config) {
      const { judge } = rules;
      if (judge === null) return [];
      return config.scorers
        .filter((spec) => spec.check === JUDGE)
        .map((spec) => judge.question(answered, spec.name, config));
    },
    score({ row, answer }, judgements, config) {
      const scores: Record<string, Score> = {};
      const failedChecks: string[] = [];
      let asked = 0;
      for (const spec of config.scorers) {
        const score =
          spec.check === JUDGE
            ? judgedScore(spec.name, judgements[asked++])
            : checkScore(spec, answer.text, row, config);
        scores[spec.name] = score;
        if (score.status === 'scored' && score.value < 1) failedChecks.push(spec.name);
      }
      return { scores, failedChecks, warnings: [] };
    },
  };
}

/** A text check's result as a score. */
export function checkScore(spec: ScorerSpec, answer: string, row: Pick<Row, 'expected'>, config: EvalConfig): Score {
  const { passed, reason } = runCheck(spec, answer, row.expected, config);
  return scored(passed ? 1 : 0, reason);
}

/** What is wrong with the list of scorers. */
export function scorerFaults(config: EvalConfig, judgeAllowed: boolean): readonly Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  for (const [index, spec] of config.scorers.entries()) {
    const field = `scorers.${index}`;
    if (seen.has(spec.name)) faults.push({ field, message: `two scorers have the name "${spec.name}"` });
    seen.add(spec.name);
    if (spec.check !== JUDGE) faults.push(...checkFaults(spec, index, judgeAllowed ? [JUDGE] : []));
    else if (judgeAllowed) faults.push(...judgeFaults(config, spec, field));
    else faults.push({ field, message: `an eval of type ${config.type} has no judge scorer`, fix: 'leave it out' });
  }
  if (config.scorers.length === 0 && config.metrics.length === 0) {
    faults.push({ field: 'scorers', message: 'nothing would be scored', fix: 'list a scorer' });
  }
  return faults;
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
