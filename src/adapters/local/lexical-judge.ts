import { NO_COST } from '../../core/cost/cost.ts';
import { lexicalVerdict } from '../../core/judging/lexical-rulings.ts';
import { VERDICT_SCHEMA_NAME } from '../../core/judging/verdict-schema.ts';
import type { Judge, JudgeReply, JudgeRequest } from '../../ports/judge.ts';

/** Deterministic word overlap in place of a model; its limits stand with `lexicalVerdict`. Costs nothing, never chosen unasked. */
export class LexicalJudge implements Judge {
  readonly id = 'lexical';
  readonly type = 'lexical';
  readonly model = null;
  readonly isModel = false;
  readonly channel = 'tool';

  async check(): Promise<void> {}
  async close(): Promise<void> {}

  async ask({ question }: JudgeRequest): Promise<JudgeReply> {
    const input = lexicalVerdict(question);
    return {
      status: 'replied',
      stopReason: 'tool_use',
      content: [{ kind: 'tool_use', name: VERDICT_SCHEMA_NAME, input }],
      schemaText: false,
      usage: null,
      cost: NO_COST,
      attempts: 1,
    };
  }
}
