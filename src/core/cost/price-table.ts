import * as z from 'zod';
import pricesJson from './prices.json' with { type: 'json' };

const usdPerMillion = z.number().nonnegative();

const ModelPriceSchema = z.strictObject({
  input: usdPerMillion,
  output: usdPerMillion,
  cache_read: usdPerMillion,
  cache_write: usdPerMillion,
});
export type ModelPrice = z.infer<typeof ModelPriceSchema>;

/** US dollars per million tokens of each class, by model id. A user's own table has the same form. */
export const PriceTableSchema = z.strictObject({
  /** Day the prices were read, YYYY-MM-DD. */
  date: z.iso.date(),
  source: z.string().default(''),
  models: z.record(z.string().min(1), ModelPriceSchema),
});
export type PriceTable = z.infer<typeof PriceTableSchema>;

/** The prices that come with Assay. */
export const PRICES: PriceTable = PriceTableSchema.parse(pricesJson);

/** Prices of `overrides` win, model by model; the date is that of the newer table. */
export function withPrices(table: PriceTable, overrides: PriceTable): PriceTable {
  return {
    date: [table.date, overrides.date].sort()[1] ?? table.date,
    source: [table.source, overrides.source].filter((source) => source !== '').join('; '),
    models: { ...table.models, ...overrides.models },
  };
}

const REGIONAL_PREFIX = /^(?:us|us-gov|eu|apac|ap|jp|au|ca|sa|me|af|il|mx)\./;
const ARN_RESOURCE = /^arn:[^:]*:bedrock:[^:]*:[^:]*:(?:inference-profile|foundation-model)\/(.+)$/;

/**
 * Price of a model id, inference profile id or their ARN; null when the table has none.
 * An id without its own entry takes that of the same model elsewhere: a regional profile (and an id without prefix) the
 * regional price first, since it is the higher one and a cost limit must not be passed unseen; `global.` the base price first.
 */
export function priceOf(model: string, table: PriceTable): ModelPrice | null {
  const id = ARN_RESOURCE.exec(model)?.[1] ?? model;
  const isGlobal = id.startsWith('global.');
  const base = id.replace(REGIONAL_PREFIX, '').replace(/^global\./, '');
  const candidates = isGlobal ? [id, base, `us.${base}`] : [id, `us.${base}`, base, `global.${base}`];
  const known = candidates.find((candidate) => Object.hasOwn(table.models, candidate));
  return known === undefined ? null : (table.models[known] ?? null);
}
