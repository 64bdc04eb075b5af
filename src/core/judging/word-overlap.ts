const WORD = /\d+(?:[.,]\d+)*|[\p{L}\p{M}]+(?:['’]t)?/gu;
const NUMBER = /^\d/;
const STOP_WORDS = new Set(
  `a about all also am an and any are as at be been but by can could did do does doing for from get had has have he her
  here him his how i if in into is it its just may me might more most must my of on once only or other our out own shall
  she should so some such than that the their them then there these they this those through to too up us very was we were
  what when where which while who whom why will with would you your`.split(/\s+/),
);
const NEGATIONS = new Set(['no', 'not', 'never', 'none', 'cannot', 'without', 'neither', 'nor', 'unable']);

export interface Words {
  /** Content words, folded and stemmed, each once. */
  readonly content: ReadonlySet<string>;
  /** Numbers, in digits without grouping. */
  readonly numbers: ReadonlySet<string>;
  readonly negated: boolean;
}

/** A text as words to compare: folded, crudely stemmed, without the words that say nothing. */
export function wordsOf(text: string): Words {
  const content = new Set<string>();
  const numbers = new Set<string>();
  let negated = false;
  for (const [raw] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    if (NUMBER.test(raw)) numbers.add(plainNumber(raw));
    else if (NEGATIONS.has(raw) || /['’]t$/.test(raw)) negated = true;
    else if (!STOP_WORDS.has(raw)) content.add(stem(raw));
  }
  return { content, numbers, negated };
}

/** Share of `wanted` that `found` has, words and numbers alike; null when nothing is wanted. */
export function overlap(wanted: Words, found: Words): number | null {
  const total = wanted.content.size + wanted.numbers.size;
  if (total === 0) return null;
  return (countIn(wanted.content, found.content) + countIn(wanted.numbers, found.numbers)) / total;
}

/** All numbers of `wanted` are in `found`. */
export function hasNumbersOf(wanted: Words, found: Words): boolean {
  return countIn(wanted.numbers, found.numbers) === wanted.numbers.size;
}

export function countIn(wanted: ReadonlySet<string>, found: ReadonlySet<string>): number {
  let count = 0;
  for (const word of wanted) if (found.has(word)) count += 1;
  return count;
}

export function union(a: Words, b: Words): Words {
  return {
    content: new Set([...a.content, ...b.content]),
    numbers: new Set([...a.numbers, ...b.numbers]),
    negated: a.negated || b.negated,
  };
}

export function countWords(text: string): number {
  return text.trim() === '' ? 0 : text.trim().split(/\s+/u).length;
}

export function sentencesOf(text: string): string[] {
  const parts = text.split(/(?<=[.!?。！？])\s+|\n+/u);
  return parts.map((part) => part.trim()).filter((part) => /[\p{L}\p{N}]/u.test(part));
}

/** 1,000 is 1000, 0.50 is 0.5; a comma that groups no thousands is a decimal one. */
function plainNumber(raw: string): string {
  const ungrouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(raw) ? raw.replaceAll(',', '') : raw.replace(',', '.');
  const value = Number(ungrouped);
  return Number.isFinite(value) ? String(value) : raw; // 1.2.3 stays what it is
}

function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  const short = word.length > 5 ? word.replace(/(?:ing|ed|ly)$/, '') : word;
  const base = short.length > 3 && /[^s]s$/.test(short) ? short.slice(0, -1) : short;
  return base.length > 3 ? base.replace(/e$/, '') : base;
}
