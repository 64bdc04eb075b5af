import * as z from 'zod';
import type { JsonValue } from '../../core/json.ts';
import type { JudgePrompt } from '../../core/judging/prompt.ts';
import { asFreeText } from '../../core/judging/render-prompt.ts';
import type { Usage } from '../../core/schemas/answer.ts';
import type { JudgeContent } from '../../ports/judge.ts';

type ChatMode = 'schema' | 'tool' | 'text';

/** What the server takes; lowered when it refuses a request. */
export interface ChatDialect {
  readonly mode: ChatMode;
  readonly temperature: boolean;
  /** Newer OpenAI models refuse the old name. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
}
export const FIRST_DIALECT: ChatDialect = { mode: 'schema', temperature: true, limitField: 'max_tokens' };

export interface ChatSettings {
  readonly model: string;
  readonly max_tokens: number;
  readonly temperature: number;
}

/** Body of a POST to /chat/completions. */
export function toChatBody(settings: ChatSettings, prompt: JudgePrompt, dialect: ChatDialect): string {
  const { system, user } = dialect.mode === 'text' ? asFreeText(prompt) : prompt;
  return JSON.stringify({
    model: settings.model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    [dialect.limitField]: settings.max_tokens,
    ...(dialect.temperature ? { temperature: settings.temperature } : {}),
    ...verdictForm(prompt, dialect.mode),
  });
}

/** What to try after HTTP 400 with this message: what the message names, else the next form of verdict. Null when all were tried. */
export function lesserDialect(dialect: ChatDialect, message: string): ChatDialect | null {
  if (dialect.limitField === 'max_tokens' && message.includes('max_completion_tokens')) {
    return { ...dialect, limitField: 'max_completion_tokens' };
  }
  if (dialect.temperature && /temperature/i.test(message)) return { ...dialect, temperature: false };
  if (dialect.mode === 'schema') return { ...dialect, mode: 'tool' };
  return dialect.mode === 'tool' ? { ...dialect, mode: 'text' } : null;
}

export interface ChatReply {
  readonly stopReason: string;
  readonly content: readonly JudgeContent[];
  readonly usage: Usage | null;
}

/** A 200 body → what the judge said, in Converse's words; null when it is no chat completion. */
export function readChatBody(text: string): ChatReply | null {
  const parsed = ChatBodySchema.safeParse(parseJson(text));
  const choice = parsed.success ? parsed.data.choices[0] : undefined;
  if (!parsed.success || choice === undefined) return null;
  const { message, finish_reason: finish } = choice;
  const content: JudgeContent[] = [];
  if (message.reasoning_content || message.reasoning) content.push({ kind: 'reasoning' });
  if (message.content) content.push({ kind: 'text', text: message.content });
  for (const { function: call } of message.tool_calls ?? []) {
    content.push({ kind: 'tool_use', name: call.name ?? '', input: toInput(call.arguments) });
  }
  return { stopReason: stopReasonOf(finish, message.refusal), content, usage: toUsage(parsed.data.usage) };
}

/** The message of an error body, or its text as it is; at most 500 characters. */
export function readErrorText(text: string): string {
  const parsed = ErrorBodySchema.safeParse(parseJson(text));
  const error = parsed.success ? parsed.data.error : text;
  const message = typeof error === 'string' ? error : [error.code, error.message].filter(Boolean).join(': ');
  return message.slice(0, 500);
}

const count = z.number().int().nonnegative().nullish();
const ChatBodySchema = z.object({
  choices: z.array(
    z.object({
      finish_reason: z.string().nullish(),
      message: z.object({
        content: z.string().nullish(),
        refusal: z.string().nullish(),
        reasoning_content: z.string().nullish(),
        reasoning: z.string().nullish(),
        tool_calls: z
          .array(z.object({ function: z.object({ name: z.string().nullish(), arguments: z.unknown() }) }))
          .nullish(),
      }),
    }),
  ),
  usage: z
    .object({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: z.object({ cached_tokens: count }).nullish(),
    })
    .nullish()
    .catch(null),
});
const ErrorBodySchema = z.object({
  error: z.union([
    z.string(),
    z.object({ message: z.string().nullish(), code: z.union([z.string(), z.number()]).nullish() }),
  ]),
});

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  length: 'max_tokens',
  content_filter: 'content_filtered',
};

function stopReasonOf(finish: string | null | undefined, refusal: string | null | undefined): string {
  if (refusal) return 'refusal';
  return finish ? (STOP_REASONS[finish] ?? finish) : 'missing';
}

/** OpenAI's prompt tokens contain the cached ones; ours do not. */
function toUsage(usage: z.infer<typeof ChatBodySchema>['usage']): Usage | null {
  if (!usage || (usage.prompt_tokens == null && usage.completion_tokens == null)) return null;
  const cached = Math.min(usage.prompt_tokens_details?.cached_tokens ?? 0, usage.prompt_tokens ?? 0);
  return {
    input: (usage.prompt_tokens ?? 0) - cached,
    output: usage.completion_tokens ?? 0,
    cache_read: cached,
    cache_write: 0,
  };
}

function verdictForm({ schema, schemaName }: JudgePrompt, mode: ChatMode): object {
  if (mode === 'text') return {};
  if (mode === 'schema') {
    return { response_format: { type: 'json_schema', json_schema: { name: schemaName, schema, strict: true } } };
  }
  const tool = { name: schemaName, description: 'Hands in the verdict.', parameters: schema };
  return {
    tools: [{ type: 'function', function: tool }],
    tool_choice: { type: 'function', function: { name: schemaName } },
  };
}

/** Arguments come as JSON text, from some servers as an object. What is neither is handed on and refused when read. */
function toInput(args: unknown): JsonValue {
  if (typeof args !== 'string') return (args ?? null) as JsonValue;
  const parsed = parseJson(args);
  return parsed === undefined ? args : (parsed as JsonValue);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON: for callers that is a kind of reply
  }
}
