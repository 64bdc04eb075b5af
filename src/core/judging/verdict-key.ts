import { canonicalJson, type JsonValue, sha256Hex } from '../json.ts';
import type { JudgeConfig } from '../schemas/judge-config.ts';
import { promptVersion } from './prompts/registry.ts';
import type { JudgeQuestion } from './question.ts';

/** A change of what an entry holds or of how a reply is read. */
const FORMAT = 1;

/**
 * Names a verdict by everything that reaches the judge and by the trial, so that repeated trials are judged anew. The row
 * and the run are left out: the same answer to the same question is the same judgement.
 */
export function verdictKey(judge: JudgeConfig, question: JudgeQuestion, trial: number): string {
  const { promptId, ...asked } = question;
  return sha256Hex(
    canonicalJson({ format: FORMAT, judge: whatDecides(judge), prompt: promptVersion(promptId), ...asked, trial }),
  );
}

/** A server of one's own may call any model by any name, so its address counts; Bedrock's model ids are global. */
function whatDecides(judge: JudgeConfig): JsonValue {
  if (judge.type === 'lexical' || judge.type === 'recorded') return { ...judge };
  const { type, model, max_tokens, temperature } = judge;
  return { type, model, max_tokens, temperature, ...(type === 'openai' ? { url: judge.url } : {}) };
}
