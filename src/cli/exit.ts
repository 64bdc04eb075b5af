import { AssayError } from '../core/errors.ts';

export const EXIT_PASSED = 0;
export const EXIT_FAILED = 1;
export const EXIT_UNDECIDED = 2;

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
