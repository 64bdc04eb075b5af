import { countIn, countWords, sentencesOf, wordsOf } from './word-overlap.ts';

export interface RubricRule {
  readonly text: string;
  readonly holds: (answer: string) => boolean;
}

/**
 * The requirements of a rubric that can be checked without understanding it: word and sentence limits, things to mention,
 * things never to mention. Clauses it cannot read give no rule.
 */
export function rubricRules(rubric: string): RubricRule[] {
  return clausesOf(rubric).flatMap((clause) => limitRule(clause) ?? forbidRule(clause) ?? mentionRule(clause) ?? []);
}

const LIMIT_BEFORE =
  /\b(under|below|fewer than|less than|at most|no more than|up to|maximum of|within|exactly|at least|more than|over)\s+(\d+)\s+(word|sentence|bullet point|bullet)s?\b/i;
const LIMIT_AFTER = /\b(\d+)\s+(word|sentence|bullet point|bullet)s?\s+or\s+(fewer|less|more)\b/i;
const FORBID =
  /\b(?:never|must not|mustn['’]t|should not|shouldn['’]t|do not|don['’]t|does not|doesn['’]t|no mention of)\s+(.+)$/i;
const MENTION =
  /\b(?:mentions?|cites?|names?|contains?|includes?|states?|says?|references?|links? to|tells?|offers?)\s+(.+)$/i;
const FILLER = new Set([
  'say',
  'mention',
  'contain',
  'includ',
  'stat',
  'claim',
  'answer',
  'reply',
  'word',
  'any',
  'user',
  'customer',
]);

function clausesOf(rubric: string): string[] {
  const clauses = rubric.split(
    /[;\n]+|(?<=[.!?])\s+|,\s*(?:and\s+|but\s+)?|\s+(?:and|but)\s+(?=stay|never|keep|must|do |don|cite|mention|includ|contain|state|name|be )/iu,
  );
  return clauses.map((clause) => clause.trim().replace(/[.!?]+$/, '')).filter((clause) => clause !== '');
}

function limitRule(clause: string): RubricRule | undefined {
  const before = LIMIT_BEFORE.exec(clause);
  const after = LIMIT_AFTER.exec(clause);
  const relation = (before?.[1] ?? after?.[3])?.toLowerCase();
  const limit = Number(before?.[2] ?? after?.[1]);
  const unit = (before?.[3] ?? after?.[2])?.toLowerCase();
  if (relation === undefined || unit === undefined) return undefined;
  return { text: clause, holds: (answer) => RELATIONS[relation]?.(countUnit(answer, unit), limit) ?? true };
}

const below = (count: number, limit: number) => count < limit;
const atMost = (count: number, limit: number) => count <= limit;
const atLeast = (count: number, limit: number) => count >= limit;
const RELATIONS: Readonly<Record<string, (count: number, limit: number) => boolean>> = {
  under: below,
  below,
  'fewer than': below,
  'less than': below,
  'at most': atMost,
  'no more than': atMost,
  'up to': atMost,
  'maximum of': atMost,
  within: atMost,
  fewer: atMost,
  less: atMost,
  exactly: (count, limit) => count === limit,
  'at least': atLeast,
  more: atLeast,
  'more than': (count, limit) => count > limit,
  over: (count, limit) => count > limit,
};

function countUnit(answer: string, unit: string): number {
  if (unit === 'word') return countWords(answer);
  if (unit === 'sentence') return sentencesOf(answer).length;
  return answer.split('\n').filter((line) => /^\s*(?:[-*•]|\d+[.)])\s+\S/u.test(line)).length;
}

function forbidRule(clause: string): RubricRule | undefined {
  const wanted = keyWords(FORBID.exec(clause)?.[1]);
  if (wanted === null) return undefined;
  // Sentence by sentence: "never promise refunds" is broken by one sentence that does, not by two that share the words.
  const breaks = (sentence: string) => countIn(wanted, allWords(sentence)) === wanted.size;
  return { text: clause, holds: (answer) => !sentencesOf(answer).some(breaks) };
}

function mentionRule(clause: string): RubricRule | undefined {
  const wanted = keyWords(MENTION.exec(clause)?.[1]);
  if (wanted === null) return undefined;
  return { text: clause, holds: (answer) => countIn(wanted, allWords(answer)) === wanted.size };
}

function keyWords(text: string | undefined): ReadonlySet<string> | null {
  if (text === undefined) return null;
  const words = new Set([...allWords(text)].filter((word) => !FILLER.has(word)));
  return words.size === 0 ? null : words;
}

function allWords(text: string): ReadonlySet<string> {
  const { content, numbers } = wordsOf(text);
  return new Set([...content, ...numbers]);
}
