/** A number as people write it, exact: ± digits × 10^exponent. */
export interface Decimal {
  /** Signed, without leading or trailing zeros; 0n for zero. */
  readonly digits: bigint;
  readonly exponent: number;
  /** `%`, or a currency sign; null when it has none. */
  readonly unit: string | null;
}

const CURRENCY = '[$€£¥₹]';
const NUMBER = new RegExp(
  `^(?<sign>[+-]?) ?(?<before>${CURRENCY}?) ?(?<inner>[+-]?)` +
    '(?<whole>\\d{1,3}(?:,\\d{3})+|\\d*)(?:\\.(?<fraction>\\d*))?(?:[eE](?<power>[+-]?\\d{1,4}))?' +
    ` ?(?<after>%|${CURRENCY}?)\\.?$`,
  'u',
);
/** Longer digit strings are no quantity anyone compares; they would only cost time. */
const MAX_LENGTH = 1000;

/**
 * Reads text that is wholly one number: `1,234.50`, `-3`, `$5`, `5 €`, `60%`, `1e3`, `18.` (a final full stop is the
 * sentence's). Commas are thousands, in groups of three; the point is the decimal mark. Null for anything else.
 */
export function parseDecimal(text: string): Decimal | null {
  const plain = text.normalize('NFKC').replace(/\s+/gu, ' ').trim().replace('−', '-');
  if (plain.length > MAX_LENGTH) return null;
  const groups = NUMBER.exec(plain)?.groups;
  if (groups === undefined) return null;
  const { sign = '', inner = '', before = '', after = '', whole = '', fraction = '', power = '0' } = groups;
  if (whole === '' && fraction === '') return null;
  if ((sign !== '' && inner !== '') || (before !== '' && after !== '')) return null;

  const written = BigInt(whole.replaceAll(',', '') + fraction || '0');
  let digits = sign === '-' || inner === '-' ? -written : written;
  let exponent = Number(power) - fraction.length;
  if (digits === 0n) exponent = 0;
  while (digits !== 0n && digits % 10n === 0n) {
    digits /= 10n;
    exponent += 1;
  }
  return { digits, exponent, unit: before || after || null };
}

/** For differences; loses what a double cannot hold. */
export function toNumber({ digits, exponent }: Decimal): number {
  return Number(`${digits}e${exponent}`);
}
