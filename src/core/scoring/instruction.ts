import { INSTRUCTION_DEFINITION } from '../judging/prompts/instruction.ts';
import { PASS_FAIL } from '../judging/scales.ts';
import { assertScoring } from './assert-scoring.ts';
import { rubricOf } from './rubric-of.ts';

/** A judge says pass or fail against the rubric, word for word. */
export const instructionScoring = assertScoring({
  judge: {
    question: ({ row, answer }, name, config) => ({
      promptId: 'instruction',
      asks: [{ kind: 'label', name, definition: INSTRUCTION_DEFINITION, labels: PASS_FAIL.labels }],
      input: row.input,
      expected: row.expected,
      answer: answer.text,
      contexts: null,
      rubric: rubricOf(row, config),
    }),
    rowFaults(row, config) {
      if (rubricOf(row, config) !== null) return [];
      const message = `row "${row.id}" has no rubric`;
      return [{ field: 'rubric', message, fix: 'fill in the rubric of the row, or set rubric: for the whole eval' }];
    },
  },
});
