import type { Fault } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { jsonToText } from '../json.ts';
import type { Rendered, TemplateVariables, Variable } from './variables.ts';
import { parseVariable, readVariable } from './variables.ts';

/** Literal text, or a variable. */
export type Segment = string | Variable;

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** Cuts a text at its placeholders, once. What is wrong with it goes to `faults`, placed at `field`. */
export function parseText(text: string, field: string, faults: Fault[]): Segment[] {
  const segments: Segment[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    pushLiteral(text.slice(end, match.index), segments, field, faults);
    end = match.index + match[0].length;
    if (text[match.index - 1] === '{' && text[end] === '}') {
      faults.push({
        field,
        message: `three braces around "${match[1]}"`,
        fix: `write {{${match[1]}}}; nothing is escaped`,
      });
    }
    const variable = parseVariable((match[1] ?? '').trim());
    if ('fault' in variable) faults.push({ field, message: variable.fault, fix: variable.fix });
    else segments.push(variable);
  }
  pushLiteral(text.slice(end), segments, field, faults);
  return segments;
}

/** Names of the secrets that the segments use, each once. */
export function secretNamesIn(segments: readonly Segment[]): string[] {
  const names = segments.flatMap((part) => (typeof part !== 'string' && part.kind === 'secret' ? [part.name] : []));
  return [...new Set(names)];
}

/**
 * The text with every placeholder replaced, in one pass: what was inserted is never read as a template.
 * `encode` is applied to what is inserted, never to the literal text.
 */
export function renderText(
  segments: readonly Segment[],
  variables: TemplateVariables,
  encode?: (text: string, variable: Variable) => string,
): Rendered<string> {
  let text = '';
  for (const segment of segments) {
    if (typeof segment === 'string') {
      text += segment;
      continue;
    }
    const value = readVariable(segment, variables);
    if (!value.ok) return value;
    const inserted = insertedText(segment, value.value);
    text += encode === undefined ? inserted : encode(inserted, segment);
  }
  return { ok: true, value: text };
}

/** An empty history and a null leave nothing behind; "null" is nobody's text. */
function insertedText(variable: Variable, value: JsonValue): string {
  return variable.kind === 'history' || value === null ? '' : jsonToText(value);
}

function pushLiteral(text: string, segments: Segment[], field: string, faults: Fault[]): void {
  if (text === '') return;
  if (text.includes('{{')) {
    faults.push({
      field,
      message: `a "{{" that is no placeholder in "${excerpt(text, text.indexOf('{{'))}"`,
      fix: 'write {{input}}: two braces on each side, none between',
    });
  }
  segments.push(text);
}

function excerpt(text: string, from: number): string {
  return text.length > from + 30 ? `${text.slice(from, from + 30)}…` : text.slice(from);
}
