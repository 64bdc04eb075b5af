import type { Aggregate } from '../aggregate/aggregate.ts';
import { plural } from '../plural.ts';
import type { Decision } from '../schemas/summary.ts';
import type { FinalStatus } from './decide-gate.ts';
import { showNumber } from './show-against.ts';

export interface Stop {
  /** Rows that were tried. */
  readonly after: number;
  readonly of: number;
  readonly why: string;
}

type MessageFigures = Pick<Aggregate, 'counts' | 'weakest' | 'rowsWithoutAnswer' | 'rowsNotJudged'>;

/** One sentence about a run: how many rows failed, what broke, the weakest metric, rows without an answer. */
export function runMessage(
  status: FinalStatus,
  decision: Decision,
  figures: MessageFigures,
  stop: Stop | null,
): string {
  const { counts } = figures;
  const parts: string[] = [];
  if (stop !== null) parts.push(`stopped after ${stop.after} of ${plural(stop.of, 'row')} (${stop.why})`);
  if (status === 'failed') parts.push(`${counts.failed} of ${plural(counts.rows, 'row')} failed`);
  if (status === 'passed') parts.push(`${counts.passed} of ${plural(counts.rows, 'row')} passed`);
  for (const { text } of decision.reasons) {
    // "3 of 3 rows passed: pass rate 1 reaches 1" begins as the headline does.
    const said = parts.findIndex((part) => text === part || text.startsWith(`${part}: `));
    if (said === -1) parts.push(text);
    else parts[said] = text;
  }
  if (status === 'failed' && figures.weakest !== null && figures.weakest.mean < 1) {
    parts.push(`weakest metric: ${figures.weakest.name} (${showNumber(figures.weakest.mean, 3)})`);
  }
  if (status === 'failed' || status === 'passed') {
    if (figures.rowsWithoutAnswer > 0) parts.push(`${plural(figures.rowsWithoutAnswer, 'row')} got no answer`);
    if (figures.rowsNotJudged > 0) parts.push(`${plural(figures.rowsNotJudged, 'row')} could not be judged`);
  }
  return parts.join('; ');
}
