import { format, type Schema } from '@cfworker/json-schema';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { compilePattern } from './pattern.ts';

/** Data in a schema, not schemas. */
const DATA_KEYS = ['const', 'enum', 'default', 'examples'];

/**
 * A JSON Schema whose patterns are matched by RE2, so that no answer can keep one busy for minutes: the validator knows
 * only its own regular expressions, but takes formats, and each pattern becomes one. Throws Error for a pattern that
 * RE2 does not have.
 */
export function withLinearPatterns(schema: JsonObject): Schema {
  return rewrite(schema) as Schema;
}

function rewrite(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(rewrite);
  if (!isJsonObject(value)) return value;
  const made: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === 'patternProperties' && isJsonObject(member)) for (const name of Object.keys(member)) refuseSlow(name);
    if (key !== 'pattern' || typeof member !== 'string') {
      const kept = DATA_KEYS.includes(key) ? member : rewrite(member);
      // Assigning to __proto__ would lose the member.
      Object.defineProperty(made, key, { value: kept, enumerable: true, writable: true, configurable: true });
    }
  }
  if (typeof value.pattern !== 'string') return made;
  const given = Array.isArray(made.allOf) ? made.allOf : [];
  return { ...made, allOf: [...given, { format: formatOf(value.pattern) }] };
}

function formatOf(source: string): string {
  const name = `pattern ${source}`;
  if (Object.hasOwn(format, name)) return name;
  const compiled = compilePattern(source);
  if (!compiled.ok) throw new Error(`${compiled.message} (${compiled.fix})`);
  format[name] = (text) => compiled.pattern.matcher(text).find();
  return name;
}

/** Names of properties are matched by the validator itself: only what cannot run away is let through. */
function refuseSlow(source: string): void {
  if (!/[*+}][^()]*\)\s*[*+{]|\|[^()]*\)\s*[*+{]/.test(source)) return;
  throw new Error(`patternProperties: the pattern ${JSON.stringify(source)} repeats a repetition (write it without)`);
}
