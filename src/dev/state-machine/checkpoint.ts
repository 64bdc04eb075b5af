import type { JsonObject, JsonValue } from '../../core/json.ts';

/** All that is needed to go on with an execution, as plain JSON: it may be written to a file at any time. */
export interface ExecutionCheckpoint {
  readonly name: string;
  readonly input: JsonValue;
  /** ISO 8601. */
  readonly startTime: string;
  redriveCount: number;
  readonly scope: ScopeCheckpoint;
}

/** Where one line of states is: the execution itself, a branch, an iteration or a child of a distributed Map. */
export interface ScopeCheckpoint {
  /** The state it is in; entered with `input`. */
  state: string;
  input: JsonValue;
  variables: JsonObject;
  /** Progress inside that state when it is a Parallel or a Map. */
  container?: InlineCheckpoint | MapRunCheckpoint;
}

/** Branches of a Parallel or iterations of an inline Map, by index. */
export interface InlineCheckpoint {
  readonly kind: 'inline';
  readonly children: InlineChild[];
}
export type InlineChild =
  | { readonly status: 'succeeded'; readonly output: JsonValue }
  | { readonly status: 'unfinished'; readonly scope: ScopeCheckpoint; readonly item?: JsonObject };

/** A distributed Map. Children are numbered in the order of their first item. */
export interface MapRunCheckpoint {
  readonly kind: 'map-run';
  readonly arn: string;
  /** Children below this number were started. */
  nextChild: number;
  /** Items below this number belong to a started child. */
  nextItem: number;
  /** All items there are; null until the reader reached the end. */
  totalItems: number | null;
  /** SHA-256 of the items below nextItem, kept when an attempt ends: a redrive must read the same ones. */
  digest?: string;
  succeededItems: number;
  /** Started children without success, by number: the ones a redrive runs again. */
  readonly unfinished: Record<string, MapChild>;
  /** Outputs by child number; null once they no longer fit a state's output, or when a ResultWriter has them. */
  outputs: Record<string, JsonValue> | null;
  outputBytes: number;
  /** Result files of the successes of all attempts. */
  readonly succeededFiles: ResultFile[];
  attempts: number;
}

export interface MapChild {
  readonly number: number;
  readonly name: string;
  readonly itemCount: number;
  readonly input: JsonValue;
  status: 'RUNNING' | 'FAILED' | 'ABORTED';
  startTime: string;
  stopTime?: string;
  error?: string;
  cause?: string;
  redriveCount: number;
  scope: ScopeCheckpoint;
}

export interface ResultFile {
  readonly Key: string;
  readonly Size: number;
}
