import { describe, expect, it } from 'vitest';
import { NO_COST } from '../../../src/core/cost/cost.ts';
import type { Row } from '../../../src/core/schemas/row.ts';
import { scoringFor } from '../../../src/core/scoring/scoring-for.ts';
import type { Judge, JudgeReply } from '../../../src/ports/judge.ts';
import type { Target, TargetReply } from '../../../src/ports/target.ts';
import { CutOff, wasCutOff } from '../../../src/use-cases/rows/cut-off.ts';
import { evaluateRow } from '../../../src/use-cases/rows/evaluate-row.ts';
import { runConfig } from '../../core/aggregate/build.ts';
import { evalConfig, spec } from '../../core/scoring/build.ts';
import { makeRow } from '../../fixtures/rows.ts';

const config = evalConfig({ type: 'qa', scorers: [spec('judge')] });
const metered = (usd: number) => ({ status: 'metered', usd }) as const;
const asked = { latencyMs: 5, attempts: 1, usage: null };
const ANSWERED: TargetReply = { ...asked, status: 'answered', answer: { text: 'x' }, cost: metered(0.25) };
const FAILED: TargetReply = { ...asked, status: 'failed', cause: 'connection', message: 'gone', cost: metered(0.25) };
const UNJUDGED: JudgeReply = {
  status: 'failed',
  cause: 'unavailable',
  message: 'stopped',
  usage: null,
  cost: metered(0.5),
  attempts: 1,
};
const VERDICT: JudgeReply = {
  ...UNJUDGED,
  status: 'recorded',
  verdicts: { judge: { label: 'pass', reason: 'r' } },
} as unknown as JudgeReply;

interface Setup {
  readonly reply: TargetReply;
  readonly verdict?: JudgeReply;
  /** When rows are cut off. */
  readonly cut: 'never' | 'at the target' | 'at the judge';
}

async function evaluate({ reply, verdict = VERDICT, cut }: Setup) {
  const cutOff = new CutOff();
  let judged = 0;
  const target = {
    id: 'http',
    model: null,
    ask: async () => {
      if (cut === 'at the target') cutOff.cut('cancelled');
      return reply;
    },
  } as unknown as Target;
  const judge = {
    id: 'judge',
    isModel: true,
    ask: async () => {
      judged += 1;
      if (cut === 'at the judge') cutOff.cut('time budget');
      return verdict;
    },
  } as unknown as Judge;
  const row: Row = makeRow(0);
  const run = { ...runConfig({ rows: 1 }), eval: config };
  const ports = { run, scoring: scoringFor('qa'), judges: [judge], redact: (text: string) => text };
  const result = await evaluateRow({ row, target, trial: 0 }, { ...ports, signal: cutOff.signal });
  return { result, judged };
}

describe('a row in flight when rows are cut off', () => {
  it.each<{ name: string; setup: Setup; cause: string; target: number; judge: number; judged: number }>([
    {
      name: 'at the target: is skipped, with what the target cost',
      setup: { reply: FAILED, cut: 'at the target' },
      cause: 'cancelled',
      target: 0.25,
      judge: 0,
      judged: 0,
    },
    {
      name: 'as the answer comes: no judge is asked any more',
      setup: { reply: ANSWERED, cut: 'at the target' },
      cause: 'cancelled',
      target: 0.25,
      judge: 0,
      judged: 0,
    },
    {
      name: 'at the judge: is skipped, with what both cost',
      setup: { reply: ANSWERED, verdict: UNJUDGED, cut: 'at the judge' },
      cause: 'time budget',
      target: 0.25,
      judge: 0.5,
      judged: 1,
    },
  ])('$name', async ({ setup, cause, target, judge, judged }) => {
    const found = await evaluate(setup);
    expect(found.judged).toBe(judged);
    expect(found.result).toMatchObject({
      status: 'skipped',
      cause,
      passed: false,
      score: null,
      output: null,
      latency_ms: null,
      attempts: 1,
      error: `cut off in flight (${cause}): what its last request cost is not known`,
    });
    const { spend } = found.result;
    expect([spend.target, spend.judge]).toEqual([metered(target), judge === 0 ? NO_COST : metered(judge)]);
    expect(wasCutOff(found.result)).toBe(true);
  });

  it('whose last verdict came all the same is scored', async () => {
    const { result } = await evaluate({ reply: ANSWERED, cut: 'at the judge' });
    expect(result).toMatchObject({ status: 'scored', passed: true });
    expect(wasCutOff(result)).toBe(false);
  });

  it.each([
    { name: 'target', reply: FAILED, verdict: VERDICT, status: 'target_error' },
    { name: 'judge', reply: ANSWERED, verdict: UNJUDGED, status: 'judge_error' },
  ])('a failure of the $name is its own while nothing is cut off', async ({ reply, verdict, status }) => {
    expect((await evaluate({ reply, verdict, cut: 'never' })).result.status).toBe(status);
  });
});
