import { AssayError } from '../core/errors.ts';
import type { RunSummary } from '../core/schemas/summary.ts';

export const EXIT_PASSED = 0;
export const EXIT_FAILED = 1;
export const EXIT_UNDECIDED = 2;

/** A quarantined eval is run and reported and never decides: it cannot fail. That it could not be decided is still said. */
export function exitOfGate({ gate, quarantined }: Pick<RunSummary, 'gate' | 'quarantined'>): number {
  if (gate === 'fail' && quarantined) return EXIT_PASSED;
  return { pass: EXIT_PASSED, fail: EXIT_FAILED, error: EXIT_UNDECIDED }[gate];
}

/** Whatever broke, the run did not decide. */
export function exitCodeOf(_error: unknown): number {
  return EXIT_UNDECIDED;
}

/** Expected failures in plain words; a bug with its stack, since somebody has to find it. */
export function reportError(error: unknown): void {
  if (error instanceof AssayError) {
    process.stderr.write(`assay: ${error.message}\n`);
    return;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`assay: this should not have happened, please report it\n${text}\n`);
}
