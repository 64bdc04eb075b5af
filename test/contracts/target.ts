import { describe, expect, it } from 'vitest';
import { CostSchema, UsageSchema } from '../../src/core/schemas/answer.ts';
import { TARGET_ERROR_CAUSES } from '../../src/core/schemas/result.ts';
import type { Row } from '../../src/core/schemas/row.ts';
import type { Target } from '../../src/ports/target.ts';

/** A target made for the suite, and rows that it is known to answer or to fail. */
export interface TargetSetup {
  readonly target: Target;
  readonly answers: { readonly row: Row; readonly text: string };
  readonly failing: Row;
  /** A substring of no reply: the value of a secret that the target knows, if it knows one. */
  readonly canary?: string;
  dispose(): Promise<void>;
}

/** What every target promises, whatever it talks to. */
export function describeTargetContract(name: string, setUp: () => Promise<TargetSetup>): void {
  describe(`${name} as a target`, () => {
    const using = (test: (setup: TargetSetup) => Promise<void>) => async () => {
      const setup = await setUp();
      try {
        await test(setup);
      } finally {
        await setup.target.close();
        await setup.dispose();
      }
    };
    const ask = (target: Target, row: Row, trial = 0) =>
      target.ask({ row, trial, signal: new AbortController().signal });

    it(
      'has an id and passes its own check',
      using(async ({ target }) => {
        expect(target.id).not.toBe('');
        await expect(target.check()).resolves.toBeUndefined();
      }),
    );

    it(
      'answers a row with text, cost and attempts',
      using(async ({ target, answers }) => {
        const reply = await ask(target, answers.row);
        expect(reply).toMatchObject({ status: 'answered', answer: { text: answers.text } });
        expect(CostSchema.safeParse(reply.cost).success).toBe(true);
        expect(reply.usage === null || UsageSchema.safeParse(reply.usage).success).toBe(true);
        expect(reply.attempts).toBeGreaterThanOrEqual(0);
        expect(reply.latencyMs === null || reply.latencyMs >= 0).toBe(true);
      }),
    );

    it(
      'gives a failed row as a reply with a known cause and a message, never as an exception',
      using(async ({ target, failing, canary = '\0no canary' }) => {
        const reply = await ask(target, failing);
        expect(reply.status).toBe('failed');
        if (reply.status !== 'failed') return;
        expect(TARGET_ERROR_CAUSES).toContain(reply.cause);
        expect(reply.message).not.toBe('');
        expect(JSON.stringify(reply)).not.toContain(canary);
      }),
    );

    it(
      'keeps nothing of one row for the next',
      using(async ({ target, answers, failing }) => {
        const rows = [answers.row, failing, answers.row, failing, answers.row];
        const replies = await Promise.all(rows.map((row) => ask(target, row)));
        expect(replies.map((reply) => reply.status)).toEqual(['answered', 'failed', 'answered', 'failed', 'answered']);
      }),
    );

    it(
      'does not change the row',
      using(async ({ target, answers }) => {
        const before = JSON.stringify(answers.row);
        await ask(target, answers.row);
        expect(JSON.stringify(answers.row)).toBe(before);
      }),
    );

    it(
      'comes back when the run was stopped',
      using(async ({ target, answers }) => {
        const reply = await target.ask({ row: answers.row, trial: 0, signal: AbortSignal.abort() });
        expect(['answered', 'failed']).toContain(reply.status);
      }),
    );
  });
}
