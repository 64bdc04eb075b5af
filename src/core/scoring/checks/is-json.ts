import { Validator } from '@cfworker/json-schema';
import * as z from 'zod';
import { type JsonObject, JsonObjectSchema } from '../../json.ts';
import { parseJsonText } from './json-equality.ts';
import { withLinearPatterns } from './linear-patterns.ts';
import { shorten } from './shorten.ts';
import type { TextCheck } from './text-check.ts';

const IsJsonOptionsSchema = z.strictObject({
  /** JSON Schema (draft 2020-12) that the value must meet. */
  schema: JsonObjectSchema.optional(),
});

/** Every item is compared with every other. */
const MAX_COMPARED = 20_000;

const validators = new WeakMap<JsonObject, Validator>();

/** The whole answer is JSON, and meets the schema where there is one. */
export const isJsonCheck: TextCheck<z.infer<typeof IsJsonOptionsSchema>> = {
  name: 'is-json',
  options: IsJsonOptionsSchema,
  needsExpected: false,
  faultOfOptions({ schema }) {
    if (schema === undefined) return null;
    try {
      // References, patterns and keywords are read when something is validated.
      for (const probe of [null, {}, [], '', 0, true]) validatorOf(schema).validate(probe);
      return null;
    } catch (error) {
      return { message: `the schema cannot be used: ${(error as Error).message}`, fix: 'mend the JSON Schema' };
    }
  },
  compare(answer, _expected, { schema }) {
    const parsed = parseJsonText(answer);
    if ('fault' in parsed) return { passed: false, reason: `the answer is no JSON: ${parsed.fault}` };
    if (schema === undefined) return { passed: true, reason: 'the answer is JSON' };
    if (answer.length > MAX_COMPARED && JSON.stringify(schema).includes('"uniqueItems"')) {
      const reason = `longer than ${MAX_COMPARED} characters, too long to look for repeated items`;
      return { passed: false, isError: true, reason };
    }
    try {
      const { valid, errors } = validatorOf(schema).validate(parsed.value);
      const last = errors.at(-1); // the first only says that some member is wrong
      const why = last === undefined ? '' : `: ${last.instanceLocation} ${shorten(last.error)}`;
      return { passed: valid, reason: valid ? 'the answer meets the schema' : `does not meet the schema${why}` };
    } catch (error) {
      return { passed: false, isError: true, reason: `the schema cannot be used: ${(error as Error).message}` };
    }
  },
};

function validatorOf(schema: JsonObject): Validator {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = new Validator(withLinearPatterns(schema), '2020-12');
    validators.set(schema, validator);
  }
  return validator;
}
