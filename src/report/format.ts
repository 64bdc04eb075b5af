/** Values nearer than this count as equal, as they do in every threshold comparison. */
const TOLERANCE = 1e-9;
const MOST_DIGITS = 12;

/** A score 0..1, such as `0.731`. Reads 0.000 or 1.000 only when it is. */
export function formatScore(score: number): string {
  return decimals(score, honestDigits(score, 1, 3), 3);
}

/** An interval worth showing: equal values have no spread, and `1.000 to 1.000` would promise what three rows cannot. */
export function shownInterval(interval: readonly [number, number] | null): readonly [number, number] | null {
  return interval === null || interval[0] === interval[1] ? null : interval;
}

/** A fraction 0..1 as a percentage, such as `89.9%`. Reads 0% or 100% only when it is. */
export function formatPercent(fraction: number): string {
  return percent(fraction, honestDigits(fraction * 100, 100, 1));
}

/** A score change with its sign, such as `+0.012`; `±0` when there is none. */
export function formatDelta(delta: number): string {
  if (Math.abs(delta) <= TOLERANCE) return '±0';
  return `${delta > 0 ? '+' : '−'}${formatScore(Math.abs(delta))}`;
}

/** A change between two percentages, in points, such as `−2.5 points`. */
export function formatPoints(delta: number): string {
  if (Math.abs(delta) <= TOLERANCE) return '±0 points';
  const size = Math.abs(delta) * 100;
  return `${delta > 0 ? '+' : '−'}${decimals(size, honestDigits(size, 100, 1), 0)} points`;
}

/** Milliseconds as a person says them: `512 ms`, `1.52 s`, `2 min 5 s`. */
export function formatMs(ms: number): string {
  if (ms < 1) return `${decimals(ms, 2, 0)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_995) return `${decimals(ms / 1000, 2, 0)} s`;
  const seconds = Math.round(ms / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  return seconds % 60 > 0 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
}

/** US dollars: cents from a dollar on, else two digits that mean something (`$0.0031`). */
export function formatUsd(usd: number): string {
  return dollars(usd, usd === 0 || usd >= 1 ? 2 : Math.min(MOST_DIGITS, Math.max(2, 1 - Math.floor(Math.log10(usd)))));
}

export function formatCount(count: number): string {
  return grouped(String(count));
}

/** The first use of toLocaleString loads Intl's data: 14 ms of every run for a comma. */
function grouped(digits: string): string {
  return digits.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ','));
}

/** 999 B, 1.2 KB, 48 MB: powers of 1,000, two digits that mean something. */
export function formatBytes(bytes: number): string {
  const step = Math.min(3, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const size = bytes / 1000 ** step;
  return `${step > 0 && size < 9.95 ? size.toFixed(1) : size.toFixed(0)} ${['B', 'KB', 'MB', 'GB'][step]}`;
}

/** `1 row`, `2 rows`, `1,000 rows`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `2026-01-31 14:05 UTC`; the text as it is when it is no time. */
export function formatTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Two numbers on one scale, each as text. The texts say the same number exactly when a threshold takes the two as equal. */
export interface Pair {
  readonly value: string;
  readonly limit: string;
}

/** A score beside its limit, with the digits that tell them apart: 0.79996 against 0.80, 0.731 against 0.80. */
export function scoreAgainst(value: number, limit: number): Pair {
  const pair = against(value, limit, honestDigits(value, 1, 3), (number, digits) => decimals(number, digits, 2));
  const [whole = '', digits = ''] = pair.value.split('.');
  return { value: `${whole}.${digits.padEnd(3, '0')}`, limit: pair.limit };
}

/** A fraction beside its limit, both as percentages. */
export function percentAgainst(value: number, limit: number): Pair {
  return against(value, limit, honestDigits(value * 100, 100, 1), percent);
}

export function usdAgainst(value: number, limit: number): Pair {
  return against(value, limit, 2, dollars);
}

/** Milliseconds beside their limit; both in seconds, or both in ms. */
export function msAgainst(value: number, limit: number): Pair {
  if (limit < 1000 && value < 1000) return against(value, limit, 0, (ms, digits) => `${decimals(ms, digits, 0)} ms`);
  return against(value, limit, 2, (ms, digits) => `${decimals(ms / 1000, digits, 0)} s`);
}

function against(value: number, limit: number, digits: number, show: (n: number, digits: number) => string): Pair {
  if (Math.abs(value - limit) <= TOLERANCE) {
    const text = show(limit, ownDigits(limit, digits, show));
    return { value: text, limit: text };
  }
  let enough = digits;
  while (enough < MOST_DIGITS && show(value, enough) === show(limit, enough)) enough += 1;
  // A limit was typed by a person and is shown as typed, however many digits that takes.
  return { value: show(value, enough), limit: show(limit, ownDigits(limit, enough, show)) };
}

function ownDigits(limit: number, atLeast: number, show: (n: number, digits: number) => string): number {
  const full = show(limit, MOST_DIGITS);
  let digits = atLeast;
  while (digits < MOST_DIGITS && show(limit, digits) !== full) digits += 1;
  // 1/3 as a limit was computed, not typed.
  return digits > 8 ? atLeast : digits;
}

/** More digits where rounding would turn "almost none" into none, or "almost all" into all. */
function honestDigits(value: number, all: number, digits: number): number {
  const rounded = (to: number) => Number(value.toFixed(to));
  const lies = (end: number, to: number) => Math.abs(value - end) > TOLERANCE && rounded(to) === end;
  let enough = digits;
  while (enough < MOST_DIGITS && (lies(0, enough) || lies(all, enough))) enough += 1;
  return enough;
}

function percent(fraction: number, digits: number): string {
  return `${decimals(fraction * 100, digits, 0)}%`;
}

function dollars(usd: number, digits: number): string {
  const [whole = '0', rest = ''] = decimals(usd, digits, 2).split('.');
  return `$${grouped(whole)}.${rest}`;
}

/** Fixed digits without the trailing zeros beyond `least`. */
function decimals(value: number, most: number, least: number): string {
  if (!Number.isFinite(value)) return 'not a number';
  const [whole = '0', rest = ''] = value.toFixed(most).split('.');
  let kept = rest.length;
  while (kept > least && rest[kept - 1] === '0') kept -= 1;
  const shown = kept > 0 ? `${whole}.${rest.slice(0, kept)}` : whole;
  return Number(shown) === 0 ? shown.replace('-', '') : shown;
}
