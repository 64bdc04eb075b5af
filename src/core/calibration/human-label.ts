import type { JsonValue } from '../json.ts';

/** What a person said of an answer. */
export interface HumanLabel {
  /** 0 is worst, 1 is best. */
  readonly value: number;
  /** Position on the judge's scale, where the label is one of it. */
  readonly level: number | null;
}

const WORDS: ReadonlyMap<string, number> = new Map(
  [
    ['pass', 'passed', 'true', 'yes', 'y', 'correct', 'right', 'good', 'ok'].map((word) => [word, 1] as const),
    ['fail', 'failed', 'false', 'no', 'n', 'incorrect', 'wrong', 'bad'].map((word) => [word, 0] as const),
  ].flat(),
);

const DECIMAL = /^(\d+\.?\d*|\.\d+)(e-?\d+)?$/;

/**
 * A label as people write it: a label of the judge's own `scale` (low to high), a word for pass or fail, true or false, or a
 * number 0..1. Null: nobody labelled it. A fault names what was found instead.
 */
export function parseHumanLabel(
  raw: JsonValue | undefined,
  scale: readonly string[] | null,
): HumanLabel | null | { readonly fault: string } {
  if (raw === undefined || raw === null) return null;
  if (typeof raw === 'boolean') return ofPassFail(raw ? 1 : 0, scale);
  const text = fold(typeof raw === 'object' ? JSON.stringify(raw) : String(raw));
  if (text === '') return null;
  const level = scale?.findIndex((label) => fold(label) === text) ?? -1;
  if (level >= 0) return { value: level / Math.max(1, (scale?.length ?? 2) - 1), level };
  const word = WORDS.get(text);
  if (word !== undefined) return ofPassFail(word, scale);
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= 1) return ofPassFail(value, scale);
  const labels = scale === null ? '' : `${scale.map((label) => `"${label}"`).join(', ')}, `;
  return { fault: `"${shorten(text)}" is no label: ${labels}pass or fail, true or false, or a number from 0 to 1` };
}

/** Pass and fail are the two levels of a scale that has two; of a longer one they are none. */
function ofPassFail(value: number, scale: readonly string[] | null): HumanLabel {
  return { value, level: scale?.length === 2 && (value === 0 || value === 1) ? value : null };
}

const fold = (text: string): string => text.normalize('NFKC').trim().toLowerCase();
const shorten = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
