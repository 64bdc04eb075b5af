import { QA_DEFINITION } from '../judging/prompts/qa.ts';
import { PASS_FAIL } from '../judging/scales.ts';
import { assertScoring } from './assert-scoring.ts';
import { expectedText } from './checks/run-check.ts';

/** The answer contains the expected text, and a judge who sees the question confirms that it addresses it. */
export const qaScoring = assertScoring({
  judge: {
    question: ({ row, answer }, name) => ({
      promptId: 'qa',
      asks: [{ kind: 'label', name, definition: QA_DEFINITION, labels: PASS_FAIL.labels }],
      input: row.input,
      expected: row.expected,
      answer: answer.text,
      contexts: null,
      rubric: null,
    }),
    rowFaults(row) {
      if (expectedText(row.expected) !== null) return [];
      const message = `row "${row.id}" has no expected answer, which judge needs`;
      return [{ field: 'expected', message, fix: 'fill in expected, or leave the row out' }];
    },
  },
});
