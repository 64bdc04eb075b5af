import { visibleText } from '../visible-text.ts';

/** Markup that is safe to put into a page as it is. Only `html` makes it. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | null | undefined | readonly Part[];

/** Template tag: text between the parts is markup, every part that is not `Markup` is escaped. Null parts draw nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = strings[0] ?? '';
  parts.forEach((part, at) => {
    text += render(part) + (strings[at + 1] ?? '');
  });
  return new Markup(text);
}

export function escapeHtml(text: string): string {
  return visibleText(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}

function render(part: Part): string {
  if (part === null || part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return escapeHtml(String(part));
}
