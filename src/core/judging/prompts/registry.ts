import type { JudgeQuestion } from '../question.ts';
import { AGENT_PROMPT } from './agent.ts';
import { INSTRUCTION_PROMPT } from './instruction.ts';
import { METRICS_PROMPT } from './metrics.ts';
import type { PromptSpec } from './prompt-spec.ts';
import { QA_PROMPT } from './qa.ts';
import { RAG_PROMPT } from './rag.ts';
import { RUBRIC_PROMPT } from './rubric.ts';

export const PROMPTS: Readonly<Record<JudgeQuestion['promptId'], PromptSpec>> = {
  qa: QA_PROMPT,
  instruction: INSTRUCTION_PROMPT,
  metrics: METRICS_PROMPT,
  rag: RAG_PROMPT,
  agent: AGENT_PROMPT,
  rubric: RUBRIC_PROMPT,
};

/** Id and version, such as `metrics@1`. */
export function promptVersion(promptId: JudgeQuestion['promptId']): string {
  const { id, version } = PROMPTS[promptId];
  return `${id}@${version}`;
}
