import type { Finding } from '../../findings/finding.ts';
import { html, type Markup } from '../markup.ts';
import { rowLink } from '../section.ts';

const SIGNS = { bad: '▼', warn: '!', good: '✓' } as const;
const SAID = { bad: 'worse', warn: 'look', good: 'well' } as const;

/** What got worse and where to look, gravest first. */
export function findingList(found: readonly Finding[], isCompared: boolean): Markup {
  const bad = found.some(({ tone }) => tone === 'bad');
  const what = isCompared ? 'What got worse' : 'What is wrong';
  return html`<section class="card findings" id="look" aria-labelledby="look-title"><div class="head"><h2 id="look-title">${bad ? `${what}, and where to look` : 'Where to look'}</h2></div>
<ol>${found.map(item)}</ol></section>
`;
}

function item({ tone, title, detail, rowIds, link }: Finding): Markup {
  return html`<li class="${tone}"><span class="dot" aria-hidden="true">${SIGNS[tone]}</span><div><p class="what" dir="auto"><span class="sr">${SAID[tone]}: </span>${title}</p>${
    detail === null ? null : html`<p class="quiet" dir="auto">${detail}</p>`
  }${rowIds.length === 0 ? null : html`<p class="quiet rows-named">${rowIds.map((id) => html`${rowLink(id)} `)}</p>`}</div>${
    link === null ? null : html`<a class="go" href="${link.href}">${link.words}</a>`
  }</li>`;
}
