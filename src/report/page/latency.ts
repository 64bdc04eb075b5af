import { latencyKind, NO_LATENCY } from '../../core/aggregate/latency.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { LatencySummary } from '../../core/schemas/summary.ts';
import { countOf, formatCount, formatMs } from '../format.ts';
import { percent } from './bar.ts';
import { html, type Markup } from './markup.ts';

const BINS_PER_DECADE = 20;
const MOST_BARS = 44;
const HEIGHT = 232;
const TOP = 44;
const BOTTOM = 26;

/** Counts latencies in bins of equal ratio while results stream by; its size does not depend on how many there are. */
export class LatencyHistogram {
  readonly #bins = new Map<number, number>();

  add(result: RowResult): void {
    if (result.latency_ms === null || result.phase !== 'main' || latencyKind(result) === NO_LATENCY) return;
    const bin = Math.floor(position(result.latency_ms));
    this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + 1);
  }

  /** SVG with log scale, p50 and p95 from the summary, and the budget when there is one. */
  render(latency: LatencySummary, budgetMs: number | null): Markup {
    if (this.#bins.size === 0) return html`<p class="quiet">Nothing was timed.</p>`;
    const scale = this.#scale(latency, budgetMs);
    const bars = this.#bars(scale);
    const highest = Math.max(...bars.values());
    const label = `Latency of ${countOf(sum(bars), 'answer')}${latency.p95_ms === null ? '' : `, p95 ${formatMs(latency.p95_ms)}`}`;
    return html`<svg class="histogram" width="100%" height="${HEIGHT}" role="img" aria-label="${label}">${[...bars].map(
      ([bin, count]) => barMarkup(bin, count, highest, scale),
    )}<line class="axis" x1="0" x2="100%" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM}"/>${ticks(scale)}${marker('budget', budgetMs, 40, scale)}${marker('p50', latency.p50_ms, 12, scale)}${marker('p95', latency.p95_ms, 26, scale)}</svg>`;
  }

  #scale(latency: LatencySummary, budgetMs: number | null): Scale {
    const marks = [latency.p50_ms, latency.p95_ms, budgetMs].filter((ms) => ms !== null).map(position);
    const from = Math.floor(Math.min(...this.#bins.keys(), ...marks)) - 1;
    const to = Math.ceil(Math.max(...[...this.#bins.keys()].map((bin) => bin + 1), ...marks)) + 1;
    return { from, to, step: Math.max(1, Math.ceil((to - from) / MOST_BARS)) };
  }

  #bars({ from, step }: Scale): Map<number, number> {
    const bars = new Map<number, number>();
    for (const [bin, count] of [...this.#bins].sort(([a], [b]) => a - b)) {
      const start = from + Math.floor((bin - from) / step) * step;
      bars.set(start, (bars.get(start) ?? 0) + count);
    }
    return bars;
  }
}

/** In bins: which are drawn, and how many of them one bar joins. */
interface Scale {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

function barMarkup(bin: number, count: number, highest: number, scale: Scale): Markup {
  const room = HEIGHT - TOP - BOTTOM;
  const height = Math.max(2, (count / highest) * room);
  const title = `${formatMs(milliseconds(bin))} to ${formatMs(milliseconds(bin + scale.step))}: ${formatCount(count)}`;
  const width = percent((scale.step / (scale.to - scale.from)) * 0.86);
  return html`<rect class="column" x="${share(bin, scale)}" width="${width}" y="${(HEIGHT - BOTTOM - height).toFixed(1)}" height="${height.toFixed(1)}" rx="2"><title>${title}</title></rect>`;
}

function ticks(scale: Scale): Markup[] {
  const within = (steps: readonly number[]) => {
    const found: number[] = [];
    for (let decade = -1; decade <= 8; decade += 1) {
      for (const step of steps) {
        const at = position(step * 10 ** decade);
        // Room for the label at either end.
        if (at > scale.from + (scale.to - scale.from) * 0.04 && at < scale.to - (scale.to - scale.from) * 0.05) {
          found.push(step * 10 ** decade);
        }
      }
    }
    return found;
  };
  const decades = within([1]);
  const fine = within([1, 2, 5]);
  const shown = fine.length <= 9 || decades.length < 2 ? fine : decades;
  // On a narrow screen only the decades have room.
  const minor = (ms: number) => decades.length >= 2 && !decades.includes(ms);
  return shown.map(
    (ms) =>
      html`<text class="tick ${minor(ms) ? 'minor' : ''}" x="${share(position(ms), scale)}" y="${HEIGHT - 8}" text-anchor="middle">${formatMs(ms)}</text>`,
  );
}

function marker(name: string, ms: number | null, y: number, scale: Scale): Markup {
  if (ms === null) return html``;
  const at = position(ms);
  const right = (at - scale.from) / (scale.to - scale.from) > 0.6;
  return html`<g class="marker ${name}"><line x1="${share(at, scale)}" x2="${share(at, scale)}" y1="${y - 8}" y2="${HEIGHT - BOTTOM}"/><text x="${share(at, scale)}" dx="${right ? -6 : 6}" y="${y}" text-anchor="${right ? 'end' : 'start'}">${name} ${formatMs(ms)}</text></g>`;
}

/** Where a latency lies on the log scale, in bins. Below a millisecond counts as one. */
function position(ms: number): number {
  return Math.log10(Math.max(1, ms)) * BINS_PER_DECADE;
}

function milliseconds(bin: number): number {
  return 10 ** (bin / BINS_PER_DECADE);
}

function share(bin: number, { from, to }: Scale): string {
  return percent((bin - from) / (to - from));
}

function sum(bars: ReadonlyMap<number, number>): number {
  return [...bars.values()].reduce((total, count) => total + count, 0);
}
