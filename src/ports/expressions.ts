import type { Fault } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { ExpressionResult } from '../core/scoring/checks/text-check.ts';

export interface ExpressionRequest {
  readonly source: string;
  /** What the expression sees, by name. */
  readonly variables: JsonObject;
  /** Least number, where the expression gives one. */
  readonly threshold: number | undefined;
}

/** Runs the expressions of `javascript` scorers, bound in time and memory and without any way out. */
export interface ExpressionEvaluator {
  /** What is wrong with an expression before any row is asked; null when it can be run. */
  check(source: string): Promise<Pick<Fault, 'message' | 'fix'> | null>;
  /** An expression that throws, never ends or gives nothing clear is an `error`, never an exception. */
  evaluate(request: ExpressionRequest): Promise<ExpressionResult>;
  close(): Promise<void>;
}
