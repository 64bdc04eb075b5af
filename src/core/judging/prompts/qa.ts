import type { PromptSpec } from './prompt-spec.ts';
import { FENCE_RULES } from './shared-rules.ts';

export const QA_PROMPT: PromptSpec = {
  id: 'qa',
  version: 1,
  system: `You check answers of a question answering system against the expected answer.
The answer passes when it states or clearly implies the substance of the expected answer as its reply to the question. Other wording, other units of the same quantity and further correct detail are fine. It fails when it contradicts the expected answer, leaves out what decides it, hedges between it and something else, takes it back, or declines to answer.

${FENCE_RULES}`,
  user: [
    { part: 'input', heading: 'The question' },
    { part: 'expected', heading: 'The expected answer, taken as true' },
    { part: 'answer', heading: 'The answer under judgement' },
  ],
};

/** The definition that goes with the prompt. */
export const QA_DEFINITION =
  'Does the answer correctly address the expected answer? Label "pass" when it does and "fail" when it does not.';
