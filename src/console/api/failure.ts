/** What a person can do about a failed call. */
export type FailureKind = 'signed-out' | 'forbidden' | 'missing' | 'refused' | 'unavailable' | 'offline' | 'broken';

export interface FailureFault {
  readonly field: string | null;
  readonly message: string;
  readonly fix: string | null;
}

/** A call that did not give what it was made for. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly kind: FailureKind;
  readonly title: string;
  readonly code: string | null;
  readonly faults: readonly FailureFault[];
  constructor(
    kind: FailureKind,
    title: string,
    detail: string,
    more: { code?: string | null; faults?: readonly FailureFault[] } = {},
  ) {
    super(detail);
    this.kind = kind;
    this.title = title;
    this.code = more.code ?? null;
    this.faults = more.faults ?? [];
  }
}

const TITLES: Readonly<Record<FailureKind, string>> = {
  'signed-out': 'Signed out',
  forbidden: 'Not allowed',
  missing: 'Not found',
  refused: 'Refused',
  unavailable: 'Not available right now',
  offline: 'No connection',
  broken: 'Something went wrong',
};

/** The failure that an answer tells of: problem JSON, or what a gateway says in its stead. */
export function failureOf(status: number, body: string): ApiFailure {
  const problem = parseObject(body);
  const kind = kindOf(status);
  const detail = textOf(problem.detail) ?? textOf(problem.message) ?? `the server answered ${status}`;
  return new ApiFailure(kind, textOf(problem.title) ?? TITLES[kind], detail, {
    code: textOf(problem.code),
    faults: Array.isArray(problem.faults) ? problem.faults.flatMap(faultOf) : [],
  });
}

/** The request got no answer. */
export function offline(): ApiFailure {
  return new ApiFailure(
    'offline',
    TITLES.offline,
    'The server could not be reached. Is it running, and are you online?',
  );
}

/** An answer that is not what the API gives. */
export function unreadable(): ApiFailure {
  return new ApiFailure(
    'broken',
    TITLES.broken,
    'the answer was not JSON: something between this page and the API changed it',
  );
}

export function toFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure('broken', TITLES.broken, error instanceof Error ? error.message : String(error));
}

/** Whether the same call may do better in a moment. */
export function isPassing({ kind }: ApiFailure): boolean {
  return kind === 'offline' || kind === 'unavailable';
}

function kindOf(status: number): FailureKind {
  if (status === 401) return 'signed-out';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'missing';
  if (status === 429 || status === 502 || status === 503 || status === 504) return 'unavailable';
  return status >= 500 ? 'broken' : 'refused';
}

function faultOf(fault: unknown): FailureFault[] {
  if (typeof fault !== 'object' || fault === null) return [];
  const { field, message, fix } = fault as Record<string, unknown>;
  const text = textOf(message);
  return text === null ? [] : [{ field: textOf(field), message: text, fix: textOf(fix) }];
}

function parseObject(body: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
