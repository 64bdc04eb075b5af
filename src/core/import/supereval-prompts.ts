import type { EvalType } from '../schemas/eval.ts';

type Prompt = { readonly prompt: string } | { readonly fault: string; readonly fix: string };

/**
 * The prompt of a bedrock target for a supereval dataset: the type's default, or the user's own with supereval's
 * placeholders (`{{query}}`, `{{text}}`, `{{instruction}}`, `{{document}}`; `{query}` and `{contexts}` for rag) in ours.
 */
export function superevalPrompt(type: EvalType, labels: readonly string[], own: string | undefined): Prompt {
  if (own !== undefined) return translate(own, type);
  if (type === 'classification' && labels.length === 0) {
    const fault = 'the default prompt of a classification dataset names its labels, and there are none';
    return { fault, fix: 'list labels in dataset.json, or give --prompt <file>' };
  }
  return { prompt: defaultPrompt(type, labels) };
}

function defaultPrompt(type: EvalType, labels: readonly string[]): string {
  switch (type) {
    case 'qa':
      return 'Answer this question accurately and concisely.\n\nQuestion: {{input}}';
    case 'classification':
      return `Sort the text into exactly one of these categories: ${labels.join(', ')}.\nReply with the name of the category and nothing else.\n\nText: {{input}}`;
    case 'instruction':
      return '{{input.instruction}}\n\n{{input.document?}}';
    case 'rag':
      return 'Answer the question only from the numbered passages below. If they do not hold the answer, say that you do not know.\n\n{{contexts}}\n\nQuestion: {{input}}';
    case 'agent':
    case 'metrics':
      return '{{input}}';
  }
}

const INPUT_KEYS = new Set(['query', 'text', 'instruction', 'document', 'task']);

function translate(own: string, type: EvalType): Prompt {
  if (own.trim() === '') return { fault: 'the prompt is empty', fix: 'write the prompt into the file' };
  if (/\{%/.test(own)) {
    const fix = 'write {{document}} alone: rows without one leave nothing behind';
    return { fault: 'blocks such as {% if … %} are not supported in a prompt', fix };
  }
  // supereval fills rag prompts by Python's format, with single braces.
  const doubled = type === 'rag' ? own.replace(/(?<!\{)\{(query|contexts)\}(?!\})/g, '{{$1}}') : own;
  const prompt = doubled.replace(/\{\{\s*([a-z_]+)\s*\}\}/g, (whole, name: string) => {
    if (name === 'document') return '{{input.document?}}';
    return INPUT_KEYS.has(name) ? `{{input.${name}}}` : whole;
  });
  if (/\{\{/.test(prompt)) return { prompt };
  return { fault: 'the prompt has no placeholder, so every row would be asked the same', fix: 'put {{query}} into it' };
}
