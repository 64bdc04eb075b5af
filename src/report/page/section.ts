import { html, type Markup } from './markup.ts';

/** A part of the page that the list of parts names. */
export interface Section {
  /** Name in links: `#metrics`. */
  readonly id: string;
  /** Its name in the list of parts: a word or two. */
  readonly short: string;
  readonly markup: Markup;
}

/** Where a part stands, what it is called among the others, and its heading. */
export interface SectionName {
  readonly id: string;
  readonly short: string;
  readonly title?: string;
}

/** A card with a heading. `aside` stands beside the heading. */
export function section(
  { id, short, title = short }: SectionName,
  body: Markup | readonly Markup[],
  aside: Markup | null = null,
): Section {
  return {
    id,
    short,
    markup: html`<section class="card" id="${id}" aria-labelledby="${id}-title"><div class="head"><h2 id="${id}-title">${title}</h2>${aside}</div>
${body}</section>
`,
  };
}

/** A table that scrolls sideways by itself where it is too wide, also by keyboard. */
export function scrolling(label: string, table: Markup): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}, as a table">${table}</div>`;
}

/** A link to a row of the list on this page. */
export function rowLink(id: string): Markup {
  return html`<a href="#row=${encodeURIComponent(id.toWellFormed())}">${idText(id)}</a>`;
}

export function idText(id: string): string {
  return id.length > 80 ? `${id.slice(0, 79)}…` : id;
}
