import type { CauseCount } from '../collect/cause-counts.ts';
import { countOf, formatCount } from '../format.ts';
import type { Finding, FindingsInput } from './finding.ts';

/** Results that nobody judged: the judge failed, the target gave no answer, or they never ran. */
export function noVerdictFindings(input: FindingsInput): Finding[] {
  return [...judgeErrors(input), ...targetErrors(input), ...skipped(input)];
}

function judgeErrors({ summary: { counts }, config, notes }: FindingsInput): Finding[] {
  if (counts.judge_error === 0) return [];
  const share = counts.judge_error / counts.results;
  const tooMany = share > 1 - config.policy.min_coverage + 1e-9;
  const title = `The judge gave no verdict on ${formatCount(counts.judge_error)} of ${countOf(counts.results, 'result')}`;
  const finding = withoutVerdict(title, notes.causes.of('judge_error'), tooMany ? 100 : 55, tooMany);
  // With too many it is asked whether the answers were bad at all.
  const judged =
    tooMany && counts.scored > 0
      ? `Of the ${countOf(counts.scored, 'result')} with a verdict, ${formatCount(notes.passed)} passed. `
      : '';
  return [{ ...finding, detail: `${judged}${finding.detail ?? ''}` || null }];
}

function targetErrors({ summary: { counts, targets }, notes }: FindingsInput): Finding[] {
  if (counts.target_error === 0) return [];
  const failing = targets.filter((target) => target.counts.target_error > 0);
  const [one] = failing;
  const title =
    one !== undefined && failing.length === 1 && targets.length > 1
      ? `Target ${one.id} gave no answer to ${formatCount(one.counts.target_error)} of ${countOf(one.counts.results, 'request')}; the other ${targets.length === 2 ? 'target' : 'targets'} answered all`
      : `${targets.length === 1 ? 'The target' : 'Targets'} gave no answer to ${formatCount(counts.target_error)} of ${countOf(counts.results, 'request')}`;
  const many = counts.target_error * 10 >= counts.results;
  return [withoutVerdict(title, notes.causes.of('target_error'), many ? 95 : 52, many)];
}

function skipped({ summary: { counts, skipped_by_cause: causes } }: FindingsInput): Finding[] {
  if (counts.skipped === 0) return [];
  const detail = Object.entries(causes).map(([cause, count]) => `${formatCount(count)} × ${cause}`);
  const title = `${formatCount(counts.skipped)} of ${countOf(counts.results, 'result')} never ran`;
  const link = { href: '#show=skipped', words: 'Skipped rows' };
  return [{ tone: 'bad', title, detail: detail.join(', '), rowIds: [], link, weight: 92 }];
}

function withoutVerdict(title: string, causes: readonly CauseCount[], weight: number, bad: boolean): Finding {
  const [first] = causes;
  const counted = causes.slice(0, 3).map(({ cause, count }) => `${formatCount(count)} × ${cause}`);
  const example = first?.example == null ? '' : `. The first said: ${first.example}`;
  return {
    tone: bad ? 'bad' : 'warn',
    title,
    detail: counted.length === 0 ? null : `${counted.join(', ')}${example}`,
    rowIds: [],
    link: { href: '#show=errors', words: 'Rows with errors' },
    weight,
  };
}
