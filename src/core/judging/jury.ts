import type { Vote } from '../schemas/score.ts';
import type { Judgement } from '../scoring/eval-scoring.ts';
import type { JudgeAsk, JudgeQuestion, Verdict } from './question.ts';

export interface Ballot {
  /** Id of the judge. */
  readonly judge: string;
  readonly judgement: Judgement;
}

type Judged = Extract<Judgement, { status: 'judged' }>;
interface CastVote {
  readonly judge: string;
  readonly verdict: Verdict;
}

/**
 * Several judges' judgements of one question → one: labels by most votes, numbers by median (the mean of the middle two
 * when even). A juror who failed has no vote. A tie, or fewer than half of the jurors voting, is a judge error: never a guess.
 */
export function combineJury(ballots: readonly Ballot[], question: JudgeQuestion): Judgement {
  const voters = ballots.flatMap(({ judge, judgement }) =>
    judgement.status === 'judged' ? [{ judge, judgement }] : [],
  );
  if (voters.length === 0 || voters.length * 2 < ballots.length) return tooFew(ballots, voters.length);

  const verdicts = new Map<string, Verdict>();
  const votes = new Map<string, readonly Vote[]>();
  for (const ask of question.asks) {
    const cast = voters.map(({ judge, judgement }) => ({ judge, verdict: verdictOn(ask, judgement) }));
    const verdict = ask.kind === 'label' ? mostVoted(cast) : median(cast);
    if (verdict === null) {
      const message = `the jury is tied on "${ask.name}": ${cast.map(describeVote).join(', ')}`;
      return { status: 'judge_error', cause: 'unparsable', message };
    }
    verdicts.set(ask.name, verdict);
    votes.set(
      ask.name,
      ballots.map((ballot) => toVote(ballot, ask)),
    );
  }
  const repaired = voters.some(({ judgement }) => judgement.repaired);
  const cached = voters.every(({ judgement }) => judgement.cached);
  return { status: 'judged', verdicts, repaired, cached, votes };
}

function tooFew(ballots: readonly Ballot[], voters: number): Judgement {
  const failed = ballots.flatMap(({ judge, judgement }) =>
    judgement.status === 'judge_error' ? [{ judge, ...judgement }] : [],
  );
  const why = failed.map(({ judge, message }) => `${judge}: ${message}`).join('; ');
  const message = `${voters} of ${ballots.length} judges gave a verdict, at least half must. ${why}`;
  return { status: 'judge_error', cause: failed[0]?.cause ?? 'unavailable', message };
}

function mostVoted(cast: readonly CastVote[]): Verdict | null {
  const byLabel = new Map<string | null, CastVote[]>();
  for (const vote of cast) byLabel.set(vote.verdict.rawLabel, [...(byLabel.get(vote.verdict.rawLabel) ?? []), vote]);
  const [first, second] = [...byLabel.values()].sort((a, b) => b.length - a.length);
  if (first === undefined || first.length === second?.length) return null;
  return first[0] === undefined ? null : { ...first[0].verdict, reason: summary(cast, first[0]) };
}

function median(cast: readonly CastVote[]): Verdict | null {
  const numbers = cast.filter(({ verdict }) => verdict.value !== null);
  const none = cast.filter(({ verdict }) => verdict.value === null);
  if (numbers.length === none.length) return null;
  if (none.length > numbers.length) return none[0]?.verdict ?? null;
  const sorted = [...numbers].sort((a, b) => (a.verdict.value ?? 0) - (b.verdict.value ?? 0));
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.ceil((sorted.length - 1) / 2)];
  if (low === undefined || high === undefined) return null;
  const value = ((low.verdict.value ?? 0) + (high.verdict.value ?? 0)) / 2;
  // Raw scores of jurors may lie on different scales (claims counted), so the combined one is the value itself.
  const rawScore = low === high ? low.verdict.rawScore : value;
  const scale = low === high ? low.verdict.scale : ([0, 1] as const);
  return { ...low.verdict, value, rawScore, scale, reason: summary(cast, low) };
}

function summary(cast: readonly CastVote[], chosen: CastVote): string {
  const agree = new Set(cast.map(({ verdict }) => verdict.rawLabel ?? verdict.value)).size === 1;
  if (cast.length === 1) return chosen.verdict.reason;
  return `${agree ? 'all judges agree' : `judges differ (${cast.map(describeVote).join(', ')})`}: ${chosen.verdict.reason}`;
}

function describeVote({ judge, verdict }: CastVote): string {
  return `${judge} ${verdict.rawLabel ?? verdict.value ?? 'does not apply'}`;
}

function toVote({ judge, judgement }: Ballot, ask: JudgeAsk): Vote {
  if (judgement.status === 'judge_error') return { judge, value: null, label: null, error: judgement.message };
  const { value, rawLabel } = verdictOn(ask, judgement);
  return { judge, value, label: rawLabel, error: null };
}

function verdictOn(ask: JudgeAsk, judgement: Judged): Verdict {
  const verdict = judgement.verdicts.get(ask.name);
  if (verdict === undefined) throw new Error(`a judgement without "${ask.name}", which was asked`);
  return verdict;
}
