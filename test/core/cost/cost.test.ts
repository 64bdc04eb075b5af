import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addCosts, addUsage, NO_COST, NO_USAGE, priceUsage } from '../../../src/core/cost/cost.ts';
import { PRICES, PriceTableSchema, priceOf, withPrices } from '../../../src/core/cost/price-table.ts';
import type { Cost } from '../../../src/core/schemas/answer.ts';

const usage = (input: number, output: number, cache_read = 0, cache_write = 0) => ({
  input,
  output,
  cache_read,
  cache_write,
});

describe('the price of usage', () => {
  it.each([
    { name: 'input and output', model: 'us.amazon.nova-2-lite-v1:0', of: usage(1_000_000, 100_000), usd: 0.33 + 0.275 },
    {
      name: 'cached tokens on top of input',
      model: 'us.anthropic.claude-sonnet-4-6',
      of: usage(0, 0, 1e6, 1e6),
      usd: 4.455,
    },
    { name: 'no tokens', model: 'us.amazon.nova-micro-v1:0', of: NO_USAGE, usd: 0 },
  ])('counts $name', ({ model, of, usd }) => {
    const cost = priceUsage(model, of, PRICES);
    expect(cost.status === 'metered' && cost.usd).toBeCloseTo(usd, 10);
  });
  it('is unknown, never $0, for a model without a price', () => {
    expect(priceUsage('acme.new-model', usage(1, 1), PRICES)).toEqual({ status: 'unknown', model: 'acme.new-model' });
  });
  it('is unknown when the reply reported no usage', () => {
    expect(priceUsage('us.amazon.nova-micro-v1:0', null, PRICES).status).toBe('unknown');
  });
});

describe('the price of a model', () => {
  const haiku = 'anthropic.claude-haiku-4-5-20251001-v1:0';
  it.each([
    { id: `us.${haiku}`, input: 1.1 },
    { id: `global.${haiku}`, input: 1 },
    { id: `eu.${haiku}`, input: 1.1 },
    { id: haiku, input: 1.1 },
    { id: 'amazon.nova-micro-v1:0', input: 0.035 },
    { id: 'global.amazon.nova-micro-v1:0', input: 0.035 },
    { id: 'us.openai.gpt-oss-20b-1:0', input: 0.07 },
    { id: `arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.${haiku}`, input: 1.1 },
    { id: 'arn:aws:bedrock:us-east-1::foundation-model/qwen.qwen3-32b-v1:0', input: 0.15 },
  ])('of $id is that of its entry', ({ id, input }) => {
    expect(priceOf(id, PRICES)?.input).toBe(input);
  });
  it.each([
    '',
    'constructor',
    '__proto__',
    'claude-haiku',
    'us.',
    'arn:aws:bedrock:us-east-1:1:application-inference-profile/a',
  ])('of "%s" is unknown', (id) => {
    expect(priceOf(id, PRICES)).toBeNull();
  });
  it("takes a user's own price first, and the newer date", () => {
    const own = { input: 9, output: 9, cache_read: 9, cache_write: 9 };
    const table = withPrices(PRICES, {
      date: '2027-01-01',
      source: '',
      models: { 'acme.m': own, [`us.${haiku}`]: own },
    });
    expect(priceOf('acme.m', table)).toEqual(own);
    expect(priceOf(haiku, table)).toEqual(own);
    expect(table.date).toBe('2027-01-01');
  });
  it.each([[-1], [Number.NaN], [Number.POSITIVE_INFINITY], ['1'], [undefined]])('refuses a table with %s', (input) => {
    const models = { m: { input, output: 1, cache_read: 0, cache_write: 0 } };
    expect(PriceTableSchema.safeParse({ date: '2026-11-30', models }).success).toBe(false);
  });
});

const metered = (usd: number): Cost => ({ status: 'metered', usd });
const unknown: Cost = { status: 'unknown', model: 'm' };
const notMetered: Cost = { status: 'not_metered' };

describe('the sum of costs', () => {
  it.each([
    { name: 'adds what is metered', sum: [metered(1), metered(2)], cost: metered(3) },
    { name: 'stays unknown', sum: [metered(1), unknown, notMetered], cost: unknown },
    { name: 'keeps the metered part beside one that is not', sum: [notMetered, metered(2)], cost: metered(2) },
    { name: 'is not metered when nothing of it is', sum: [NO_COST, notMetered], cost: notMetered },
    { name: 'of nothing is nothing', sum: [], cost: NO_COST },
  ])('$name', ({ sum, cost }) => {
    expect(sum.reduce(addCosts, NO_COST)).toEqual(cost);
  });
  it('does not depend on grouping or order', () => {
    const cost = fc.oneof(fc.nat(1000).map(metered), fc.constant(notMetered), fc.constant(unknown));
    fc.assert(
      fc.property(cost, cost, cost, (a, b, c) => {
        expect(addCosts(addCosts(a, b), c)).toEqual(addCosts(a, addCosts(b, c)));
        expect(addCosts(a, b)).toEqual(addCosts(b, a));
        expect(addCosts(a, NO_COST)).toEqual(a);
      }),
    );
  });
});

it('adds usage class by class, and null adds nothing', () => {
  expect(addUsage(usage(1, 2, 3, 4), usage(10, 20, 30, 40))).toEqual(usage(11, 22, 33, 44));
  expect(addUsage(null, usage(1, 2))).toEqual(usage(1, 2));
  expect(addUsage(null, null)).toBeNull();
});
