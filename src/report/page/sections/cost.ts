import type { Usage } from '../../../core/schemas/answer.ts';
import type { RunSummary } from '../../../core/schemas/summary.ts';
import { cacheWords, costWords, targetCostWords } from '../../describe.ts';
import { formatCount, formatUsd } from '../../format.ts';
import { shareBar } from '../charts/share-bar.ts';
import { html, type Markup } from '../markup.ts';
import { type Section, scrolling, section } from '../section.ts';

/** What the run cost and which tokens it took, for targets and judge apart. What is not metered says so. */
export function cost(summary: RunSummary): Section {
  const { target_usd: target, judge_usd: judge, tokens } = summary.cost;
  const lines = [line('Targets', target, tokens.target, summary), line('Judge', judge, tokens.judge, summary)];
  const known = target !== null && judge !== null ? [target, judge] : [];
  const label = `Targets ${usd(target)}, judge ${usd(judge)}`;
  const parts = known.map((value, at) => ({ className: at === 0 ? 'part-target' : 'part-judge', value }));
  const kept = cacheWords(summary);
  const body = html`<p class="lead">${costWords(summary.cost)
    .split('; ')
    .map((words, at) =>
      at === 0 ? html`${words}` : html`<span class="quiet"> · ${words}</span>`,
    )}${perRow(summary)}</p>${shareBar(parts, label)}${scrolling(
    'Cost and tokens',
    html`<table class="costs"><thead><tr><th scope="col">Who</th><th scope="col">Cost</th><th scope="col">Tokens in</th><th scope="col">out</th><th scope="col">cache read</th><th scope="col">cache write</th></tr></thead><tbody>${lines}${
      summary.targets.length < 2
        ? null
        : summary.targets.map(
            ({ id, cost: own }) =>
              html`<tr class="cause"><th scope="row" dir="auto">${id}</th><td>${targetCostWords(own)}</td><td></td><td></td><td></td><td></td></tr>`,
          )
    }</tbody></table>`,
  )}${kept === null ? null : html`<p class="quiet">${kept}</p>`}`;
  return section({ id: 'cost', short: 'Cost', title: 'Cost and tokens' }, body);
}

function line(name: string, amount: number | null, usage: Usage, { judges, cost: all }: RunSummary): Markup {
  const tokens = [usage.input, usage.output, usage.cache_read, usage.cache_write];
  const used = tokens.some((count) => count > 0);
  const isJudge = name === 'Judge';
  const noModel = isJudge && !judges.some(({ is_model: isModel }) => isModel);
  const unmetered = !isJudge && all.not_metered.length > 0 && (amount ?? 0) === 0;
  const words = noModel ? 'no model' : unmetered ? 'not metered' : usd(amount);
  const swatch = isJudge ? 'part-judge' : 'part-target';
  return html`<tr><th scope="row"><span class="swatch ${swatch}"></span>${name}</th><td>${words}</td>${tokens.map((count) => html`<td>${used ? formatCount(count) : '–'}</td>`)}</tr>`;
}

function perRow({ cost: { total_usd: total }, counts }: RunSummary): Markup | null {
  if (total === null || total === 0 || counts.rows === 0) return null;
  return html` <span class="quiet">· ${formatUsd(total / counts.rows)} a row</span>`;
}

const usd = (amount: number | null): string => (amount === null ? 'unknown' : formatUsd(amount));
