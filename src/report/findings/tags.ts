import type { RunSummary } from '../../core/schemas/summary.ts';
import type { RunNotes } from '../collect/run-notes.ts';
import { formatCount, formatPercent } from '../format.ts';
import type { Finding } from './finding.ts';

const NOTABLE_DROP = 0.1;
const FEWEST_ROWS = 3;

/** The tag whose rows lost most against the baseline. */
export function tagFindings({ summary, baseline }: { summary: RunSummary; baseline: RunSummary | null }): Finding[] {
  if (baseline === null) return [];
  const drops = Object.entries(summary.tags).flatMap(([name, now]) => {
    const then = Object.hasOwn(baseline.tags, name) ? baseline.tags[name] : undefined;
    if (then === undefined || now.counted < FEWEST_ROWS || then.counted < FEWEST_ROWS) return [];
    const [was, is] = [then.passed / then.counted, now.passed / now.counted];
    return was - is >= NOTABLE_DROP ? [{ name, was, is, now }] : [];
  });
  const [worst] = drops.sort((a, b) => b.was - b.is - (a.was - a.is) || (a.name < b.name ? -1 : 1));
  if (worst === undefined) return [];
  return [
    {
      tone: 'bad',
      title: `Tag ${worst.name}: ${formatPercent(worst.is)} passed, was ${formatPercent(worst.was)}`,
      detail: `${formatCount(worst.now.passed)} of ${formatCount(worst.now.counted)} rows`,
      rowIds: [],
      link: { href: `#tag=${encodeURIComponent(worst.name.toWellFormed())}`, words: 'Rows with this tag' },
      weight: 60,
    },
  ];
}

/** The tag that most of these rows share, where it says more than that all rows carry it. */
export function tagOfMost(
  rowIds: readonly string[],
  notes: RunNotes,
  { tags, counts: { rows } }: Pick<RunSummary, 'tags' | 'counts'>,
): { name: string; rows: number } | null {
  const share = (name: string) => (tags[name]?.rows ?? 0) / Math.max(1, rows);
  const counts = new Map<string, number>();
  for (const rowId of rowIds) {
    for (const tag of new Set(notes.changed.of(rowId)[0]?.tags ?? [])) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  const shared = [...counts].filter(([name, count]) => count >= 2 && count * 2 > rowIds.length && share(name) < 0.9);
  const [most] = shared.sort(([a, x], [b, y]) => y - x || share(a) - share(b) || (a < b ? -1 : 1));
  return most === undefined ? null : { name: most[0], rows: most[1] };
}
