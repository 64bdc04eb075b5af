import { AssayError } from '../../src/core/errors.ts';

/** The function stands in the application, its handler is still to be written. */
export class NotBuiltError extends AssayError {
  override readonly name = 'NotBuiltError';
  constructor(functionName: string) {
    super(`${functionName} has no handler yet`);
  }
}
