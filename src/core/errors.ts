/** A failure we expect. `name` is a wire contract: Step Functions Retry and Catch match on it. */
export abstract class AssayError extends Error {
  abstract override readonly name: string;
}

/**
 * A request waited for its turn at a side that throttles, until waiting was over for the run: its row has no result yet.
 */
export class NoTurnError extends AssayError {
  override readonly name = 'NoTurnError';
}

/** One thing wrong with a file a person wrote: where it is, what is wrong and how to mend it. */
export interface Fault {
  /** File as the person named it; absent when the text came over HTTP. */
  readonly file?: string;
  /** 1-based line in the file as it lies on disk. */
  readonly line?: number;
  /** Name of the CSV column, or its 1-based number when it has none. */
  readonly column?: string;
  /** Path of the field, such as `targets.0.url`. */
  readonly field?: string;
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

export function formatFault(fault: Fault): string {
  const place = [
    fault.file,
    fault.line === undefined ? undefined : `line ${fault.line}`,
    fault.column === undefined ? undefined : `column ${fault.column}`,
    fault.field === undefined ? undefined : `field ${fault.field}`,
  ].filter((part) => part !== undefined);
  const where = place.length > 0 ? `${place.join(', ')}: ` : '';
  const fix = fault.fix === undefined ? '' : ` (${fault.fix})`;
  return `${where}${fault.message}${fix}`;
}

abstract class FaultsError extends AssayError {
  readonly faults: readonly Fault[];
  constructor(faults: readonly Fault[]) {
    super(faults.map(formatFault).join('\n'));
    this.faults = faults;
  }
}

/** The eval configuration, or what it needs from outside (a secret, a judge, a price), is wrong. Nothing was spent. */
export class ConfigError extends FaultsError {
  override readonly name = 'ConfigError'; // a literal: minifying renames the class
}

/** The dataset cannot be read as rows. Nothing was spent. */
export class DatasetError extends FaultsError {
  override readonly name = 'DatasetError';
}

/** Results, rows or a summary could not be written or read back (disk full, no permission). */
export class StorageError extends AssayError {
  override readonly name = 'StorageError';
}

/** A page was asked for with a cursor that this list never gave out. */
export class InvalidCursorError extends AssayError {
  override readonly name = 'InvalidCursorError';
}

/** The service that starts evals at their times refused or failed a call, after its retries. */
export class ScheduleError extends AssayError {
  override readonly name = 'ScheduleError';
}

/** The event bus refused an event, or failed after its retries. */
export class RunEventError extends AssayError {
  override readonly name = 'RunEventError';
}

/** The service that runs the workflow refused or failed a call, after its retries. */
export class WorkflowError extends AssayError {
  override readonly name = 'WorkflowError';
}
