import { formatCount, formatMs, msAgainst } from '../format.ts';
import type { Finding, FindingsInput } from './finding.ts';

/** Answers beyond the limit, or one target that takes much longer than the others. */
export function slowFindings({ summary: { latency, targets }, config }: FindingsInput): Finding[] {
  const limit = config.policy.max_p95_latency_ms ?? config.eval.latency_budget_ms ?? null;
  const link = { href: '#latency', words: 'Latency' };
  const timed = targets.flatMap(({ id, latency: { p95_ms: p95 } }) => (p95 === null ? [] : [{ id, p95 }]));
  const [slowest] = timed.toSorted((a, b) => b.p95 - a.p95);
  const others = timed.filter((target) => target !== slowest);
  const isOver = limit !== null && latency.p95_ms !== null && latency.p95_ms > limit + 1e-9;
  const best = others.map(({ p95 }) => p95).sort((a, b) => a - b)[0];
  const detail =
    best === undefined
      ? null
      : others.length === 1
        ? `The other target, ${others[0]?.id ?? ''}: p95 ${formatMs(best)}`
        : `The others: p95 ${formatMs(best)} to ${formatMs(Math.max(...others.map(({ p95 }) => p95)))}`;
  if (isOver && latency.p95_ms !== null) {
    const oneIsSlow =
      slowest !== undefined && best !== undefined && slowest.p95 > limit && others.every(({ p95 }) => p95 <= limit);
    const shown = msAgainst(oneIsSlow ? slowest.p95 : latency.p95_ms, limit);
    const who = oneIsSlow ? `Target ${slowest.id} is too slow` : 'Answers are too slow';
    const title = `${who}: p95 ${shown.value}, at most ${shown.limit} allowed`;
    return [{ tone: 'bad', title, detail, rowIds: [], link, weight: 90 }];
  }
  if (slowest === undefined || best === undefined || slowest.p95 < best * 2 || slowest.p95 < 500) return [];
  const title = `Target ${slowest.id} is ${formatCount(Math.floor(slowest.p95 / Math.max(1, best)))} times slower: p95 ${formatMs(slowest.p95)}`;
  return [{ tone: 'warn', title, detail, rowIds: [], link, weight: 36 }];
}
