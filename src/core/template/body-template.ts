import type { Fault } from '../errors.ts';
import { ConfigError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { isJsonObject, jsonToText } from '../json.ts';
import { compileTemplate } from './compile-template.ts';
import { parseText, renderText, secretNamesIn } from './text-template.ts';
import type { Rendered, TemplateVariables } from './variables.ts';

export interface BodyTemplate {
  readonly secretNames: readonly string[];
  /** Sent unless the configuration sets the header itself. */
  readonly contentType: string;
  /** The body as text. */
  render(variables: TemplateVariables): Rendered<string>;
}

/**
 * Reads a body template for the content type it is sent with. JSON unless the header says otherwise: rendered as a tree, then
 * serialised, so no value can break out of its place. A text template with a form or XML content type is filled in with each
 * value escaped for that type; with any other it is filled in as it is.
 */
export function compileBody(
  template: JsonValue,
  contentType: string | undefined,
  { where }: { readonly where: string },
): BodyTemplate {
  const type = contentType ?? 'application/json';
  const isForm = /x-www-form-urlencoded/i.test(type);
  if (isForm && isJsonObject(template)) return compileForm(template, type, where);
  if (typeof template === 'string' && !/json/i.test(type)) return compileTextBody(template, type, where);
  const { secretNames, render } = compileTemplate(jsonTree(template, where), { where });
  return {
    secretNames,
    contentType: type,
    render: (variables) => {
      const tree = render(variables);
      return tree.ok ? { ok: true, value: JSON.stringify(tree.value) } : tree;
    },
  };
}

/** A template written as JSON text is the tree it spells, so that its placeholders are filled in after parsing. */
function jsonTree(template: JsonValue, where: string): JsonValue {
  if (typeof template !== 'string' || !/^\s*(\{(?!\{)|\[)/.test(template)) return template;
  try {
    return JSON.parse(template) as JsonValue;
  } catch {
    throw new ConfigError([
      {
        field: where,
        message: 'the body template looks like JSON and is not',
        fix: 'quote the placeholders ("{{input}}" keeps the type of what is inserted), or set a content-type that is no JSON',
      },
    ]);
  }
}

function compileForm(template: { [key: string]: JsonValue }, contentType: string, where: string): BodyTemplate {
  const { secretNames, render } = compileTemplate(template, { where });
  return {
    secretNames,
    contentType,
    render: (variables) => {
      const tree = render(variables);
      if (!tree.ok || !isJsonObject(tree.value)) return tree as Rendered<string>;
      const fields = Object.entries(tree.value).map(([key, value]): [string, string] => [
        key,
        value === null ? '' : jsonToText(value),
      ]);
      return { ok: true, value: new URLSearchParams(fields).toString() };
    },
  };
}

function compileTextBody(template: string, contentType: string, where: string): BodyTemplate {
  const faults: Fault[] = [];
  const segments = parseText(template, where, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  const encode = encoderFor(contentType);
  return {
    secretNames: secretNamesIn(segments),
    contentType,
    render: (variables) => renderText(segments, variables, encode),
  };
}

function encoderFor(contentType: string): ((text: string) => string) | undefined {
  if (/x-www-form-urlencoded/i.test(contentType)) return (text) => encodeURIComponent(text.toWellFormed());
  if (/xml|html/i.test(contentType)) return escapeMarkup;
  return undefined;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
