/**
 * How a verdict is got out of a model: text under a JSON schema, a tool it must call (by name, or the only one offered),
 * a tool it may call with free text as the way out, or free text alone.
 */
type VerdictMode = 'schema' | 'tool' | 'any-tool' | 'auto-tool' | 'text';

export interface ModelCapabilities {
  readonly mode: VerdictMode;
  /** False: the model refuses a request that sets it. */
  readonly temperature: boolean;
}

/** First match wins. Sources: the Bedrock user guide and live probes; a wrong line costs one refused request (`lessCapable`). */
const TABLE: readonly (readonly [RegExp, ModelCapabilities])[] = [
  [/anthropic\.claude-(?:fable|mythos)/, { mode: 'schema', temperature: false }], // refuse forced tools
  [/anthropic\.claude-opus-4-[78]/, { mode: 'schema', temperature: false }],
  [/anthropic\.claude-(?:haiku|sonnet|opus)-4-[5-9]/, { mode: 'schema', temperature: true }],
  [/anthropic\.claude-(?:haiku|sonnet|opus)-[5-9]/, { mode: 'schema', temperature: true }],
  [/qwen\.qwen3-vl/, { mode: 'schema', temperature: true }],
  [/mistral\.mistral-large-3/, { mode: 'schema', temperature: true }],
  [/mistral\.pixtral/, { mode: 'any-tool', temperature: true }],
  [/meta\.llama/, { mode: 'auto-tool', temperature: true }],
  [/google\.gemma|mistral\.ministral/, { mode: 'text', temperature: true }], // ignore the tool they are offered
];

export function capabilitiesOf(model: string): ModelCapabilities {
  const known = TABLE.find(([pattern]) => pattern.test(model));
  return known?.[1] ?? { mode: 'tool', temperature: true };
}

/** What to try after the model refused a request as invalid with this message; null when the message names none of ours. */
export function lessCapable({ mode, temperature }: ModelCapabilities, message: string): ModelCapabilities | null {
  if (temperature && /temperature/i.test(message)) return { mode, temperature: false };
  if (mode === 'schema' && /output_?config|text_?format|json_?schema|structured output/i.test(message)) {
    return { mode: 'tool', temperature };
  }
  if (mode !== 'text' && mode !== 'schema' && /tool/i.test(message)) return { mode: 'text', temperature };
  return null;
}
