import { ConfigError, type Fault } from '../errors.ts';
import { parseText, renderText, type Segment, secretNamesIn } from '../template/text-template.ts';
import type { Rendered, TemplateVariables } from '../template/variables.ts';

export interface ChatTemplate {
  readonly prompt?: string | undefined;
  readonly messages?:
    | readonly { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }[]
    | undefined;
}

export interface ChatMessage {
  readonly role: 'user' | 'assistant';
  /** Not empty, none blank. */
  readonly texts: readonly string[];
}

export interface Chat {
  readonly system: readonly string[];
  /** Begins with the user; roles alternate. */
  readonly messages: readonly ChatMessage[];
}

export interface CompiledChat {
  readonly secretNames: readonly string[];
  render(variables: TemplateVariables): Rendered<Chat>;
}

/**
 * `prompt` (one user message) or `messages`, neither: the row's input alone. `{{contexts}}` become numbered passages; a message that
 * is only `{{history}}` falls away. Neighbours of one role become one message, as models ask. Throws ConfigError.
 */
export function compileChat(template: ChatTemplate, { where }: { readonly where: string }): CompiledChat {
  const { prompt, messages } = template;
  const faults: Fault[] = [];
  if (prompt !== undefined && messages !== undefined) {
    faults.push({
      field: `${where}.prompt`,
      message: 'both "prompt" and "messages" are given',
      fix: 'keep one of them',
    });
  }
  const given = messages ?? [{ role: 'user' as const, content: prompt ?? '{{input}}' }];
  const parts = given.map(({ role, content }, index) => {
    const field = messages === undefined ? `${where}.prompt` : `${where}.messages.${index}.content`;
    return { role, field, segments: parseText(content, field, faults) };
  });
  if (parts.find(({ role }) => role !== 'system')?.role !== 'user') {
    const fix = 'put a message of role user first (after those of role system)';
    faults.push({ field: `${where}.messages`, message: 'the conversation does not begin with the user', fix });
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    secretNames: [...new Set(parts.flatMap(({ segments }) => secretNamesIn(segments)))],
    render: (variables) => renderChat(parts, variables),
  };
}

interface Part {
  readonly role: 'system' | 'user' | 'assistant';
  readonly field: string;
  readonly segments: readonly Segment[];
}

function renderChat(parts: readonly Part[], variables: TemplateVariables): Rendered<Chat> {
  const system: string[] = [];
  const messages: { role: 'user' | 'assistant'; texts: string[] }[] = [];
  for (const { role, field, segments } of parts) {
    const rendered = renderText(segments, variables, (text, variable) =>
      variable.kind === 'contexts' ? numbered(variables.row.contexts ?? []) : text,
    );
    if (!rendered.ok) return rendered;
    const text = rendered.value;
    if (text.trim() === '') {
      if (isHistory(segments)) continue;
      return { ok: false, message: `${field} is blank for this row` }; // models refuse blank messages
    }
    const last = messages.at(-1);
    if (role === 'system') system.push(text);
    else if (last?.role === role) last.texts.push(text);
    else messages.push({ role, texts: [text] });
  }
  if (messages[0]?.role !== 'user') return { ok: false, message: 'no message of the user is left for this row' };
  return { ok: true, value: { system, messages } };
}

function isHistory([first, ...others]: readonly Segment[]): boolean {
  return others.length === 0 && typeof first === 'object' && first.kind === 'history';
}

function numbered(passages: readonly string[]): string {
  return passages.map((passage, index) => `[${index + 1}] ${passage}`).join('\n\n');
}
