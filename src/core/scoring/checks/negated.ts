import type { TextCheck } from './text-check.ts';

export const NOT = 'not-';

/**
 * The check that passes exactly where the given one does not. What could not be compared passes neither: a crash of an
 * expression or an unknown cost is no evidence of anything.
 */
export function negatedCheck(check: TextCheck): TextCheck {
  return {
    ...check,
    name: `${NOT}${check.name}`,
    compare(answer, expected, options, rules, facts) {
      const result = check.compare(answer, expected, options, rules, facts);
      return result.isError === true ? result : { ...result, passed: !result.passed };
    },
  };
}
