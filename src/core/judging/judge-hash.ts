import { canonicalJson, type JsonValue, sha256Hex } from '../json.ts';
import type { JudgeConfig } from '../schemas/judge-config.ts';

export interface JudgeHashInput {
  readonly judges: readonly JudgeConfig[];
  /** `promptVersion` of every prompt the eval's questions use. */
  readonly promptVersions: readonly string[];
  /** The eval's rubric; rubrics of rows belong to the dataset version. */
  readonly rubric: string | null;
  /** The scales or asks the judge rules by, as data. */
  readonly scales: JsonValue;
  /** What else changes a verdict, such as `judge_calls`. */
  readonly settings: JsonValue;
}

/**
 * SHA-256 over all that can change a verdict. Runs whose hashes differ are compared only with a warning.
 * Address, region, key and time limit of a judge are left out: they decide whether it answers, not what.
 */
export function judgeHash(input: JudgeHashInput): string {
  const judges = input.judges.map((judge) => canonicalJson(whatDecides(judge))).sort();
  const promptVersions = [...new Set(input.promptVersions)].sort();
  const { rubric, scales, settings } = input;
  return sha256Hex(canonicalJson({ judges, promptVersions, rubric, scales, settings }));
}

function whatDecides(judge: JudgeConfig): JsonValue {
  if (judge.type === 'lexical' || judge.type === 'recorded') return { ...judge };
  const { type, model, max_tokens, temperature } = judge;
  return { type, model, max_tokens, temperature };
}
