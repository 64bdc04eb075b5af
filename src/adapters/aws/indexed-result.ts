import type { JsonValue } from '../../core/json.ts';
import { canonicalJson } from '../../core/json.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { IndexedResult } from '../../ports/row-index.ts';

/**
 * Bytes of JSON that an indexed result aims to stay below: about 1 KB when deflated, as it is stored. Many scorers may
 * go over it, never over `HARD_LIMIT_BYTES`.
 */
export const INDEXED_BYTES = 3_000;
export const HARD_LIMIT_BYTES = 32 * 1024;

interface Limits {
  readonly text: number;
  readonly reason: number;
  readonly entries: number;
  readonly scores: number;
}

/** Tried in turn until the result is small enough. */
const LIMITS: readonly Limits[] = [
  { text: 300, reason: 100, entries: 8, scores: 100 },
  { text: 120, reason: 40, entries: 3, scores: 100 },
  { text: 60, reason: 0, entries: 0, scores: 100 },
  { text: 60, reason: 0, entries: 0, scores: 20 },
];

/** Ids and names stay whole in any sane run and bounded in all; a row id has at most 512 bytes. */
const SCALAR_CHARACTERS = 200;
const ROW_ID_CHARACTERS = 512;

/** A result as a list shows it: whole when it is small, else with its texts cut and `truncated` set. */
export function indexResult(result: RowResult, part: string): IndexedResult {
  const { trajectory: _, ...rest } = result;
  const whole: IndexedResult = { ...rest, truncated: false, part };
  if (bytes(whole) <= INDEXED_BYTES) return whole;
  let cut = whole;
  for (const limits of LIMITS) {
    cut = cutResult(whole, limits);
    if (bytes(cut) <= INDEXED_BYTES) return cut;
  }
  return cut;
}

function cutResult(result: IndexedResult, limits: Limits): IndexedResult {
  const { text, entries } = limits;
  return {
    ...cutScalars(result),
    tags: cutList(result.tags, entries, 60),
    input: cutJson(result.input, text),
    expected: cutJson(result.expected, text),
    output: cutText(result.output, text),
    contexts: result.contexts === null ? null : cutList(result.contexts, Math.min(entries, 2), Math.min(text, 120)),
    scores: cutScores(result.scores, limits),
    failed_checks: cutList(result.failed_checks, entries, 80),
    metadata: bytes(result.metadata) <= text ? result.metadata : {},
    error: cutText(result.error, text),
    warnings: cutList(result.warnings, entries, 80),
    truncated: true,
  };
}

function cutScalars(result: IndexedResult): IndexedResult {
  const entries = Object.entries(result).map(([name, value]) => [
    name,
    typeof value === 'string' ? cutText(value, name === 'row_id' ? ROW_ID_CHARACTERS : SCALAR_CHARACTERS) : value,
  ]);
  return Object.fromEntries(entries) as IndexedResult;
}

function cutScores(scores: IndexedResult['scores'], limits: Limits): IndexedResult['scores'] {
  const kept = Object.entries(scores).slice(0, limits.scores);
  return Object.fromEntries(
    kept.map(([name, score]) => [
      cutText(name, 80),
      {
        ...score,
        reason: cutText(score.reason, limits.reason),
        raw_label: cutText(score.raw_label, 60),
        votes: [],
      },
    ]),
  );
}

/** A text stays a text; what is too large as JSON becomes the beginning of its JSON text. */
function cutJson(value: JsonValue, characters: number): JsonValue {
  if (typeof value === 'string') return cutText(value, characters);
  const text = canonicalJson(value);
  return text.length <= characters ? value : cutText(text, characters);
}

function cutList(list: readonly string[], entries: number, characters: number): string[] {
  return list.slice(0, entries).map((entry) => cutText(entry, characters));
}

function cutText<T extends string | null>(text: T, characters: number): T;
function cutText(text: string | null, characters: number): string | null {
  if (text === null || text.length <= characters) return text;
  if (characters === 0) return '';
  const end = characters - 1;
  // Never half of a surrogate pair.
  const last = text.charCodeAt(end - 1);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end)}…`;
}

function bytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
