import type { EvalConfig } from '../schemas/eval.ts';
import type { Row } from '../schemas/row.ts';

/** The row's rubric wins over the eval's; blanks are none. */
export function rubricOf(row: Pick<Row, 'rubric'>, config: Pick<EvalConfig, 'rubric'>): string | null {
  const given = [row.rubric, config.rubric].find((rubric) => typeof rubric === 'string' && rubric.trim() !== '');
  return given ?? null;
}
