import { AssayError } from '../../core/errors.ts';

/** There is no such project, eval, dataset, run or upload. */
export class NotFoundError extends AssayError {
  override readonly name = 'NotFoundError';
}

/** What was asked does not fit the state things are in; `code` tells which state, stable for clients. */
export class ConflictError extends AssayError {
  override readonly name = 'ConflictError';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** More than one call of the API can work through. */
export class TooLargeError extends AssayError {
  override readonly name = 'TooLargeError';
}
