import jsonata from 'jsonata';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { inState, StateFailure } from './failure.ts';
import { NotJsonError, plainJson } from './payload.ts';

/** The JSONata expressions of a machine by their source text, parsed once. */
export type Expressions = ReadonlyMap<string, jsonata.Expression>;

/** What an expression of a state can see. */
export interface Scope {
  readonly state: string;
  readonly expressions: Expressions;
  /** `$states`. */
  readonly states: {
    readonly input: JsonValue;
    readonly result?: JsonValue;
    readonly errorOutput?: JsonObject;
    readonly context: JsonObject;
  };
  readonly variables: JsonObject;
  readonly functions: Record<string, unknown>;
}

/** Source of `{% source %}`, or undefined for a literal. */
export function expressionSource(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length < 4 || !value.startsWith('{%') || !value.endsWith('%}'))
    return undefined;
  return value.slice(2, -2).trim();
}

/** Parses an expression. Throws an Error that says what is wrong with it. */
export function parseExpression(source: string): jsonata.Expression {
  const expression = jsonata(source);
  if (callsEval(expression.ast())) throw new Error('$eval is not available in Step Functions: use $parse');
  return expression;
}

/** Any `{% %}` inside the value replaced by what it evaluates to. Throws States.QueryEvaluationError naming `field`. */
export async function evaluate(value: JsonValue, scope: Scope, field: string): Promise<JsonValue> {
  const source = expressionSource(value);
  if (source !== undefined) return evaluateSource(source, scope, field);
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const [index, item] of value.entries()) items.push(await evaluate(item, scope, `${field}[${index}]`));
    return items;
  }
  if (!isJsonObject(value)) return value;
  const members: [string, JsonValue][] = [];
  for (const [key, member] of Object.entries(value))
    members.push([key, await evaluate(member, scope, `${field}/${key}`)]);
  return Object.fromEntries(members);
}

/** A field that must come out as one JSON type. */
export async function evaluateAs<T extends JsonValue>(
  value: JsonValue,
  scope: Scope,
  field: string,
  type: 'array' | 'boolean' | 'string' | 'object',
): Promise<T> {
  const result = await evaluate(value, scope, field);
  if (jsonType(result) === type) return result as T;
  throw queryError(
    scope.state,
    `The JSONata expression '${expressionSource(value) ?? JSON.stringify(value)}' specified for the field '${field}' returned an ` +
      `unexpected result type. Expected '${type}', but was '${jsonType(result)}' for value: ${JSON.stringify(result)}`,
  );
}

/** A number field with its bounds; an expression can return anything. */
export async function evaluateNumber(
  value: number | string,
  scope: Scope,
  field: string,
  bounds: { readonly min: number; readonly max?: number; readonly integer: boolean },
): Promise<number> {
  const result = await evaluate(value, scope, field);
  const { min, max = Number.MAX_SAFE_INTEGER, integer } = bounds;
  if (typeof result === 'number' && result >= min && result <= max && (!integer || Number.isInteger(result)))
    return result;
  const wanted = `${integer ? 'an integer' : 'a number'} from ${min}${bounds.max === undefined ? '' : ` to ${max}`}`;
  throw queryError(scope.state, `The field '${field}' must be ${wanted} but was: ${JSON.stringify(result)}`);
}

export function queryError(state: string, problem: string): StateFailure {
  return new StateFailure('States.QueryEvaluationError', inState(state, problem));
}

export function jsonType(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

async function evaluateSource(source: string, scope: Scope, field: string): Promise<JsonValue> {
  const expression = scope.expressions.get(source);
  if (expression === undefined) throw new Error(`expression not parsed at load: ${source}`);
  const place = `The JSONata expression '${source}' specified for the field '${field}'`;
  let result: unknown;
  try {
    result = await expression.evaluate(undefined, { ...scope.functions, ...scope.variables, states: scope.states });
  } catch (error) {
    throw queryError(scope.state, `${place} threw an error during evaluation. ${describe(error)}`);
  }
  if (result === undefined) throw queryError(scope.state, `${place} returned nothing (undefined).`);
  try {
    return plainJson(result);
  } catch (error) {
    if (error instanceof NotJsonError) throw queryError(scope.state, `${place} returned an unsupported result type.`);
    throw error;
  }
}

/** JSONata throws plain objects with code and message. */
function describe(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? `${code}: ${String(message)}` : String(message);
}

function callsEval(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const { type, value } = node as { type?: unknown; value?: unknown };
  if (type === 'variable' && value === 'eval') return true;
  return Object.values(node).some(callsEval);
}
