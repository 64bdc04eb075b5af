import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { renderOpenApi } from '../../../../lambdas/api/contract/openapi-document.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: JsonSchema;
}
interface Content {
  readonly [type: string]: { readonly schema: JsonSchema; readonly example?: unknown };
}
interface DescribedAnswer {
  readonly content?: Content;
  readonly $ref?: string;
}

/** One call of the API as its document tells it. */
export interface Described {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly security: readonly Record<string, unknown>[];
  readonly 'x-assay-access'?: 'read' | 'write';
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}
export type JsonSchema = Readonly<Record<string, unknown>>;

const document = JSON.parse(renderOpenApi());

/** Everything that the generated OpenAPI document tells of. */
export const OPERATIONS: readonly Described[] = Object.entries(
  document.paths as Record<
    string,
    Record<string, Omit<Described, 'method' | 'path' | 'parameters'> & Partial<Described>>
  >,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, told]) => ({
    ...told,
    parameters: told.parameters ?? [],
    path,
    method: method.toUpperCase(),
  })),
);

export function operationOf(operationId: string): Described {
  const found = OPERATIONS.find((operation) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`the document has no ${operationId}`);
  return found;
}

export function resolved<T extends object>(value: T & { readonly $ref?: unknown }): T {
  if (typeof value.$ref !== 'string') return value;
  const names = value.$ref.slice(2).split('/');
  return names.reduce<unknown>((found, name) => (found as Record<string, unknown>)[name], document) as T;
}

/** What a status answers with by the document: its media types and schemas; null where it tells of no such status. */
export function toldAnswer({ responses }: Described, status: number): DescribedAnswer | null {
  const told = responses[status];
  return told === undefined ? null : resolved(told);
}

/** Members of a value that its schema does not tell of, by their paths; none where a schema takes any (`{}`). */
export function strangersIn(schema: JsonSchema, value: unknown, path = ''): string[] {
  const plain = resolved(schema) as JsonSchema;
  const branches = plain.anyOf ?? plain.oneOf ?? plain.allOf;
  if (Array.isArray(branches)) {
    const found = branches.filter((branch) => faultsOf(branch, value).length === 0);
    const strangers = found.map((branch) => strangersIn(branch, value, path));
    return strangers.sort((a, b) => a.length - b.length)[0] ?? [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => strangersIn((plain.items ?? {}) as JsonSchema, item, `${path}/${at}`));
  }
  if (typeof value !== 'object' || value === null || plain.properties === undefined) return [];
  const known = plain.properties as Record<string, JsonSchema>;
  return Object.entries(value).flatMap(([key, member]) => {
    const told = Object.hasOwn(known, key) ? known[key] : undefined;
    if (told !== undefined) return strangersIn(told, member, `${path}/${key}`);
    return plain.additionalProperties === undefined ? [`${path}/${key}`] : [];
  });
}

const validators = new Map<JsonSchema, Validator>();

/** In what a value departs from a schema of the document. */
export function faultsOf(schema: JsonSchema, value: unknown): OutputUnit[] {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = new Validator({ ...schema, components: document.components } as Schema, '2020-12', false);
    validators.set(schema, validator);
  }
  return validator.validate(value).errors;
}
