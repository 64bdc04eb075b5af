import type { RowResult } from '../../core/schemas/result.ts';
import type { RunSummary } from '../../core/schemas/summary.ts';
import { WorstRows } from '../worst-rows.ts';
import { CauseCounts } from './cause-counts.ts';
import { ChangedAnswers, changedRowIds } from './changed-answers.ts';
import { FailedChecks } from './failed-checks.ts';
import { FlakyRows } from './flaky-rows.ts';
import { GroupCounts } from './group-counts.ts';
import { JuryVotes } from './jury-votes.ts';
import { LatencyCounts } from './latency-counts.ts';
import { ScoreCounts } from './score-counts.ts';

const MOST_TARGETS = 20;
/** Results, not rows: the worst rows may fail in each target and trial. */
const WORST_RESULTS = 100;

/** What a report needs to know of results and a summary does not hold; noted while they stream by, in bounded memory. */
export class RunNotes {
  readonly latency = new LatencyCounts();
  readonly latencyByTarget = new Map<string, LatencyCounts>();
  readonly causes = new CauseCounts();
  readonly scores = new ScoreCounts();
  readonly flaky: FlakyRows | null;
  readonly votes = new JuryVotes();
  readonly clusters = new GroupCounts(({ cluster }) => cluster);
  readonly difficulties = new GroupCounts(({ difficulty }) => difficulty);
  readonly checks = new FailedChecks();
  readonly changed: ChangedAnswers;
  /** Row ids of the worst failed results, for those who look at one row only; a row may stand there more than once. */
  readonly worst = new WorstRows<string>(WORST_RESULTS);
  results = 0;
  /** Results of the manifest that a judge passed. */
  passed = 0;

  constructor({ baseline, counts, repeats }: RunSummary) {
    this.changed = new ChangedAnswers(baseline === null ? [] : changedRowIds(baseline));
    const repeated = repeats !== undefined || counts.flaky > 0 || (baseline?.confirmation?.flipped ?? 0) > 0;
    this.flaky = repeated ? new FlakyRows() : null;
  }

  add(result: RowResult): void {
    this.results += 1;
    if (result.passed && result.status === 'scored' && result.phase === 'main') this.passed += 1;
    this.latency.add(result);
    this.#latencyOf(result.target)?.add(result);
    this.causes.add(result);
    this.scores.add(result);
    this.flaky?.add(result);
    this.votes.add(result);
    this.clusters.add(result);
    this.difficulties.add(result);
    this.checks.add(result);
    this.changed.add(result);
    if (!result.passed && result.phase === 'main') this.worst.offer(result, () => result.row_id);
  }

  #latencyOf(target: string): LatencyCounts | undefined {
    const known = this.latencyByTarget.get(target);
    if (known !== undefined || this.latencyByTarget.size >= MOST_TARGETS) return known;
    const counts = new LatencyCounts();
    this.latencyByTarget.set(target, counts);
    return counts;
  }
}
