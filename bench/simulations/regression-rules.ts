import { mayBeNoise } from '../../src/core/aggregate/confirm-flips.ts';
import { type ConfirmRule, confirmRule, verdictOf } from '../../src/core/aggregate/confirm-rule.ts';
import { boundOfInterval } from '../../src/core/gate/reasons.ts';
import { newcombePaired } from '../../src/core/statistics/paired.ts';

type Random = () => number;

/** What the system under test does between the baseline and now. */
export interface Scenario {
  readonly rows: number;
  /** Chance that one verdict on a row is not the row's usual one: noise of the target and the judge. */
  readonly flipRate: number;
  /** Rows that the change breaks: from now on they usually fail. */
  readonly broken: number;
  /** Rows that usually fail, before and now; some of them pass by luck in the baseline. @default 0 */
  readonly usuallyFailing?: number;
  /** Rows whose verdict is not the usual one 3 times in 10, before and now. @default 0 */
  readonly noisy?: number;
}

export interface RuleOutcomes {
  /** Share of comparisons that each rule fails. */
  readonly plain: number;
  readonly paired: number;
  readonly pairedInconclusive: number;
  /** By `confirm_trials`. */
  readonly confirmed: Readonly<Record<number, number>>;
  /** Further calls of the confirmed rule, as a share of the rows. */
  readonly extraCalls: Readonly<Record<number, number>>;
}

export const CONFIRM_TRIALS = [3, 5] as const;
export const MARGIN = 0.03;
const NOISY_RATE = 0.3;

/**
 * The same comparison, again and again, by three rules. Plain: any row that passed before and fails now fails the run.
 * Paired: `decide_by: interval` with a margin of 3 points. Confirmed: rows that flipped are tried up to `confirm_trials`
 * times more, by the rule of the gate itself.
 */
export function simulateRules(scenario: Scenario, repeats: number, random: Random): RuleOutcomes {
  const failed = { plain: 0, paired: 0, inconclusive: 0 };
  const confirmed = new Map<number, number>(CONFIRM_TRIALS.map((trials) => [trials, 0]));
  const calls = new Map<number, number>(CONFIRM_TRIALS.map((trials) => [trials, 0]));
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const { table, flipped } = compareOnce(scenario, random);
    if (table.onlyBaseline > 0) failed.plain += 1;
    const outcome = pairedOutcome(table);
    if (outcome === 'fail') failed.paired += 1;
    if (outcome === 'inconclusive') failed.inconclusive += 1;
    for (const trials of CONFIRM_TRIALS) {
      if (!mayBeNoise(flipped.length, table.bothPass + table.onlyBaseline)) {
        add(confirmed, trials, 1);
        continue;
      }
      const rule = confirmRule(trials, flipped.length);
      const tried = flipped.map((passRate) => tryAgain(passRate, rule, random));
      if (tried.some(({ verdict }) => verdict === 'regressed')) add(confirmed, trials, 1);
      add(calls, trials, tried.reduce((sum, { asked }) => sum + asked, 0) / scenario.rows);
    }
  }
  const share = (counts: ReadonlyMap<number, number>) =>
    Object.fromEntries([...counts].map(([trials, count]) => [trials, count / repeats]));
  return {
    plain: failed.plain / repeats,
    paired: failed.paired / repeats,
    pairedInconclusive: failed.inconclusive / repeats,
    confirmed: share(confirmed),
    extraCalls: share(calls),
  };
}

/** Two runs over the same rows; of each row that flipped to a failure the chance that a further trial passes. */
function compareOnce({ rows, flipRate, broken, usuallyFailing = 0, noisy = 0 }: Scenario, random: Random) {
  const table = { bothPass: 0, onlyCurrent: 0, onlyBaseline: 0, neither: 0 };
  const flipped: number[] = [];
  for (let row = 0; row < rows; row += 1) {
    const usuallyPassed = row >= usuallyFailing;
    const usuallyPasses = usuallyPassed && row < rows - broken;
    const noise = row < noisy ? NOISY_RATE : flipRate;
    const then = random() < (usuallyPassed ? 1 - noise : noise);
    const passRate = usuallyPasses ? 1 - noise : noise;
    const now = random() < passRate;
    if (then && now) table.bothPass += 1;
    else if (now) table.onlyCurrent += 1;
    else if (then) {
      table.onlyBaseline += 1;
      flipped.push(passRate);
    } else table.neither += 1;
  }
  return { table, flipped };
}

function pairedOutcome(table: Parameters<typeof newcombePaired>[0]): string {
  const paired = newcombePaired(table);
  if (paired === null) return 'error';
  const { delta: actual, ci95: interval } = paired;
  return boundOfInterval({ rule: 'margin', what: 'change', actual, limit: -MARGIN, interval }).outcome;
}

/** One trial after another, until the verdict is sure. */
function tryAgain(passRate: number, rule: ConfirmRule, random: Random) {
  const tally = { passed: 0, failed: 0 };
  let verdict = verdictOf(tally, rule);
  while (verdict === null) {
    if (random() < passRate) tally.passed += 1;
    else tally.failed += 1;
    verdict = verdictOf(tally, rule);
  }
  return { verdict, asked: tally.passed + tally.failed };
}

function add(counts: Map<number, number>, key: number, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}
