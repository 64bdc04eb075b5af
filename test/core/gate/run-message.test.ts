import { describe, expect, it } from 'vitest';
import { runMessage } from '../../../src/core/gate/run-message.ts';
import type { Decision } from '../../../src/core/schemas/summary.ts';

const counts = (passed: number, failed: number) => ({ rows: passed + failed, passed, failed });
const says = (status: 'passed' | 'failed', passed: number, failed: number, ...texts: string[]) =>
  runMessage(
    status,
    {
      gate: status === 'passed' ? 'pass' : 'fail',
      reasons: texts.map((text) => ({ rule: 'pass_rate', outcome: 'pass', text, actual: 1, limit: 1 })),
    } as unknown as Decision,
    { counts: counts(passed, failed), weakest: null, rowsWithoutAnswer: 0, rowsNotJudged: 0 } as unknown as Parameters<
      typeof runMessage
    >[2],
    null,
  );

describe('the headline of a run', () => {
  it('says how many rows passed once', () => {
    expect(says('passed', 3, 0, '3 of 3 rows passed: pass rate 1 reaches 1')).toBe(
      '3 of 3 rows passed: pass rate 1 reaches 1',
    );
    expect(says('passed', 3, 0, 'score 0.9 reaches 0.8', '3 of 3 rows passed: pass rate 1 reaches 1')).toBe(
      '3 of 3 rows passed: pass rate 1 reaches 1; score 0.9 reaches 0.8',
    );
  });

  it('says what the rate counts where other rows were counted', () => {
    expect(says('passed', 3, 0, '2 of 2 rows passed: pass rate 1 reaches 1')).toBe(
      '3 of 3 rows passed; 2 of 2 rows passed: pass rate 1 reaches 1',
    );
    expect(says('failed', 2, 1, '2 of 3 rows passed: pass rate 0.667 is below 1')).toBe(
      '1 of 3 rows failed; 2 of 3 rows passed: pass rate 0.667 is below 1',
    );
  });
});
