import { INSTRUCTION_DEFINITION } from '../judging/prompts/instruction.ts';
import { PASS_FAIL } from '../judging/scales.ts';
import type { EvalConfig } from '../schemas/eval.ts';
import type { Row } from '../schemas/row.ts';
import { assertScoring } from './assert-scoring.ts';

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

/** The row's rubric wins over the eval's; blanks are none. */
export function rubricOf(row: Pick<Row, 'rubric'>, config: Pick<EvalConfig, 'rubric'>): string | null {
  const given = [row.rubric, config.rubric].find((rubric) => typeof rubric === 'string' && rubric.trim() !== '');
  return given ?? null;
}
