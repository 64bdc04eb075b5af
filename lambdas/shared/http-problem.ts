import { STATUS_CODES } from 'node:http';
import {
  AssayError,
  ConfigError,
  DatasetError,
  type Fault,
  formatFault,
  InvalidCursorError,
  ScheduleError,
  StorageError,
  WorkflowError,
} from '../../src/core/errors.ts';
import { ConflictError, NotFoundError, TooLargeError } from '../../src/use-cases/manage/errors.ts';
import { QueueFullError } from '../../src/use-cases/start/run-queue.ts';
import { DeliveryConflictError, NothingToRunError } from '../../src/use-cases/start/start-gate-run.ts';
import { type HttpResponse, PRIVATE } from './http-response.ts';

export interface ProblemExtras {
  /** Everything wrong with what was sent, a place and a fix each. */
  readonly faults?: readonly Fault[];
  /** For clients that read the gate of whatever they are answered. */
  readonly gate?: 'error';
}

/** A failure as the caller is told it (RFC 9457). `code` is stable: clients may branch on it. */
export class HttpProblem extends AssayError {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly code: string;
  readonly extras: ProblemExtras;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    code: string,
    detail: string,
    extras: ProblemExtras = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.extras = extras;
    this.headers = headers;
  }
}

export function problemResponse({ status, code, message, extras, headers }: HttpProblem): HttpResponse {
  const problem = {
    type: `urn:assay:problem:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    code,
    detail: message,
    ...extras,
  };
  return {
    statusCode: status,
    headers: { ...PRIVATE, 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify(problem),
  };
}

/** What the caller is told of any failure. What nobody foresaw is a 500 that says nothing of the inside. */
export function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof NotFoundError) return new HttpProblem(404, 'not-found', error.message);
  if (error instanceof ConflictError) return new HttpProblem(409, error.code, error.message);
  if (error instanceof TooLargeError) return new HttpProblem(413, 'too-large', error.message);
  if (error instanceof DeliveryConflictError) return new HttpProblem(409, 'delivery-conflict', error.message);
  if (error instanceof QueueFullError) {
    return new HttpProblem(429, 'queue-full', error.message, {}, { 'retry-after': '60' });
  }
  if (error instanceof NothingToRunError) {
    return new HttpProblem(422, 'nothing-to-run', error.message, { gate: 'error' });
  }
  if (error instanceof InvalidCursorError) return new HttpProblem(400, 'invalid-cursor', error.message);
  if (error instanceof DatasetError) return faultsProblem(422, 'invalid-dataset', error.faults);
  if (error instanceof ConfigError) return faultsProblem(422, 'invalid-config', error.faults);
  if (error instanceof ScheduleError) {
    return new HttpProblem(503, 'schedule-failed', error.message, {}, { 'retry-after': '5' });
  }
  if (error instanceof StorageError || error instanceof WorkflowError) {
    const later = { 'retry-after': '5' };
    return new HttpProblem(503, 'unavailable', 'a service behind the API failed; try again', {}, later);
  }
  return new HttpProblem(500, 'internal', 'something went wrong on our side; the log has it under this request');
}

export function faultsProblem(status: number, code: string, faults: readonly Fault[]): HttpProblem {
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more, see faults)` : '';
  return new HttpProblem(status, code, first === undefined ? code : `${formatFault(first)}${more}`, { faults });
}
