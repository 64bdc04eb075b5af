import { disagreements } from '../../core/judging/disagreement.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { Vote } from '../../core/schemas/score.ts';
import { ownCut } from '../visible-text.ts';

/** How a jury's votes on one metric went. */
export interface MetricVotes {
  readonly metric: string;
  readonly voted: number;
  readonly differed: number;
  readonly judges: readonly JudgeVotes[];
}

export interface JudgeVotes {
  readonly judge: string;
  readonly voted: number;
  readonly failed: number;
  /** Mean of its values; null when it gave none. */
  readonly mean: number | null;
}

/** One row that the judges saw differently. */
export interface SplitVote {
  readonly rowId: string;
  readonly target: string;
  readonly metric: string;
  readonly votes: readonly Pick<Vote, 'judge' | 'value' | 'label' | 'error'>[];
  /** Highest value − lowest; 0 where only labels or abstentions differ. */
  readonly spread: number;
}

const MOST_METRICS = 100;
const MOST_JUDGES = 20;
const SPLITS_KEPT = 8;

interface Tally {
  voted: number;
  differed: number;
  readonly judges: Map<string, { voted: number; failed: number; values: number; sum: number }>;
}

/** Where the judges of a jury agree and where not. */
export class JuryVotes {
  readonly #metrics = new Map<string, Tally>();
  #splits: SplitVote[] = [];

  add(result: RowResult): void {
    if (result.phase !== 'main' || !hasJury(result)) return;
    const differing = new Set(disagreements(result.scores));
    for (const [metric, { votes }] of Object.entries(result.scores)) {
      if (votes.length < 2) continue;
      const tally = this.#tallyOf(metric);
      if (tally === undefined) continue;
      tally.voted += 1;
      for (const vote of votes) count(tally, vote);
      if (!differing.has(metric)) continue;
      tally.differed += 1;
      this.#keep(splitOf(result, metric, votes));
    }
  }

  metrics(): readonly MetricVotes[] {
    return [...this.#metrics].map(([metric, { voted, differed, judges }]) => ({
      metric,
      voted,
      differed,
      judges: [...judges].map(([judge, { values, sum, ...rest }]) => ({
        judge,
        voted: rest.voted,
        failed: rest.failed,
        mean: values === 0 ? null : sum / values,
      })),
    }));
  }

  /** Those that lie furthest apart. */
  splits(): readonly SplitVote[] {
    return this.#splits;
  }

  #keep(split: SplitVote): void {
    const last = this.#splits.at(-1);
    if (this.#splits.length >= SPLITS_KEPT && last !== undefined && compareSplits(split, last) >= 0) return;
    this.#splits = [...this.#splits, split].sort(compareSplits).slice(0, SPLITS_KEPT);
  }

  #tallyOf(metric: string): Tally | undefined {
    const known = this.#metrics.get(metric);
    if (known !== undefined || this.#metrics.size >= MOST_METRICS) return known;
    const tally: Tally = { voted: 0, differed: 0, judges: new Map() };
    this.#metrics.set(metric, tally);
    return tally;
  }
}

/** Most runs have one judge: of their rows nothing is counted. */
function hasJury({ scores }: RowResult): boolean {
  for (const name in scores) if ((scores[name]?.votes.length ?? 0) > 1) return true;
  return false;
}

function count(tally: Tally, { judge, value, error }: Vote): void {
  if (!tally.judges.has(judge) && tally.judges.size >= MOST_JUDGES) return;
  const known = tally.judges.get(judge) ?? { voted: 0, failed: 0, values: 0, sum: 0 };
  if (error === null) known.voted += 1;
  else known.failed += 1;
  if (value !== null) {
    known.values += 1;
    known.sum += value;
  }
  tally.judges.set(judge, known);
}

function splitOf({ row_id, target }: RowResult, metric: string, votes: readonly Vote[]): SplitVote {
  const values = votes.flatMap(({ value }) => (value === null ? [] : [value]));
  return {
    rowId: row_id,
    target,
    metric,
    votes: votes.slice(0, MOST_JUDGES).map(({ judge, value, label, error }) => ({
      judge: ownCut(judge, 120),
      value,
      label: label === null ? null : ownCut(label, 120),
      error: error === null ? null : ownCut(error, 200),
    })),
    spread: values.length < 2 ? 0 : Math.max(...values) - Math.min(...values),
  };
}

/** The order does not depend on the order of the results. */
function compareSplits(a: SplitVote, b: SplitVote): number {
  const place = ({ rowId, target, metric }: SplitVote) => JSON.stringify([rowId, target, metric]);
  return b.spread - a.spread || (place(a) < place(b) ? -1 : 1);
}
