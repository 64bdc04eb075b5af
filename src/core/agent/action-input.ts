import { findIn } from '../dataset/json-limits.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ActionGroupInput, Parameter } from './agent-trace-shape.ts';

/** Parameters and request body of an action group's call as one object; a body's property wins over a parameter of its name. */
export function actionArguments({ parameters, requestBody }: ActionGroupInput): JsonObject {
  const body = Object.values(requestBody?.content ?? {}).flat();
  const entries = [...(parameters ?? []), ...body].map((parameter): [string, JsonValue] => [
    parameter.name ?? '',
    typed(parameter),
  ]);
  return Object.fromEntries(entries);
}

/** JSON objects and lists out of a text; any other text, and JSON that could not be written down again, stays as it is. */
export function parseJson(text: string): JsonValue {
  const parsed = tryParse(text);
  return (Array.isArray(parsed) || isJsonObject(parsed)) && findIn(parsed, 0) === null ? parsed : text;
}

/** Values travel as text beside their declared type; one that does not fit its type stays text. */
function typed({ type, value }: Parameter): JsonValue {
  if (value === undefined) return null;
  switch (type?.toLowerCase()) {
    case 'integer':
    case 'number': {
      const number = value.trim() === '' ? Number.NaN : Number(value);
      return Number.isFinite(number) ? number : value;
    }
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'array':
    case 'object':
      return parseJson(value);
    default:
      return value;
  }
}

function tryParse(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
