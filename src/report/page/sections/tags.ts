import type { RunSummary } from '../../../core/schemas/summary.ts';
import type { GroupCount, GroupCounts } from '../../collect/group-counts.ts';
import { countOf, formatCount, formatPercent, formatPoints, formatScore } from '../../format.ts';
import { bar } from '../charts/bar.ts';
import { html, type Markup } from '../markup.ts';
import { type Section, section } from '../section.ts';

const MOST_TAGS = 60;
const MOST_GROUPS = 30;
/** Clusters and difficulties alike. */
const GROUPS_AT_ONCE = 6;
/** Tags in sight without unfolding the list. */
const SHOWN_AT_ONCE = 12;

interface TagsInput {
  readonly summary: RunSummary;
  readonly baseline: RunSummary | null;
  readonly clusters: GroupCounts;
  readonly difficulties: GroupCounts;
}

/** Pass rate of the rows that carry each tag, of each cluster and difficulty; the worst first, since one looks for trouble. */
export function tags({ summary, baseline, clusters, difficulties }: TagsInput): Section | null {
  const lists = [
    tagList(summary, baseline),
    groupList('By difficulty', difficulties, 'difficulty'),
    groupList('By cluster', clusters, 'cluster'),
  ].filter((list) => list !== null);
  if (lists.length === 0) return null;
  const title = summary.tags && Object.keys(summary.tags).length > 0 ? 'Tags and clusters' : 'Clusters';
  return section({ id: 'tags', short: 'Tags', title }, lists);
}

function tagList(summary: RunSummary, baseline: RunSummary | null): Markup | null {
  const all = Object.entries(summary.tags);
  if (all.length === 0) return null;
  const share = (tag: { passed: number; counted: number }) => (tag.counted > 0 ? tag.passed / tag.counted : 2);
  const sorted = all.sort(([a, x], [b, y]) => share(x) - share(y) || y.rows - x.rows || (a < b ? -1 : 1));
  const lines = sorted.slice(0, MOST_TAGS).map(([name, tag]) => {
    const then = baseline !== null && Object.hasOwn(baseline.tags, name) ? baseline.tags[name] : undefined;
    const former = then !== undefined && then.counted > 0 ? then.passed / then.counted : null;
    const score = tag.score === null ? '' : `score ${formatScore(tag.score)} · `;
    const rate = tag.counted > 0 ? tag.passed / tag.counted : null;
    return line(
      name,
      rate,
      former,
      `${score}${formatCount(tag.passed)} of ${countOf(tag.counted, 'row')} passed`,
      `#tag=${encodeURIComponent(name.toWellFormed())}`,
    );
  });
  return folded('By tag', lines, all.length - lines.length, SHOWN_AT_ONCE);
}

function groupList(title: string, counts: GroupCounts, what: string): Markup | null {
  if (counts.size === 0) return null;
  const all = counts.groups();
  const lines = all
    .slice(0, MOST_GROUPS)
    .map(({ name, passed, results }: GroupCount) =>
      line(
        name,
        passed / results,
        null,
        `${formatCount(passed)} of ${countOf(results, 'result')} passed`,
        `#find=${encodeURIComponent(name.toWellFormed().slice(0, 200))}`,
      ),
    );
  const count = what === 'cluster' ? ` (${formatCount(counts.size)})` : '';
  return folded(`${title}${count}`, lines, all.length - lines.length, GROUPS_AT_ONCE);
}

function folded(title: string, lines: readonly Markup[], more: number, atOnce: number): Markup {
  const later = lines.slice(atOnce);
  return html`<h3>${title}</h3><div class="metrics">${lines.slice(0, atOnce)}</div>${
    later.length === 0
      ? null
      : html`<details class="group"><summary>${formatCount(later.length)} more</summary><div class="metrics">${later}</div></details>`
  }${more > 0 ? html`<p class="quiet">… and ${formatCount(more)} more in summary.json</p>` : null}`;
}

function line(name: string, rate: number | null, former: number | null, words: string, href: string): Markup {
  const label = rate === null ? `${name}: no row counts` : `${name}: ${formatPercent(rate)} passed`;
  const by = rate === null || former === null || Math.abs(rate - former) < 5e-4 ? null : rate - former;
  return html`<div class="metric"><h4 dir="auto"><a href="${href}">${name.length > 80 ? `${name.slice(0, 79)}…` : name}</a></h4>${
    rate === null
      ? html`<p class="quiet none">no row counts</p>`
      : bar({ value: rate, mark: null, interval: null, former, tone: 'plain', label })
  }<p class="num">${rate === null ? '–' : formatPercent(rate)}</p><p class="quiet">${words}${by === null ? null : html` · <span class="change ${by > 0 ? 'up' : 'down'}">${formatPoints(by)}</span>`}</p></div>
`;
}
