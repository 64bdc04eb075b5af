import type { ResultItem } from '../api/types.ts';
import type { Tone } from '../parts/words.ts';

type Result = Pick<ResultItem, 'status' | 'passed'>;

/** In the order that people look for them. */
export const RESULT_STATUSES = [
  'scored',
  'target_error',
  'judge_error',
  'skipped',
] as const satisfies readonly ResultItem['status'][];

export function statusWords(status: ResultItem['status']): string {
  return status.replaceAll('_', ' ');
}

export function resultTone({ status, passed }: Result): Tone {
  if (passed) return 'good';
  if (status === 'judge_error') return 'warn';
  return status === 'skipped' ? 'still' : 'bad';
}

/** `passed`, `failed`, or why there is no verdict. */
export function resultWords(result: Result): string {
  if (result.status === 'scored') return result.passed ? 'passed' : 'failed';
  return statusWords(result.status);
}

const BY_URGENCY: readonly Tone[] = ['bad', 'warn', 'still', 'live', 'good'];

/** The result that says most of a row: the worst of its targets and trials. */
export function worstOf<T extends Result>(results: readonly T[]): T | undefined {
  const rank = (result: T) => BY_URGENCY.indexOf(resultTone(result));
  return results.reduce<T | undefined>(
    (worst, result) => (worst === undefined || rank(result) < rank(worst) ? result : worst),
    undefined,
  );
}
