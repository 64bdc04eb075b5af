import * as z from 'zod';
import type { TextCheck } from './text-check.ts';

const JavaScriptOptionsSchema = z.strictObject({
  /** An expression, or a function body with `return`; it sees `output`, `expected`, `input`, `contexts`, `row`. */
  value: z.string().refine((text) => text.trim() !== '', 'an expression is expected'),
  /** Least number, where the expression gives a number. */
  threshold: z.number().optional(),
});

/**
 * What an expression says of the answer. It is no pure function, so an evaluator outside the core has run it before
 * the row is scored; without its result the check does not pass.
 */
export const javascriptCheck: TextCheck<z.infer<typeof JavaScriptOptionsSchema>> = {
  name: 'javascript',
  options: JavaScriptOptionsSchema,
  needsExpected: false,
  compare(_answer, _expected, _options, _rules, { expression }) {
    if (expression === undefined) return { passed: false, isError: true, reason: 'the expression was not evaluated' };
    if (expression.status === 'error') return { passed: false, isError: true, reason: expression.message };
    const { passed, reason, rawScore } = expression;
    return { passed, reason, ...(rawScore === undefined ? {} : { rawScore }) };
  },
};

/** A value that an expression gave → passed or not. Anything that is no clear answer is an error, never a pass. */
export function readExpressionValue(value: unknown, threshold: number | undefined): ReturnType<typeof ruled> {
  if (typeof value === 'boolean') return ruled(value, `the expression is ${value}`);
  if (typeof value === 'number' && Number.isFinite(value)) {
    if (threshold === undefined) return failed(`the expression gave the number ${value} and there is no threshold`);
    return ruled(value >= threshold, `the expression is ${value}, at least ${threshold} wanted`, value);
  }
  if (typeof value === 'object' && value !== null && 'pass' in value && typeof value.pass === 'boolean') {
    const reason = 'reason' in value && typeof value.reason === 'string' ? value.reason : `pass is ${value.pass}`;
    return ruled(value.pass, reason.slice(0, 500));
  }
  return failed('the expression gave neither true, false, a number nor {pass, reason}');
}

type Expression = import('./text-check.ts').ExpressionResult;

function ruled(passed: boolean, reason: string, rawScore?: number): Expression {
  return { status: 'ruled', passed, reason, ...(rawScore === undefined ? {} : { rawScore }) };
}

const failed = (message: string): Expression => ({ status: 'error', message });
