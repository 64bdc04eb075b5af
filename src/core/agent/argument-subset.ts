import { isJsonObject, type JsonValue } from '../json.ts';
import { firstDifference } from '../scoring/checks/json-equality.ts';

/** Whether `args` hold everything in `wanted`: its keys at any depth, with equal values; extra keys are allowed, lists are whole. */
export function isSubsetOf(wanted: JsonValue, args: JsonValue): boolean {
  if (!isJsonObject(wanted)) return firstDifference(args, wanted) === null;
  if (!isJsonObject(args)) return false;
  return Object.entries(wanted).every(([key, value]) => {
    const given = Object.hasOwn(args, key) ? args[key] : undefined;
    return given !== undefined && isSubsetOf(value, given);
  });
}
