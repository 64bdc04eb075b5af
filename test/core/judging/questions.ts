import type { JudgeAsk, JudgeQuestion } from '../../../src/core/judging/question.ts';
import type { ReadableReply } from '../../../src/core/judging/read-verdicts.ts';

export const scoreAsk = (name: string): JudgeAsk => ({ kind: 'score', name, definition: `How good is the ${name}?` });

export const correctnessLabel: JudgeAsk = {
  kind: 'label',
  name: 'correctness',
  definition: 'Is it correct?',
  labels: ['incorrect', 'partially correct', 'correct'],
};

export function question(asks: readonly JudgeAsk[], over: Partial<JudgeQuestion> = {}): JudgeQuestion {
  return {
    promptId: 'metrics',
    asks,
    input: 'What is the limit?',
    expected: '256 KB',
    answer: 'The limit is 256 KB.',
    contexts: null,
    rubric: null,
    ...over,
  };
}

export const twoScores = question([scoreAsk('correctness'), scoreAsk('relevance')]);

type Replied = Extract<ReadableReply, { status: 'replied' }>;

export function textReply(text: string, over: Partial<Replied> = {}): ReadableReply {
  return { status: 'replied', stopReason: 'end_turn', content: [{ kind: 'text', text }], schemaText: false, ...over };
}

export function toolReply(...inputs: readonly unknown[]): ReadableReply {
  const content = inputs.map((input) => ({ kind: 'tool_use' as const, input: input as never }));
  return { status: 'replied', stopReason: 'tool_use', content, schemaText: false };
}
