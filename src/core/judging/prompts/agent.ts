import type { PromptSpec } from './prompt-spec.ts';
import { FENCE_RULES } from './shared-rules.ts';

export const AGENT_PROMPT: PromptSpec = {
  id: 'agent',
  version: 1,
  system: `You judge the work of an AI agent that answers a task with the help of tools.
Where steps are shown, tool results among them count as facts; what the agent states without them does not.

${FENCE_RULES}`,
  user: [
    { part: 'input', heading: 'The task' },
    { part: 'expected', heading: 'The expected answer, taken as true' },
    { part: 'rubric', heading: 'The rubric' },
    { part: 'contexts', heading: 'Passages that belong to the task' },
    { part: 'steps', heading: 'The steps of the agent, in order' },
    { part: 'answer', heading: 'The final answer under judgement' },
  ],
};
