import { createContext, Script } from 'node:vm';

/** The few parts of a browser's document that the report's script uses; it knows text and elements, no markup. */
export class TinyElement {
  readonly tag: string;
  readonly children: TinyElement[] = [];
  readonly texts: (string | TinyElement)[] = [];
  readonly attributes = new Map<string, string>();
  readonly listeners = new Map<string, (() => void)[]>();
  readonly dataset: Record<string, string> = {};
  readonly style: Record<string, string> = {};
  className = '';
  value = '';
  title = '';
  dir = '';
  type = '';
  hidden = false;
  disabled = false;
  open = false;

  constructor(tag: string) {
    this.tag = tag;
  }

  get textContent(): string {
    return this.texts.map((part) => (typeof part === 'string' ? part : part.textContent)).join('');
  }
  set textContent(text: string) {
    this.children.length = 0;
    this.texts.splice(0, this.texts.length, ...(text === '' ? [] : [text]));
  }
  get childElementCount(): number {
    return this.children.length;
  }
  get firstElementChild(): TinyElement | undefined {
    return this.children[0];
  }
  readonly classList = {
    add: (name: string) => {
      this.className += ` ${name}`;
    },
    toggle: (name: string) => {
      const names = this.className.split(' ').filter((one) => one !== '');
      const had = names.includes(name);
      this.className = (had ? names.filter((one) => one !== name) : [...names, name]).join(' ');
      return !had;
    },
  };
  appendChild(child: TinyElement | string): void {
    const parts = child instanceof TinyElement && child.tag === '#fragment' ? child.texts : [child];
    for (const part of parts) {
      this.texts.push(part);
      if (part instanceof TinyElement) this.children.push(part);
    }
  }
  replaceChildren(child: TinyElement): void {
    this.textContent = '';
    this.appendChild(child);
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  addEventListener(name: string, listener: () => void): void {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }
  fire(name: string): void {
    for (const listener of this.listeners.get(name) ?? []) listener();
  }
  scrollIntoView(): void {}
  focus(): void {}
  all(): TinyElement[] {
    return [this, ...this.children.flatMap((child) => child.all())];
  }
}

/** Runs the script of a report page. `element` finds what the page's markup has, by id. */
export function openPage(page: string, hash = ''): { element(id: string): TinyElement } {
  const script = /<script>(.*?)<\/script>/s.exec(page)?.[1] ?? '';
  const byId = new Map<string, TinyElement>();
  const element = (id: string) => {
    const found = byId.get(id) ?? new TinyElement('div');
    byId.set(id, found);
    return found;
  };
  element('assay-rows').textContent = /id="assay-rows">(.*?)<\/script>/s.exec(page)?.[1] ?? '';
  const document = {
    getElementById: element,
    getElementsByClassName: () => [],
    createElement: (tag: string) => new TinyElement(tag),
    createTextNode: (text: string) => text,
    createDocumentFragment: () => new TinyElement('#fragment'),
    addEventListener: () => {},
  };
  const timers = { setTimeout: (run: () => void) => run(), clearTimeout: () => {} };
  new Script(script).runInContext(
    createContext({ document, location: { hash }, addEventListener: () => {}, ...timers }),
  );
  return { element };
}
