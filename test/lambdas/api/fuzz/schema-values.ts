import fc from 'fast-check';
import { type JsonSchema, resolved } from './described.ts';

const DEEPEST = 6;

/** Values that fit a schema of the document, the simplest first. Built once a schema: it is large for evals. */
export function valuesOf(schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  const plain = resolved(schema) as JsonSchema;
  if (depth > DEEPEST) return fc.constant(null);
  if ('const' in plain) return fc.constant(plain.const);
  if (Array.isArray(plain.enum)) return fc.constantFrom(...plain.enum);
  const branches = plain.anyOf ?? plain.oneOf;
  if (Array.isArray(branches)) return fc.oneof(...branches.map((branch: JsonSchema) => valuesOf(branch, depth + 1)));
  const of = OF_TYPE[String(plain.type)];
  return of === undefined ? fc.jsonValue({ maxDepth: 2 }) : of(plain, depth + 1);
}

const numberOf = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);

const OF_TYPE: Readonly<Record<string, (schema: JsonSchema, depth: number) => fc.Arbitrary<unknown>>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: (schema) => {
    const min = numberOf(schema.minimum, numberOf(schema.exclusiveMinimum, -1_000) + 1);
    return fc.integer({ min, max: Math.max(min, Math.min(numberOf(schema.maximum, 1_000), min + 2_000)) });
  },
  number: (schema) => {
    const min = numberOf(schema.minimum, numberOf(schema.exclusiveMinimum, -1_000) + 0.5);
    return fc.double({ min, max: Math.max(min, numberOf(schema.maximum, min + 1_000)), noNaN: true });
  },
  string: (schema) => {
    if (typeof schema.pattern === 'string') return fc.stringMatching(new RegExp(schema.pattern));
    const minLength = numberOf(schema.minLength, 0);
    return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(numberOf(schema.maxLength, 30), 30) });
  },
  array: (schema, depth) =>
    fc.array(valuesOf((schema.items ?? {}) as JsonSchema, depth), {
      minLength: numberOf(schema.minItems, 0),
      maxLength: Math.max(numberOf(schema.minItems, 0), 3),
    }),
  object: (schema, depth) => objectsOf(schema, depth),
};

function objectsOf(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const known = fc.record(
    Object.fromEntries(
      members.map(([key, member]) => {
        const value = valuesOf(member, depth);
        // Few optional members at once: with all of them hardly any value would make sense.
        const seldom = fc.oneof({ arbitrary: fc.constant(undefined), weight: 7 }, { arbitrary: value, weight: 1 });
        return [key, required.includes(key) ? value : seldom];
      }),
    ),
  );
  const more =
    typeof schema.additionalProperties === 'object' && members.length === 0
      ? fc.dictionary(fc.string({ maxLength: 10 }), valuesOf(schema.additionalProperties as JsonSchema, depth), {
          maxKeys: 3,
        })
      : fc.constant({});
  return fc
    .tuple(known, more)
    .map(([object, others]) =>
      Object.fromEntries(Object.entries({ ...others, ...object }).filter(([, value]) => value !== undefined)),
    );
}
