import type { Cost, Usage } from '../schemas/answer.ts';
import { type PriceTable, priceOf } from './price-table.ts';

export const NO_USAGE: Usage = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
export const NO_COST: Cost = { status: 'metered', usd: 0 };

/**
 * Price of the tokens in US dollars. The four classes add up: `input` already excludes what the cache gave.
 * A model without a price, or a reply without usage, is `unknown`: never $0.
 */
export function priceUsage(model: string, usage: Usage | null, table: PriceTable): Cost {
  const price = priceOf(model, table);
  if (price === null || usage === null) return { status: 'unknown', model };
  const microUsd =
    usage.input * price.input +
    usage.output * price.output +
    usage.cache_read * price.cache_read +
    usage.cache_write * price.cache_write;
  return { status: 'metered', usd: microUsd / 1_000_000 };
}

/**
 * Sum of two costs. What is unknown stays unknown. Beside something not metered the metered part is kept, since limits
 * watch it; where that part is nothing the sum is not metered. Associative, with NO_COST as its zero.
 */
export function addCosts(a: Cost, b: Cost): Cost {
  if (a.status === 'unknown') return a;
  if (b.status === 'unknown') return b;
  const usd = (a.status === 'metered' ? a.usd : 0) + (b.status === 'metered' ? b.usd : 0);
  if (usd === 0 && (a.status === 'not_metered' || b.status === 'not_metered')) return { status: 'not_metered' };
  return { status: 'metered', usd };
}

/** Sum of two usages; null is a call that reported none, and adds nothing. */
export function addUsage(a: Usage | null, b: Usage | null): Usage | null {
  if (a === null || b === null) return a ?? b;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cache_read: a.cache_read + b.cache_read,
    cache_write: a.cache_write + b.cache_write,
  };
}
