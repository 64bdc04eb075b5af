const NUMBER_TEXT = /^([+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)\s*(%?)$/i;
const FORMAT_CHARACTERS = /\p{Cf}/gu; // zero-width and direction marks
const WRAPPERS = /^[\s"'`*“”„‟‘’‚‛«»‹›「」]+|[\s"'`*“”„‟‘’‚‛«»‹›「」]+$/gu;
const FINAL_FULL_STOP = /[.。]$/u;

/**
 * A number from 0 to 1: a JSON number, or text that is wholly a number or a percentage ("0.8", "80%").
 * Null for anything else. Nothing is clamped and no scale is guessed: 4 is no 0.8, "4/5" is none either.
 */
export function readUnitNumber(value: unknown): number | null {
  const number = typeof value === 'string' ? numberFromText(value) : value;
  if (typeof number !== 'number' || !(number >= 0 && number <= 1)) return null; // NaN is not ≥ 0
  return number + 0; // -0 is 0
}

/** Place of the label that the text equals once both are normalised; null when it equals none, or is no text. */
export function readLabel(value: unknown, labels: readonly string[]): number | null {
  if (typeof value !== 'string') return null;
  const wanted = normalizeLabel(value);
  if (wanted === '') return null;
  const index = labels.findIndex((label) => normalizeLabel(label) === wanted);
  return index === -1 ? null : index;
}

/** A JSON boolean, or text that is wholly `true` or `false`; null for anything else. */
export function readBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const index = readLabel(value, ['false', 'true']);
  return index === null ? null : index === 1;
}

/** NFKC, lower case, no zero-width characters, without surrounding blanks, quotes and `*` and one final full stop. */
export function normalizeLabel(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().replace(FORMAT_CHARACTERS, '').replace(WRAPPERS, '');
  return folded.replace(FINAL_FULL_STOP, '').replace(WRAPPERS, '');
}

function numberFromText(text: string): number | null {
  const match = NUMBER_TEXT.exec(text.trim());
  if (match === null) return null;
  return match[2] === '%' ? Number(match[1]) / 100 : Number(match[1]);
}
