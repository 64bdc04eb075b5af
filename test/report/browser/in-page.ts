/** Scripts that tests run inside a page, as text: the project's types know no DOM. Each is an expression. */

/** Opens the first folds of the page. */
export const unfold = (most: number): string =>
  `void [...document.querySelectorAll('details')].slice(0, ${most}).forEach((details) => { details.open = true; })`;

/** Shows whole the texts that are shown in part. */
export const SHOW_WHOLE_TEXTS = `void document.querySelectorAll('button.more').forEach((button) => button.click())`;

/** Elements, handlers and links that only smuggled text could have made, as text. */
export const FOREIGN_ELEMENTS = `(() => {
  const found = [...document.querySelectorAll('img, iframe, object, embed, form, base, link, video, audio')];
  const scripts = [...document.scripts].slice(2);
  const handlers = [...document.querySelectorAll('*')].filter((element) =>
    [...element.attributes].some(({ name, value }) => name.startsWith('on') || (name === 'href' && !value.startsWith('#'))));
  return [...found, ...scripts, ...handlers].map((element) => element.outerHTML.slice(0, 200));
})()`;

/** Pixels that the page is wider than its window. */
export const OVERFLOW = 'Math.max(0, document.documentElement.scrollWidth - window.innerWidth)';

export interface FocusPlace {
  readonly top: number;
  readonly height: number;
  /** Stands where the window is, not where the page is. */
  readonly sticky: boolean;
}

/** Where the focus is on the page; null when nothing has it. */
export const FOCUS_PLACE = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const { top, height } = element.getBoundingClientRect();
  return { top: top + window.scrollY, height, sticky: element.closest('.contents, .skip') !== null };
})()`;
export const FOCUS_ID = 'document.activeElement?.id';
export const FOCUS_TEXT = "document.activeElement?.textContent ?? ''";

/** Runs axe, which the page must have; all rules, or some. */
export const runAxe = (rules?: readonly string[]): string =>
  `axe.run(${JSON.stringify(rules === undefined ? {} : { runOnly: rules })})`;
