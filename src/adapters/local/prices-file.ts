import { schemaFaults } from '../../core/config/schema-faults.ts';
import { PRICES, type PriceTable, PriceTableSchema, withPrices } from '../../core/cost/price-table.ts';
import { ConfigError } from '../../core/errors.ts';
import { loadConfigFile } from './eval-file.ts';

/** The prices that come with Assay, with those of a file over them. Throws ConfigError. */
export async function readPrices(file: string | undefined): Promise<PriceTable> {
  if (file === undefined) return PRICES;
  const { value, lineOf } = await loadConfigFile(file);
  const parsed = PriceTableSchema.safeParse(value);
  if (parsed.success) return withPrices(PRICES, parsed.data);
  throw new ConfigError(
    schemaFaults(parsed.error, {
      file,
      lineOf,
      knownKeys: () => ['date', 'source', 'models', 'input', 'output', 'cache_read', 'cache_write'],
    }),
  );
}
