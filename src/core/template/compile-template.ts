import type { Fault } from '../errors.ts';
import { ConfigError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { Segment } from './text-template.ts';
import { parseText, renderText, secretNamesIn } from './text-template.ts';
import type { Rendered, TemplateVariables } from './variables.ts';
import { readVariable } from './variables.ts';

export interface CompiledTemplate {
  /** Secrets that the template uses, each name once. */
  readonly secretNames: readonly string[];
  /**
   * The tree with every placeholder replaced. A text that is exactly one placeholder becomes the value itself, type kept;
   * elsewhere objects and lists become canonical JSON text. Not ok: the row lacks what a placeholder names.
   */
  render(variables: TemplateVariables): Rendered<JsonValue>;
}

/**
 * Reads a template once; rendering a row parses nothing. Only texts are templates, object keys are not.
 * Throws ConfigError that names every unknown variable, with its field below `where`.
 */
export function compileTemplate(value: JsonValue, { where }: { readonly where: string }): CompiledTemplate {
  const faults: Fault[] = [];
  const secretNames = new Set<string>();
  const node = compileNode(value, where, faults, secretNames);
  if (faults.length > 0) throw new ConfigError(faults);
  return { secretNames: [...secretNames], render: (variables) => renderNode(node, variables) };
}

/** A part of the tree: constant, one placeholder, mixed text, or a list or object that holds some of these. */
type Node =
  | { readonly kind: 'constant'; readonly value: JsonValue }
  | { readonly kind: 'variable'; readonly variable: Exclude<Segment, string> }
  | { readonly kind: 'text'; readonly segments: readonly Segment[] }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Node])[] };

function compileNode(value: JsonValue, where: string, faults: Fault[], secretNames: Set<string>): Node {
  if (typeof value === 'string') {
    const segments = parseText(value, where, faults);
    for (const name of secretNamesIn(segments)) secretNames.add(name);
    const [first] = segments;
    if (segments.length === 1 && first !== undefined && typeof first !== 'string') {
      return { kind: 'variable', variable: first };
    }
    return segments.every((part) => typeof part === 'string')
      ? { kind: 'constant', value }
      : { kind: 'text', segments };
  }
  if (Array.isArray(value)) {
    const items = value.map((item, index) => compileNode(item, `${where}.${index}`, faults, secretNames));
    return items.every((item) => item.kind === 'constant') ? { kind: 'constant', value } : { kind: 'list', items };
  }
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(
      ([key, member]) => [key, compileNode(member, `${where}.${key}`, faults, secretNames)] as const,
    );
    const constant = members.every(([, member]) => member.kind === 'constant');
    return constant ? { kind: 'constant', value } : { kind: 'object', members };
  }
  return { kind: 'constant', value };
}

function renderNode(node: Node, variables: TemplateVariables): Rendered<JsonValue> {
  switch (node.kind) {
    case 'constant':
      return { ok: true, value: node.value };
    case 'variable':
      return readVariable(node.variable, variables);
    case 'text':
      return renderText(node.segments, variables);
    case 'list': {
      const list: JsonValue[] = [];
      for (const item of node.items) {
        const rendered = renderNode(item, variables);
        if (!rendered.ok) return rendered;
        list.push(rendered.value);
      }
      return { ok: true, value: list };
    }
    case 'object': {
      const object: JsonObject = {};
      for (const [key, member] of node.members) {
        const rendered = renderNode(member, variables);
        if (!rendered.ok) return rendered;
        setOwn(object, key, rendered.value);
      }
      return { ok: true, value: object };
    }
  }
}

/** Assigning to `__proto__` would change the prototype and lose the member. */
function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}
