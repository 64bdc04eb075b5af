import type { PromptSpec } from './prompt-spec.ts';
import { FENCE_RULES } from './shared-rules.ts';

/** For a scorer with a rubric and a scale of its own. */
export const RUBRIC_PROMPT: PromptSpec = {
  id: 'rubric',
  version: 1,
  system: `You grade an answer of an AI system against a rubric, with one label of a given scale.
The rubric is the only standard. Apply it word for word; what is not in it does not count. Count where it asks for a number of things, words or sentences.

${FENCE_RULES}`,
  user: [
    { part: 'input', heading: 'The input that the system was given' },
    { part: 'rubric', heading: 'The rubric' },
    { part: 'expected', heading: 'The expected answer' },
    { part: 'contexts', heading: 'The passages that the answer may rest on' },
    { part: 'answer', heading: 'The answer under judgement' },
  ],
};

export const RUBRIC_DEFINITION =
  'Which label does the answer earn under the rubric? The labels are ordered, the first is the worst and the last the best.';
