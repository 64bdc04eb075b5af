import type { EvalConfig } from '../schemas/eval.ts';
import type { AnsweredRow } from './eval-scoring.ts';

/** The passages an answer is judged by: what the target retrieved, or else what came with the row. Null: none known. */
export function contextsOf({ row, answer }: AnsweredRow): readonly string[] | null {
  return answer.contexts ?? row.contexts;
}

/** Whether every target brings passages of its own, so that rows need none. */
export function targetsBringContexts({ targets }: Pick<EvalConfig, 'targets'>): boolean {
  return targets.every((target) => {
    // `contexts` is the row's own field, which the row check looks at anyway.
    if (target.type === 'recorded') return target.contexts !== 'contexts';
    return target.type === 'knowledge-base' || target.contexts_path !== undefined;
  });
}
