import type { PromptSpec } from './prompt-spec.ts';
import { FENCE_RULES } from './shared-rules.ts';

export const INSTRUCTION_PROMPT: PromptSpec = {
  id: 'instruction',
  version: 1,
  system: `You check whether a reply to an instruction meets a rubric.
The rubric is the only standard. Apply it word for word: the reply passes only if every requirement in it is met, and requirements that are not in it do not count. Count where the rubric asks for a number of things, words or sentences.

${FENCE_RULES}`,
  user: [
    { part: 'input', heading: 'The instruction, with any document that belongs to it' },
    { part: 'rubric', heading: 'The rubric' },
    { part: 'expected', heading: 'An example of a good reply' },
    { part: 'answer', heading: 'The reply under judgement' },
  ],
};

export const INSTRUCTION_DEFINITION =
  'Does the reply meet the rubric in every point? Label "pass" when it does and "fail" when any point is missed.';
