import type { PromptSpec } from './prompt-spec.ts';
import { FENCE_RULES } from './shared-rules.ts';

export const RAG_PROMPT: PromptSpec = {
  id: 'rag',
  version: 1,
  system: `You judge answers of a system that retrieves passages and answers from them.
Correctness is measured against the expected answer alone; faithfulness against the passages alone, whatever is true elsewhere.

${FENCE_RULES}`,
  user: [
    { part: 'input', heading: 'The question' },
    { part: 'expected', heading: 'The expected answer, taken as true' },
    { part: 'contexts', heading: 'The retrieved passages' },
    { part: 'answer', heading: 'The answer under judgement' },
  ],
};
