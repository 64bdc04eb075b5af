import type { Fault } from '../errors.ts';
import { ConfigError } from '../errors.ts';
import type { Row } from '../schemas/row.ts';
import type { Segment } from './text-template.ts';
import { parseText, renderText, secretNamesIn } from './text-template.ts';
import type { Rendered } from './variables.ts';

export interface HeaderTemplates {
  readonly secretNames: readonly string[];
  /** Value of a header as the configuration has it, by lower-case name; undefined when it is not set. */
  configured(name: string): string | undefined;
  /** Names and values in turn. Not ok: a row value that a header cannot carry. */
  render(row: Row, secrets: ReadonlyMap<string, string>): Rendered<string[]>;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What HTTP/1.1 carries as one octet a character, line breaks and other control characters left out. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a tab is allowed
const HEADER_TEXT = /^[\u0009\u0020-\u007e\u0080-\u00ff]*$/;
/** Set by the connection itself; another value would break the request or smuggle a second one. */
const RESERVED = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

/** True when a header or a URL can carry the text. */
export function isHeaderText(text: string): boolean {
  return HEADER_TEXT.test(text);
}

/** Reads the templates of the headers. Names are no templates. Throws ConfigError with every fault. */
export function compileHeaders(
  headers: Readonly<Record<string, string>>,
  { where }: { readonly where: string },
): HeaderTemplates {
  const faults: Fault[] = [];
  const values = new Map<string, string>();
  const compiled: { name: string; segments: Segment[] }[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const field = `${where}.${name}`;
    const fault = nameFault(name, values);
    if (fault !== undefined) faults.push({ field, ...fault });
    values.set(name.toLowerCase(), value);
    const segments = parseText(value, field, faults);
    if (segments.some((part) => typeof part === 'string' && !isHeaderText(part))) {
      faults.push({ field, message: 'a header holds neither line breaks nor characters beyond Latin-1' });
    }
    compiled.push({ name, segments });
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    secretNames: [...new Set(compiled.flatMap(({ segments }) => secretNamesIn(segments)))],
    configured: (name) => values.get(name),
    render: (row, secrets) => {
      const rendered: string[] = [];
      for (const { name, segments } of compiled) {
        const value = renderText(segments, { row, secrets });
        if (!value.ok) return value;
        if (!isHeaderText(value.value)) return { ok: false, message: badValue(name, segments) };
        rendered.push(name, value.value);
      }
      return { ok: true, value: rendered };
    },
  };
}

function nameFault(name: string, seen: ReadonlyMap<string, string>): Omit<Fault, 'field'> | undefined {
  if (!TOKEN.test(name)) return { message: `"${name}" cannot be the name of a header` };
  if (RESERVED.has(name.toLowerCase()))
    return { message: `the header ${name} is set by the connection`, fix: 'remove it' };
  if (seen.has(name.toLowerCase())) return { message: `the header ${name} is given twice` };
  return undefined;
}

function badValue(name: string, segments: readonly Segment[]): string {
  const used = segments.flatMap((part) => (typeof part === 'string' || part.kind === 'secret' ? [] : [part]));
  const names = used.map((part) =>
    'key' in part ? `${part.kind === 'metadata' ? 'metadata' : 'input'}.${part.key}` : part.kind,
  );
  const from = names.join(', ').replace('row-id', 'row.id');
  return `header ${name}: the row's ${from} holds a line break or another character that a header cannot carry; put it into the body`;
}
