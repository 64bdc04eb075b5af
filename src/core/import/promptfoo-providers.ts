import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { type Translated, translateTemplate, translateText } from './promptfoo-templates.ts';

export interface Provider {
  /** As promptfoo names it. */
  readonly id: string;
  readonly label: string | null;
  readonly config: JsonObject;
}

/** A prompt as written: text, or the messages that it spells. */
export interface Prompt {
  readonly text: string;
  readonly label: string | null;
}

/** `openai:gpt-4o`, `{id, label, config}`, or `{"openai:gpt-4o": {config}}`; null when it is none of these. */
export function readProvider(raw: JsonValue): Provider | null {
  if (typeof raw === 'string') return { id: raw, label: null, config: {} };
  if (!isJsonObject(raw)) return null;
  if (typeof raw.id === 'string') {
    return { id: raw.id, label: typeof raw.label === 'string' ? raw.label : null, config: objectOr(raw.config) };
  }
  const [[id, rest] = [null, null], ...others] = Object.entries(raw);
  if (id === null || others.length > 0 || !isJsonObject(rest)) return null;
  return { id, label: typeof rest.label === 'string' ? rest.label : null, config: objectOr(rest.config) };
}

/** A provider that asks a prompt, as a target of ours; `notes` says what of it was left out. */
export function importProvider(
  provider: Provider,
  prompt: Prompt,
  onlyVar: string | null,
): Translated<{ target: JsonObject; notes: readonly string[] }> {
  const text = translateText(prompt.text, '{{input}}', onlyVar);
  if (!text.ok) return { ok: false, why: `its prompt: ${text.why}` };
  const { id } = provider;
  if (/^https?:\/\//.test(id) || id === 'http' || id === 'https') return httpTarget(provider, text.value, onlyVar);
  if (id.startsWith('bedrock:')) return bedrockTarget(provider, text.value);
  if (id.startsWith('openai:')) return openAiTarget(provider, text.value);
  return { ok: false, why: `providers "${id.split(':')[0]}" are not known here; put an http target in its place` };
}

/** What grades in promptfoo as a judge of ours; null when it cannot. */
export function importGrader(raw: JsonValue): JsonObject | null {
  const provider = readProvider(isJsonObject(raw) && raw.text !== undefined ? raw.text : raw);
  if (provider === null) return null;
  if (provider.id.startsWith('bedrock:')) return { model: bedrockModel(provider.id), ...region(provider) };
  if (!provider.id.startsWith('openai:')) return null;
  return {
    type: 'openai',
    url: openAiBase(provider),
    model: openAiModel(provider),
    api_key: '{{secrets.OPENAI_API_KEY}}',
  };
}

function bedrockTarget(
  provider: Provider,
  prompt: string,
): Translated<{ target: JsonObject; notes: readonly string[] }> {
  const { config, id } = provider;
  const maxTokens = config.max_tokens ?? config.max_new_tokens ?? config.maxTokens;
  const asked = messagesOf(prompt);
  const target: JsonObject = {
    type: 'bedrock',
    model: bedrockModel(id),
    ...region(provider),
    ...(asked === null ? { prompt } : { messages: asked }),
    ...(typeof maxTokens === 'number' ? { max_tokens: maxTokens } : {}),
    ...(typeof config.temperature === 'number' ? { temperature: config.temperature } : {}),
  };
  return {
    ok: true,
    value: { target, notes: leftOut(config, ['region', 'max_tokens', 'max_new_tokens', 'maxTokens', 'temperature']) },
  };
}

function openAiTarget(
  provider: Provider,
  prompt: string,
): Translated<{ target: JsonObject; notes: readonly string[] }> {
  const { config, id } = provider;
  if (/^openai:(?:embedding|image|realtime|assistant|moderation|completion|responses)/.test(id)) {
    return { ok: false, why: `"${id}" is no chat model` };
  }
  const taken = ['temperature', 'max_tokens', 'top_p', 'seed', 'response_format', 'max_completion_tokens'];
  const settings = Object.fromEntries(
    taken.filter((key) => config[key] !== undefined).map((key) => [key, config[key] as JsonValue]),
  );
  const keyName = typeof config.apiKeyEnvar === 'string' ? config.apiKeyEnvar.toUpperCase() : 'OPENAI_API_KEY';
  const target: JsonObject = {
    type: 'http',
    url: `${openAiBase(provider)}/chat/completions`,
    headers: { Authorization: `Bearer {{secrets.${keyName}}}` },
    body_template: {
      model: openAiModel(provider),
      messages: messagesOf(prompt) ?? [{ role: 'user', content: prompt }],
      ...settings,
    },
    response_path: 'choices.0.message.content',
    usage_path: 'usage',
  };
  return {
    ok: true,
    value: { target, notes: leftOut(config, [...taken, 'apiBaseUrl', 'apiHost', 'apiKeyEnvar', 'apiKey']) },
  };
}

function httpTarget(
  provider: Provider,
  prompt: string,
  onlyVar: string | null,
): Translated<{ target: JsonObject; notes: readonly string[] }> {
  const { config, id } = provider;
  if (config.request !== undefined)
    return { ok: false, why: 'a raw "request" is not supported; write url, headers and body' };
  const url = typeof config.url === 'string' ? config.url : id;
  if (!/^https?:\/\//.test(url)) return { ok: false, why: 'it has no url' };
  const notes = leftOut(config, [
    'url',
    'method',
    'headers',
    'body',
    'transformResponse',
    'responseParser',
    'queryParams',
  ]);
  const path = responsePath(config.transformResponse ?? config.responseParser);
  if (path === null) notes.push('its transformResponse is no plain path: set response_path by hand');
  const translated = translateTemplate(
    { url: withQuery(url, config.queryParams), headers: objectOr(config.headers), body: bodyOf(config.body) },
    prompt,
    onlyVar,
  );
  if (!translated.ok) return translated;
  const { url: address, headers, body } = translated.value as { url: string; headers: JsonObject; body: JsonValue };
  const method = typeof config.method === 'string' ? config.method.toUpperCase() : body === null ? 'GET' : 'POST';
  const target: JsonObject = { type: 'http', url: address, method, response_path: path ?? '$' };
  if (Object.keys(headers).length > 0) target.headers = headers;
  if (body !== null) target.body_template = body;
  return { ok: true, value: { target, notes } };
}

/** A body written as JSON text is the tree it spells; `{{prompt | dump}}` is a text in it. */
function bodyOf(body: JsonValue | undefined): JsonValue {
  if (typeof body !== 'string') return body ?? null;
  try {
    return JSON.parse(body.replace(/"?\{\{\s*([\w.]+)\s*\|\s*dump\s*\}\}"?/g, '"{{$1}}"')) as JsonValue;
  } catch {
    return body;
  }
}

function withQuery(url: string, query: JsonValue | undefined): string {
  if (!isJsonObject(query)) return url;
  // Placeholders stay as they are: what is filled in is encoded then.
  const pairs = Object.entries(query).map(([key, value]) => `${encodeURIComponent(key)}=${String(value)}`);
  return `${url}${url.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

/** `json.choices[0].message.content` → `choices[0].message.content`; null for anything that is code. */
function responsePath(parser: JsonValue | undefined): string | null {
  if (parser === undefined) return '$';
  if (typeof parser !== 'string') return null;
  const path = /^(?:json|text|\(json\)\s*=>\s*json)((?:\??\.[A-Za-z_]\w*|\[\d+\]|\["[^"]+"\])*)$/.exec(
    parser.trim(),
  )?.[1];
  if (path === undefined) return null;
  return path === '' ? '$' : path.replaceAll('?.', '.').replace(/^\./, '');
}

/** A prompt that spells a list of messages is asked as one. */
function messagesOf(prompt: string): JsonValue[] | null {
  try {
    const value = JSON.parse(prompt) as JsonValue;
    const isList =
      Array.isArray(value) &&
      value.every((item) => isJsonObject(item) && typeof item.role === 'string' && typeof item.content === 'string');
    return isList ? (value as JsonValue[]) : null;
  } catch {
    return null;
  }
}

const bedrockModel = (id: string): string => id.replace(/^bedrock:(?:converse:|completion:)?/, '');
const openAiModel = ({ id }: Provider): string => id.replace(/^openai:(?:chat:)?/, '');
const region = ({ config }: Provider): JsonObject =>
  typeof config.region === 'string' ? { region: config.region } : {};

function openAiBase({ config }: Provider): string {
  if (typeof config.apiBaseUrl === 'string') return config.apiBaseUrl.replace(/\/+$/, '');
  return typeof config.apiHost === 'string' ? `https://${config.apiHost}/v1` : 'https://api.openai.com/v1';
}

const objectOr = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});

function leftOut(config: JsonObject, taken: readonly string[]): string[] {
  const others = Object.keys(config).filter((key) => !taken.includes(key));
  return others.length === 0 ? [] : [`of its config ${others.join(', ')} was not taken over`];
}
