import { describe, expect, it } from 'vitest';
import type { PriceTable } from '../../../src/core/cost/price-table.ts';
import { costBoundOfCanaries, costBounds } from '../../../src/core/plan/cost-bound.ts';
import type { Row } from '../../../src/core/schemas/row.ts';
import { scoringFor } from '../../../src/core/scoring/scoring-for.ts';
import { makeRow } from '../../fixtures/make-row.ts';
import { evalConfig, spec } from '../scoring/build.ts';

/** A dollar a million tokens sent, ten a million written. */
const PRICE = { input: 1, output: 10, cache_read: 0, cache_write: 0 };
const PRICES: PriceTable = { date: '2026-01-01', source: '', models: { judge: PRICE, model: PRICE } };
const FRAME = 1_000;

const BEDROCK = {
  type: 'bedrock',
  id: 'model',
  model: 'model',
  prompt: '{{input}}',
  max_tokens: 500,
  max_iterations: 4,
  timeout_s: 60,
  retries: 2,
} as const;
const HTTP = { type: 'http', id: 'http', url: 'https://example.com' } as const;
const JUDGE = { type: 'bedrock', model: 'judge', max_tokens: 700, temperature: 0, timeout_s: 60 } as const;

function bound(changes: object, row: Partial<Row> = {}, targetId?: string) {
  const config = evalConfig({ type: 'qa', scorers: [spec('contains')], judges: [], ...changes } as Parameters<
    typeof evalConfig
  >[0]);
  const id = targetId ?? config.targets[0]?.id ?? '';
  return costBounds(config, scoringFor(config.type), PRICES)(makeRow(row), id);
}

describe('what one answer costs at most', () => {
  it('takes every byte of the prompt for a token, and a reply as long as allowed', () => {
    const usd = (FRAME + 300 + 500 * 10) / 1e6;
    expect(bound({ targets: [BEDROCK] }, { input: 'ü'.repeat(150) })).toEqual({ usd, isWhole: true });
  });

  it('takes every turn of a tool loop, each carrying the turns before it', () => {
    const tools = [{ name: 't', responses: [{ result: 'x'.repeat(50) }] }] as unknown as NonNullable<Row['tools']>;
    const toolBytes = JSON.stringify(tools).length;
    const first = FRAME + toolBytes + 10;
    const turn = 500 + toolBytes;
    const usd = (4 * first + (0 + 1 + 2 + 3) * turn + 4 * 500 * 10) / 1e6;
    expect(bound({ targets: [BEDROCK] }, { input: '0123456789', tools }).usd).toBeCloseTo(usd, 12);
  });

  it('asks every juror for every verdict twice', () => {
    const judged = (judges: object[]) => bound({ targets: [HTTP], scorers: [spec('judge')], judges }).usd;
    const one = judged([JUDGE]);
    expect(judged([JUDGE, JUDGE])).toBeCloseTo(2 * one, 12);
    const longer = judged([{ ...JUDGE, max_tokens: 1_700 }]);
    // 1,000 tokens more in each of two replies, and once more in the repair's request.
    expect(longer - one).toBeCloseTo((2 * 1_000 * 10 + 1_000) / 1e6, 12);
  });

  it('has the judge read an answer as long as its target may write, in tokens of its own', () => {
    const judged = (max_tokens: number) =>
      bound({ targets: [{ ...BEDROCK, max_tokens }], scorers: [spec('judge')], judges: [JUDGE] }).usd;
    expect(judged(1_500) - judged(500)).toBeCloseTo((1_000 * 10 + 2 * 2 * 1_000) / 1e6, 12);
  });

  it.each([
    { name: 'a recorded answer', targets: [{ type: 'recorded', id: 'r', output: 'output' }], isWhole: true },
    { name: 'a system that tells no cost', targets: [HTTP], isWhole: true },
    { name: 'a lexical judge', targets: [HTTP], judges: [{ type: 'lexical' }], isWhole: true },
    { name: 'a system that tells its cost', targets: [{ ...HTTP, cost_path: 'cost' }], isWhole: false },
    { name: 'a system that tells its tokens', targets: [{ ...HTTP, usage_path: 'usage' }], isWhole: false },
  ])('$name costs nothing that is known beforehand', ({ targets, judges = [], isWhole }) => {
    const scorers = [spec(judges.length > 0 ? 'judge' : 'contains')];
    expect(bound({ targets, judges, scorers })).toEqual({ usd: 0, isWhole });
  });

  it('a longer row costs more, wherever it is longer', () => {
    const config = { targets: [BEDROCK], scorers: [spec('judge')], judges: [JUDGE] };
    const base = bound(config).usd;
    for (const row of [{ input: 'x'.repeat(99) }, { expected: 'x'.repeat(99) }]) {
      expect(bound(config, row).usd).toBeGreaterThan(base);
    }
  });
});

describe('what planted answers cost at most', () => {
  it('is the sum over the judges that are sent any', () => {
    const config = evalConfig({ type: 'qa', scorers: [spec('judge')], judges: [JUDGE, JUDGE] } as Parameters<
      typeof evalConfig
    >[0]);
    const both = costBoundOfCanaries(config, PRICES, () => true);
    expect(both).toBeGreaterThan(0);
    let asked = 0;
    expect(costBoundOfCanaries(config, PRICES, () => asked++ === 0)).toBeCloseTo(both / 2, 12);
    expect(costBoundOfCanaries(config, PRICES, () => false)).toBe(0);
  });
});
