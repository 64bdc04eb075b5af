import type { RowResult } from '../../core/schemas/result.ts';
import type { BaselineComparison } from '../../core/schemas/summary.ts';
import { ownCut } from '../visible-text.ts';

/** One answer to a row that changed its verdict, cut to what a page can show. */
export interface ChangedAnswer {
  readonly rowId: string;
  readonly target: string;
  readonly trial: number;
  readonly status: RowResult['status'];
  readonly cause: string | null;
  readonly passed: boolean;
  readonly score: number | null;
  readonly input: string;
  readonly expected: string | null;
  readonly output: string | null;
  /** UTF-16 units of the answer that were left out. */
  readonly cut: number;
  readonly error: string | null;
  readonly scores: ReadonlyMap<string, { readonly value: number | null; readonly reason: string }>;
  readonly failedChecks: readonly string[];
  readonly tags: readonly string[];
}

const MOST_ROWS = 200;
/** Of `MOST_ROWS`, these are kept for rows that got better. */
const ROWS_FOR_FIXED = 50;
export const MOST_ANSWERS_PER_ROW = 12;
const MOST_TEXT = 20_000;
const MOST_REASON = 600;
const MOST_QUESTION = 2_000;
/** Over all rows, in UTF-16 units; what comes after it is cut short. */
const TEXT_BUDGET = 4_000_000;
const BRIEF_TEXT = 1_000;

/** Ids of the rows that a report shows side by side, regressed ones first. */
export function changedRowIds({ regressed, fixed }: Pick<BaselineComparison, 'regressed' | 'fixed'>): string[] {
  const worse = regressed.slice(0, MOST_ROWS - Math.min(ROWS_FOR_FIXED, fixed.length));
  return [...worse, ...fixed.slice(0, MOST_ROWS - worse.length)];
}

/** Keeps the answers to a few rows while results pass by. Memory is bounded whatever they hold. */
export class ChangedAnswers {
  readonly #wanted: ReadonlySet<string>;
  readonly #answers = new Map<string, ChangedAnswer[]>();
  #text = 0;

  constructor(rowIds: Iterable<string>) {
    this.#wanted = new Set(rowIds);
  }

  /** Whether it was one to keep. */
  add(result: RowResult): boolean {
    if (result.phase !== 'main' || !this.#wanted.has(result.row_id)) return false;
    const known = this.#answers.get(result.row_id) ?? [];
    const isRepeat = known.some(({ target, trial }) => target === result.target && trial === result.trial);
    if (isRepeat || known.length >= MOST_ANSWERS_PER_ROW) return false;
    this.#answers.set(result.row_id, [...known, this.#shortened(result)]);
    return true;
  }

  get isEmpty(): boolean {
    return this.#answers.size === 0;
  }

  /** In the order of targets and trials, whatever order they came in. */
  of(rowId: string): readonly ChangedAnswer[] {
    const answers = this.#answers.get(rowId) ?? [];
    return answers.toSorted((a, b) => (a.target < b.target ? -1 : a.target > b.target ? 1 : a.trial - b.trial));
  }

  #shortened(result: RowResult): ChangedAnswer {
    const limit = this.#text < TEXT_BUDGET ? MOST_TEXT : BRIEF_TEXT;
    const output = result.output === null ? null : ownCut(result.output, limit);
    this.#text += output?.length ?? 0;
    return {
      rowId: result.row_id,
      target: result.target,
      trial: result.trial,
      status: result.status,
      cause: result.cause,
      passed: result.passed,
      score: result.score,
      input: shortText(result.input),
      expected: result.expected === null ? null : shortText(result.expected),
      output,
      cut: (result.output?.length ?? 0) - (output?.length ?? 0),
      error: result.error === null ? null : ownCut(result.error, MOST_REASON),
      scores: new Map(
        Object.entries(result.scores)
          .slice(0, 50)
          .map(([name, { value, reason }]) => [name, { value, reason: ownCut(reason, MOST_REASON) }]),
      ),
      failedChecks: result.failed_checks.slice(0, 20).map((check) => ownCut(check, MOST_REASON)),
      tags: result.tags.slice(0, 50),
    };
  }
}

/** Text as it is; anything else as JSON a person can read. */
function shortText(value: RowResult['input']): string {
  return ownCut(typeof value === 'string' ? value : JSON.stringify(value, null, 2), MOST_QUESTION);
}
