import { plural } from '../plural.ts';
import type { RowResult } from '../schemas/result.ts';

const BEGINNING = 'throttled by the ';

/** What a result says of requests that were throttled: it took longer, and means the same. Summaries count results by the words before the colon. */
export function throttleWarnings(requests: { readonly target: number; readonly judge: number }): string[] {
  return (['target', 'judge'] as const)
    .filter((who) => requests[who] > 0)
    .map((who) => `${BEGINNING}${who}: ${plural(requests[who], 'request')}`);
}

export function wasThrottled({ warnings }: Pick<RowResult, 'warnings'>): boolean {
  return warnings.some((warning) => warning.startsWith(BEGINNING));
}
